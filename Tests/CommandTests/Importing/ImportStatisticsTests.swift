import Foundation
import JSONPresets
import TestSupport
import Testing

@Suite("The statistics of an import")
struct ImportStatisticsTests {
  private let folder: TemporaryFolder
  private var library: String { folder.file("Library.sqlite") }
  private var statistics: String { library + ".migration.json" }

  init() throws { folder = try TemporaryFolder() }

  private func feed(_ name: String, _ lines: String...) throws -> String {
    try folder.write(Array((lines.joined(separator: "\n") + "\n").utf8), to: name)
  }

  private func object(_ path: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(try Files.bytes(path))) as? [String: Any])
  }

  private func count(_ key: String, in path: String? = nil) throws -> Int? {
    try object(path ?? statistics)[key] as? Int
  }

  @Test func `A new library has its statistics beside it, as the file of --stats`() throws {
    let feed = try feed("f.ndjson", #"{"title":"a","artists":["X","Y"]}"#, #"{"title":"b","json":"{"}"#, "no track")
    let text = try successfully("import", feed, library).stderr
    #expect(text.contains("Statistics: \(statistics)\n"))
    let report = try object(statistics)
    #expect(report["feed_path"] as? String == feed && report["source_version"] as? String == "feed")
    #expect(
      report["library_path"] as? String == library
        && report["rejects_file"] as? String == "Library.sqlite.rejects.ndjson")
    let counts = [
      "added_tracks": 2, "added_artists": 2, "known_tracks": 0, "replaced_tracks": 0, "rejected_lines": 1,
      "fallback_tracks_count": 1, "rejects_count": 2, "tracks_without_artist_count": 1, "source_size_bytes": 0,
    ]
    for (key, count) in counts { #expect(report[key] as? Int == count, "\(key)") }
    let other = folder.file("stats.json")
    try successfully("import", feed, folder.file("M.sqlite"), "--stats", other)
    #expect(Set(try object(other).keys) == Set(report.keys))
    #expect(try !folder.listing().contains("M.sqlite.migration.json"))
  }

  @Test func `Every count of the feed is in the figures, metrics and page`() throws {
    try successfully("import", feed("f.ndjson", #"{"key":1,"title":"a"}"#, #"{"key":2,"title":"b"}"#), library)
    let next = try feed(
      "g.ndjson", #"{"key":1,"title":"a"}"#, #"{"key":2,"title":"c"}"#, #"{"key":3,"title":"d","artists":["X"]}"#, "{",
      #"{"title":"d","artist":"X","played_at":"never"}"#)
    try successfully("import", next, library, "--replace")
    let facts = Fact.all(of: .feed)
    let table = try successfully("stats", library, "--format", "csv").stdout
    let metrics = try successfully("stats", library, "--format", "prometheus").stdout
    let page = try successfully("report", library, "--output", "-").stdout
    for fact in facts {
      let key = try #require(fact.key)
      let count = try #require(try count(key))
      #expect(count == (fact == .addedTracks ? 2 : 1), "\(key)")
      #expect(table.contains("migration,\(key),\(count),"), "\(key)")
      #expect(metrics.contains("\ntracks_migrate_migration_\(key){"), "\(key)")
      #expect(page.contains(">\(fact.traits.help)<"), "\(key)")
    }
    #expect(page.contains("Imported ") && page.contains("<code>\(next)</code>") && !page.contains("Migrated "))
  }

  @Test func `Statistics of what was before go with the backup and come back with it`() throws {
    _ = try folder.migratedSample()
    let migrated = try Files.bytes(statistics)
    try successfully("import", feed("f.ndjson", #"{"title":"new"}"#), library)
    #expect(try count("added_tracks") == 1)
    #expect(try Files.bytes(library + ".v2-backup.migration.json") == migrated)
    let imported = try Files.bytes(statistics)

    try successfully("restore", library, "--backup", library + ".v2-backup")
    #expect(try Files.bytes(statistics) == migrated)
    #expect(try Files.bytes(library + ".replaced.migration.json") == imported)
    try successfully("restore", library, "--backup", library + ".replaced")
    #expect(try Files.bytes(statistics) == imported)
  }

  @Test(arguments: [false, true])
  func `Statistics at another path do not leave those of an earlier run beside the library`(isBackedUp: Bool) throws {
    _ = try folder.migratedSample()
    let migrated = try Files.bytes(statistics)
    let words = ["import", try feed("f.ndjson", #"{"title":"new"}"#), library, "--stats", folder.file("else.json")]
    try successfully(words + (isBackedUp ? [] : ["--no-backup"]))
    #expect(!Files.exists(statistics))
    #expect(try count("added_tracks", in: folder.file("else.json")) == 1)
    let object = try successfully("stats", library, "--format", "json").stdout
    #expect(object.contains(#""migration":null"#), "\(object)")
    guard isBackedUp else { return #expect(!Files.exists(library + ".v2-backup.migration.json")) }
    #expect(try Files.bytes(library + ".v2-backup.migration.json") == migrated)
    try successfully("restore", library)
    #expect(try Files.bytes(statistics) == migrated)
  }

  @Test func `A migration with statistics at another path does not leave those of an undone one`() throws {
    let library = try folder.library("L.sqlite")
    try successfully(library, "-q")
    try successfully("restore", library, "-q")
    #expect(!Files.exists(library + ".migration.json"))
    // As restorations have left them that did not take them with what they undid.
    try Files.copy(library + ".replaced.migration.json", to: library + ".migration.json")
    try successfully(library, "-q", "--stats", folder.file("else.json"))
    #expect(!Files.exists(library + ".migration.json"))
    // Nor do those of a result that is gone.
    try successfully("restore", library, "-q")
    try Files.write("{}", to: folder.file("New.sqlite.migration.json"))
    try successfully(library, "-q", "--stats", folder.file("else.json"), "--output", folder.file("New.sqlite"))
    #expect(!Files.exists(folder.file("New.sqlite.migration.json")))
  }

  @Test func `Statistics of an app's store go with its backup when it is migrated again`() throws {
    let store = folder.file("App.sqlite")
    try Files.copy(SampleStore.data("Notes/library-v1.sqlite"), to: store)
    let model = ["--model", SampleStore.data("Notes/Notes.xcdatamodeld"), "-q"]
    try successfully([store, "--to", "Notes 2", "--stats", store + ".migration.json"] + model)
    let first = try Files.bytes(store + ".migration.json")
    try successfully([store] + model)
    #expect(!Files.exists(store + ".migration.json"))
    #expect(try Files.bytes(store + ".Notes-2-backup.migration.json") == first)
  }

  @Test func `A failed run leaves the statistics beside the library`() throws {
    _ = try folder.migratedSample()
    let before = try Files.bytes(statistics)
    let words = ["import", try feed("f.ndjson", #"{"title":"new"}"#), library, "--stats"]
    _ = try folder.makeFolder("folder")
    #expect(try CommandRunner(words + [folder.file("folder")]).run().status == 73)
    #expect(try Files.bytes(statistics) == before)
  }

  @Test func `A restoration past an import does not keep the statistics of the import`() throws {
    let library = try folder.library("L.sqlite")
    try successfully(library, "-q")
    try successfully("import", feed("f.ndjson", #"{"title":"new"}"#), library, "-q")
    let imported = try Files.bytes(library + ".migration.json")
    try successfully("restore", library, "--backup", library + ".v1-backup", "-q")
    #expect(!Files.exists(library + ".migration.json"))
    #expect(try Files.bytes(library + ".replaced.migration.json") == imported)
  }

  @Test func `A restoration after changes of artists keeps the statistics of the migration`() throws {
    let library = try folder.library("L.sqlite")
    try successfully(library, "-q")
    let migrated = try Files.bytes(library + ".migration.json")
    let decisions = try feed(
      "d.tsv", "decision\tartist\tid\tinto\tinto_id\ttracks\tevidence", "rename\tAphex Twin\t\tAFX\t\t\t")
    try successfully("artists", "apply", library, decisions, "-q")
    #expect(try Files.bytes(library + ".v2-backup.migration.json") == migrated)
    try successfully("restore", library, "-q")
    #expect(try Files.bytes(library + ".migration.json") == migrated)
  }

  @Test func `Statistics of another library of that name are not taken for its own`() throws {
    let library = try folder.library("L.sqlite")
    try successfully(library, "-q")
    try Database.run("UPDATE Z_METADATA SET Z_UUID = 'B3F4C565-A3C9-4B1E-8C3D-0123456789AB'", in: library)
    #expect(try successfully("stats", library, "--format", "json").stdout.contains(#""migration":null"#))
    #expect(try !successfully("report", library, "--output", "-").stdout.contains("Migrated "))
  }

  @Test func `Statistics of a new library have its UUID`() throws {
    try successfully("import", feed("f.ndjson", #"{"title":"a"}"#), library, "-q")
    let uuid = try #require(try object(statistics)["library_uuid"] as? String)
    #expect(try successfully("info", library).stdout.contains(uuid))
  }

  @Test func `An import that changes nothing leaves the statistics as they are`() throws {
    _ = try folder.migratedSample()
    let before = try (Files.bytes(statistics), folder.listing())
    let known = try successfully("export", library).stdout.split(separator: "\n").prefix(3).joined(separator: "\n")
    try successfully("import", feed("g.ndjson", known), library)
    #expect(try Files.bytes(statistics) == before.0)
    #expect(try folder.listing() == (before.1 + ["g.ndjson"]).sorted())
  }

  @Test func `The verification of an imported library names its feed`() throws {
    try successfully("import", feed("f.ndjson", #"{"title":"a"}"#), library)
    let result = try CommandRunner(["verify", library]).run()
    #expect(result.status != 0)
    #expect(result.stderr.contains("it was imported from '\(folder.file("f.ndjson"))'. Name that feed with --feed"))
  }

  @Test func `A file in the place of a backup's statistics is not replaced`() throws {
    _ = try folder.migratedSample()
    try folder.write(Array("mine".utf8), to: "Library.sqlite.v2-backup.migration.json")
    try successfully("import", feed("f.ndjson", #"{"title":"new"}"#), library)
    #expect(try Files.text(folder.file("Library.sqlite.v2-backup.migration.json")) == "mine")
    #expect(Files.exists(library + ".v2-backup-2") && Files.exists(library + ".v2-backup-2.migration.json"))
  }

  @Test(arguments: [false, true]) func `A restored library does not keep the statistics of an import`(
    keepsReplaced: Bool
  ) throws {
    _ = try folder.migratedSample()
    Files.remove(statistics)
    try successfully("import", feed("f.ndjson", #"{"title":"new"}"#), library)
    try successfully(["restore", library] + (keepsReplaced ? [] : ["--no-backup"]))
    #expect(!Files.exists(statistics))
    #expect(Files.exists(library + ".replaced.migration.json") == keepsReplaced)
  }

  @Test func `Statistics that a killed restoration has left are moved by the next`() throws {
    _ = try folder.migratedSample()
    let migrated = try Files.bytes(statistics)
    try successfully("import", feed("f.ndjson", #"{"title":"new"}"#), library)
    let imported = try Files.bytes(statistics)
    // As when it is killed once the library is restored.
    try FileManager.default.moveItem(atPath: library, toPath: library + ".replaced")
    try FileManager.default.moveItem(atPath: library + ".v2-backup", toPath: library)
    try successfully("restore", library, "--dry-run")
    #expect(try Files.bytes(statistics) == imported)
    try successfully("restore", library)
    #expect(try Files.bytes(statistics) == migrated)
    #expect(try Files.bytes(library + ".replaced.migration.json") == imported)
  }

  @Test(arguments: [["export", "--output"], ["stats", "--output"], ["import", "--stats"]])
  func `The statistics of a backup are not overwritten`(words: [String]) throws {
    _ = try folder.migratedSample()
    let feed = try feed("f.ndjson", #"{"title":"new"}"#)
    let target = library + ".v2-backup.migration.json"
    let result = try CommandRunner(
      words.prefix(1) + (words[0] == "import" ? [feed] : []) + [library, words[1], target]
    )
    .run()
    #expect(result.status == 73 && result.stderr.contains("would replace a backup of '\(library)'"), "\(result)")
    #expect(!Files.exists(target))
  }

  @Test func `A pipe in the place of statistics stays, and the restoration says so`() throws {
    _ = try folder.migratedSample()
    try successfully("import", feed("f.ndjson", #"{"title":"new"}"#), library)
    Files.remove(statistics)
    mkfifo(statistics, 0o600)
    let result = try CommandRunner(["restore", library]).run()
    #expect(result.status == 0 && result.stderr.contains("its statistics or rejects are where they were"), "\(result)")
    #expect(Files.exists(statistics) && Files.exists(library + ".v2-backup.migration.json"))
  }
}
