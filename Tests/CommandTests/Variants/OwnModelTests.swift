import Foundation
import TestSupport
import Testing

@Suite("A track library with a model of its own")
struct OwnModelTests {
  private let folder: TemporaryFolder
  private let library: String

  init() throws {
    folder = try TemporaryFolder()
    library = folder.file("Own library.sqlite")
  }

  private func write(_ kind: OwnModelLibrary, _ sql: String = "") throws {
    try kind.write(to: library)
    if !sql.isEmpty { try Database.run(sql, in: library) }
  }

  @Test(arguments: OwnModelLibrary.firstVersions)
  func `The library migrates without --model, and queries work`(kind: OwnModelLibrary) throws {
    try write(kind)
    let migration = try successfully(library)
    #expect(migration.stderr.contains("from v1 to v2, with a model of its own, in "))
    #expect(!migration.stderr.contains("left behind"))
    let names = Set(kind.artists.flatMap { $0.split(separator: "|")[1].split(separator: ", ") }).sorted()
    let artists = try successfully("artists", library, "--format", "csv").lines.dropFirst()
    #expect(artists.map { $0.prefix { $0 != "," } } == names)
    #expect(try successfully("tracks", library, "--format", "csv").lines.count == kind.artists.count + 1)
    let artist = try successfully("artist", library, String(names[0]), "--format", "json").stdout
    #expect(artist.contains("\"name\": \"\(names[0])\"") || artist.contains("\"name\":\"\(names[0])\""), "\(artist)")
    let stats = try successfully("stats", library, "--format", "csv").stdout
    #expect(stats.contains("library,artists_count,\(names.count),"))
    #expect(stats.contains("migration,tracks_count,\(kind.artists.count),"))
    let info = try successfully("info", library)
    #expect(info.stdout.contains("version          v2, with a model of its own\n"))
    #expect(try successfully(library).stderr.contains("is a v2 library already"))
    #expect(try Database.isWhole(library))
  }

  @Test func `The library is described before its migration`() throws {
    try write(.related)
    #expect(try successfully("info", library).stdout.contains("version          v1, with a model of its own\n"))
    let json = try successfully("info", library, "--format", "json")
    let info = try #require(try JSONSerialization.jsonObject(with: Data(json.output)) as? [String: Any])
    #expect(info["version"] as? String == "v1" && info["model"] as? String == "own")
    let entities = try #require(info["entities"] as? [[String: Any]])
    #expect(entities.map { $0["name"] as? String } == ["Album", "Genre", "Lyrics", "Playlist", "Queue", "Track"])
    #expect(entities.map { $0["instances_count"] as? Int } == [2, 2, 1, 1, 1, 3])
    let plan = try successfully(library, "--dry-run").stdout
    #expect(plan.contains("Wanted: v2, made from the library's own model\nFound: v1, with a model of its own\n"))
    let result = try tracksMigrate("artists", library)
    #expect(result.status == 65 && result.stderr.contains("is still a v1 library"))
  }

  @Test func `Conditions can use the additional attributes`() throws {
    try write(.attributed)
    try successfully(library)
    let titles = { (condition: String) in
      try successfully("tracks", library, "--format", "csv", "--where", condition).lines.dropFirst()
        .map { $0.prefix { $0 != "," } }
    }
    #expect(try titles("stars > 1000000000 AND flag == YES") == ["Full"])
    #expect(try titles("small == nil") == ["Empty"])
    #expect(try titles("Größe CONTAINS[cd] 'UBER'") == ["Full"])
    let result = try tracksMigrate("tracks", library, "--where", "json != nil")
    #expect(result.status == 64 && result.stderr.contains("relationships are Größe, added, artists, bytes,"))
  }

  @Test func `The migration reports what is kept, what is left behind and why`() throws {
    try write(
      .required,
      """
      CREATE TABLE settings (a); INSERT INTO settings VALUES (1), (2);
      CREATE TRIGGER bell AFTER INSERT ON settings BEGIN SELECT 1; END;
      CREATE TABLE ATRANSACTION (a); INSERT INTO ATRANSACTION VALUES (1);
      CREATE TABLE ANSCKEVENT (a);
      """)
    let stderr = try successfully(library).stderr
    for line in [
      "kept                       1  tables of the app's own:", "settings: 2 rows",
      "left behind                3  things that the new library does not have:",
      "ATRANSACTION: 1 row, persistent history",
      "ANSCKEVENT: 0 rows, the mirror to CloudKit", "bell: it is a trigger, which would have to be run",
      "tracks-migrate: warning: the CloudKit mirror was left behind",
    ] { #expect(stderr.contains(line), "\(line)\n\(stderr)") }
    let report = try Files.text(library + ".migration.json")
    #expect(report.contains("\"kept_count_by_name\" : {\n    \"settings\" : 2\n  }"))
    #expect(report.contains("\"bell\" : \"trigger\"") && report.contains("\"has_own_model\" : true"))
  }

  @Test func `Dangling references are reported`() throws {
    try write(.related, "UPDATE ZTRACK SET ZALBUM = 9 WHERE Z_PK = 3")
    let strict = try tracksMigrate(library, "--strict")
    #expect(strict.status == 65)
    #expect(strict.stderr.contains("links refer to missing rows: Track.album (1)"))
    let stderr = try successfully(library).stderr
    #expect(stderr.contains("Track.album: 1 row, with links to missing rows"), "\(stderr)")
    #expect(try Database.value("SELECT count(*) FROM ZTRACK WHERE Z_PK = 3 AND ZALBUM NOT NULL", in: library) == "0")
  }

  @Test func `A library that cannot be migrated is reported with advice`() throws {
    try OwnModelLibrary.attributed.write(to: library, modelCache: [])
    let unknown = try tracksMigrate(library)
    #expect(unknown.status == 69 && unknown.stderr.contains("(--model)"))
    try FileManager.default.removeItem(atPath: library)
    try OwnModelLibrary.withArtist.write(to: library)
    let before = try folder.snapshot()
    let refused = try tracksMigrate(library)
    #expect(refused.status == 69)
    #expect(
      refused.stderr.contains("its model has an entity 'Artist' already. No data was changed. Give both versions"))
    #expect(try folder.snapshot() == before)
  }

  @Test func `A library with the built-in model gets no such messages`() throws {
    let ours = try folder.library()
    let stderr = try successfully(ours).stderr
    #expect(!stderr.contains("own") && !stderr.contains("kept "))
    let report = try Files.text(ours + ".migration.json")
    for key in ["has_own_model", "kept_count", "left_behind_reason", "model_remarks"] { #expect(!report.contains(key)) }
    #expect(try successfully("info", ours, "--format", "json").stdout.contains("known"))
  }
}
