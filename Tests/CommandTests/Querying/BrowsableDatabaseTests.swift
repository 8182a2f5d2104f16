import Foundation
import TestSupport
import Testing

@Suite("Plain databases to browse")
struct BrowsableDatabaseTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func rows(_ sql: String) throws -> [String] { try Database.rows(sql, in: folder.file("B.db")) }

  /// The number of rows of a view, whose query is run: no connection of the project runs views.
  private func count(ofView name: String, _ condition: String = "1") throws -> Int {
    let sql = try #require(try rows("SELECT sql FROM sqlite_schema WHERE type = 'view' AND name = '\(name)'").first)
    let query = try #require(sql.firstRange(of: " AS SELECT "))
    let counted = try rows(
      "SELECT count(*) FROM (\(sql[sql.index(query.lowerBound, offsetBy: 4)...])) WHERE \(condition)")
    return try #require(Int(counted[0]))
  }

  @Test func `A library has plain tables with foreign keys, views, search and a description`() throws {
    let library = folder.file("L.sqlite")
    try Files.write(try Files.bytes("\(Readme.root)/SampleData/Tracks/library-v1.sqlite"), to: library)
    try successfully(library, "-q")
    let before = try Files.bytes(library)
    let made = try successfully("export", library, "--format", "sqlite", "--output", folder.file("B.db"))
    #expect(made.stderr.contains("Made '\(folder.file("B.db"))' with 367 rows"), "\(made)")
    #expect(try Files.bytes(library) == before)
    #expect(
      try rows(
        """
        SELECT (SELECT count(*) FROM artists), (SELECT count(*) FROM tracks), (SELECT count(*) FROM artist_tracks),
          (SELECT count(*) FROM pragma_foreign_key_check), (SELECT count(*) FROM pragma_foreign_key_list('artist_tracks'))
        """) == ["67|300|395|0|2"])
    // As the library itself says it.
    let exported = try successfully("export", library, "--what", "tracks", "--format", "csv").stdout
    let played = try rows("SELECT lastPlayedAt FROM tracks WHERE key = 1")[0]
    #expect(played.hasSuffix("Z") && exported.contains(played))
    #expect(try rows("SELECT count(*) FROM artists_fts WHERE artists_fts MATCH 'sarka'") == ["1"])
    #expect(try count(ofView: "artists_with_tracks", "artists_name = 'DJ Solir'") == 83)
    #expect(try count(ofView: "tracks_with_artists") == 395)
    let text = try Files.bytes(folder.file("B.db.metadata.json"))
    let metadata = try #require(try JSONSerialization.jsonObject(with: Data(text)) as? [String: Any])
    let tables = ((metadata["databases"] as? [String: Any])?["B"] as? [String: Any])?["tables"] as? [String: Any]
    #expect((tables?["artists"] as? [String: Any])?["label_column"] as? String == "name")
    #expect((tables?["tracks"] as? [String: Any])?["label_column"] as? String == "title")
  }

  @Test(arguments: [("Books", ["Author", "Book"]), ("Notes", ["Note"])])
  func `Any app's store has a table for each entity`(name: String, entities: [String]) throws {
    let store = try SampleStore(name)
    try store.migrate()
    try successfully(
      "export", store.path, "--model", store.model, "--format", "sqlite", "--output", folder.file("B.db"))
    let tables = try rows("SELECT name FROM sqlite_schema WHERE type = 'table'")
    for entity in entities { #expect(tables.contains(entity), "\(tables)") }
    #expect(try rows("SELECT count(*) FROM pragma_foreign_key_check") == ["0"])
    for entity in entities {
      let listed = try successfully("query", store.path, entity, "--model", store.model, "--format", "ndjson").lines
      #expect(try rows("SELECT count(*) FROM \"\(entity)\"") == ["\(listed.count)"])
    }
    // Every view can be read.
    for view in try rows("SELECT name FROM sqlite_schema WHERE type = 'view'") {
      _ = try count(ofView: view)
    }
  }

  @Test func `What cannot be made is said`() throws {
    let library = try folder.library("V1.sqlite", .many(3))
    for (words, reason) in [
      ([], "'--format sqlite' requires '--output', a file."),
      (["--output", "B.db", "--what", "tracks"], "'--what' and '--format sqlite' cannot be used together."),
      (["--output", "B.db", "--entity", "Track"], "'--entity' and '--format sqlite' cannot be used together."),
      (["--output", "B.db", "--safe-csv"], "'--safe-csv' requires '--format csv'."),
      (["--output", "B.db"], "is still a v1 library. Migrate it first"),
      (["--output", library], "would replace the library"),
    ] {
      let result = try CommandRunner(
        ["export", library, "--format", "sqlite"] + words, folder: folder.path
      ).run()
      #expect(result.status != 0 && result.stderr.contains(reason), "\(result)")
    }
    #expect(try folder.listing() == ["V1.sqlite"])
  }
}
