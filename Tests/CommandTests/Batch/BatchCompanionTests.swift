import Foundation
import TestSupport
import Testing

/// A pattern that is used again matches what the run before has left beside the libraries.
@Suite("Files in a batch that belong to libraries")
struct BatchCompanionTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func batch(_ words: [String], input: String = "") throws -> CommandResult {
    var runner = CommandRunner(["batch"] + words, folder: folder.path)
    runner.input = Array(input.utf8)
    return try runner.run()
  }

  private func all() throws -> [String] { try folder.listing() }

  @Test func `A second batch with the same pattern changes nothing, and the library can be restored`() throws {
    for name in ["l1.sqlite", "l2.sqlite"] { _ = try folder.library(name) }
    let rows = try Rows.original(folder.file("l1.sqlite"))
    #expect(try batch(all()).status == 0)
    try successfully("report", folder.file("l1.sqlite"), "-q")
    let before = try folder.snapshot()
    let again = try batch(all())
    #expect(again.status == 0, "\(again)")
    #expect(again.stderr.contains("2 libraries: 0 migrated, 2 current, 0 failed. Skipped: 7 backups and other files."))
    let results = try again.results()
    #expect(results["l1.sqlite"]?.status == "current")
    for suffix in [".v1-backup", ".migration.json", ".rejects.ndjson", ".report.html"] {
      let result = try #require(results["l1.sqlite" + suffix])
      #expect(result.status == "skipped" && result.exit_status == 0 && result.error_code == nil)
      #expect(result.message?.contains("'l1.sqlite'") == true && result.advice?.isEmpty == false)
    }
    #expect(try folder.snapshot() == before)
    try successfully("restore", folder.file("l1.sqlite"), "-q")
    #expect(try Rows.original(folder.file("l1.sqlite")) == rows)
    // What 'restore' has replaced is no library either.
    #expect(try batch(all()).results()["l1.sqlite.replaced"]?.status == "skipped")
  }

  @Test func `Backups of an app's store, its log and its external data are skipped in a list`() throws {
    let store = try PictureStore()
    _ = try store.copy(to: folder)
    let names = try folder.listing().filter { $0.hasSuffix(".sqlite") }
    #expect(try batch(names + ["--model", store.model]).status == 0)
    let find = try #require(Program.find("find"))
    var runner = CommandRunner([folder.path, "-type", "f", "-print0"])
    runner.executable = find
    let list = try runner.run().stdout
    #expect(list.contains("_SUPPORT/_EXTERNAL_DATA/") && list.contains(".App-backup"))
    let before = try folder.snapshot()
    let again = try batch(["--files-from", "-", "--null", "--model", store.model], input: list)
    #expect(again.status == 0, "\(again)")
    let counts = Dictionary(grouping: try again.results().values, by: \.status).mapValues(\.count)
    #expect(counts["current"] == 1 && counts["migrated"] == nil && counts["failed"] == nil, "\(again)")
    #expect(try folder.snapshot() == before)
    try successfully("restore", folder.file(names[0]), "-q")
  }

  @Test(arguments: [
    "L.sqlite.v1-backup", "L.sqlite.Notes-2-backup", "L.sqlite.old-backup-3", "L.sqlite.v1-backup.v1-backup",
    "L.sqlite-wal", "L.sqlite-journal", "L.sqlite.v1-backup-wal", ".L.sqlite.tracks-migrate", "L.sqlite.replaced-2",
    "L.sqlite.rejects-2.ndjson", "L.sqlite.v1-backup.migration.json", ".L_SUPPORT/_EXTERNAL_DATA/x", "link",
  ])
  func `A file is skipped by its name`(name: String) throws {
    let library = try folder.library("L.sqlite")
    _ = try folder.makeFolder(".L_SUPPORT/_EXTERNAL_DATA")
    let file = name == "link" ? "L.sqlite.v1-backup" : name
    try Files.write(try Files.bytes(library), to: folder.file(file))
    if name == "link" { try Files.link(folder.file("link"), to: folder.file(file)) }
    // Before the library: whether it is migrated by then plays no part.
    let results = try batch([name, "L.sqlite"]).results()
    #expect(results[name]?.status == "skipped", "\(results)")
  }

  @Test func `A backup without its library is a library, and so is one that is named alone`() throws {
    _ = try folder.library("Gone.sqlite.v1-backup")
    _ = try folder.library("Other.sqlite")
    let results = try batch(["Gone.sqlite.v1-backup", "Other.sqlite"]).results()
    #expect(results["Gone.sqlite.v1-backup"]?.status == "migrated")
    let alone = try batch(["Other.sqlite.v1-backup"])
    #expect(alone.status == 0 && alone.stdout.contains(#""status":"migrated""#), "\(alone)")
    // The only name in the results is meant too.
    _ = try folder.library("Named.sqlite")
    try Files.write("no", to: folder.file("Named.sqlite.v1-backup"))
    #expect(try batch(["Named.sqlite.v1-backup", "--results", "r"]).status == 1)
    #expect(try batch(["--retry-failed", "r"]).stdout.contains(#""status":"failed""#))
  }

  @Test func `A library whose name is a link to its backup is migrated`() throws {
    _ = try folder.library("L.sqlite.v1-backup")
    try Files.link(folder.file("L.sqlite"), to: folder.file("L.sqlite.v1-backup"))
    _ = try folder.library("M.sqlite")
    #expect(try batch(["L.sqlite", "M.sqlite"]).results()["L.sqlite"]?.status == "migrated")
  }

  @Test func `A summary counts no skipped file as a library`() throws {
    _ = try folder.library("L.sqlite")
    #expect(try batch(["L.sqlite", "--results", "r"]).status == 0)
    #expect(try batch(["L.sqlite", "L.sqlite.v1-backup", "--results", "r"]).status == 0)
    let json = try successfully("batch", "summarize", folder.file("r"), "--format", "json").stdout
    let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    #expect(object["libraries_count"] as? Int == 1 && object["migrated_libraries_count"] as? Int == 1)
    #expect(object["skipped_files_count"] as? Int == 1)
    let metrics = try successfully("batch", "summarize", folder.file("r"), "--format", "prometheus").stdout
    #expect(metrics.contains(#"tracks_migrate_batch_libraries{status="skipped"} 1"#))
    #expect(!metrics.contains("v1-backup"))
  }

  @Test func `A batch that is piped asks for a line of each file`() throws {
    _ = try folder.library("L.sqlite")
    _ = try folder.library("L.sqlite.v1-backup")
    let result = try batch(["--pipe"], input: "L.sqlite.v1-backup\nL.sqlite\n")
    #expect(try BatchLine.all(result.stdout).map(\.status) == ["skipped", "migrated"], "\(result)")
  }
}

@Suite("Names in a batch that Unicode calls equal")
struct BatchSpellingTests {
  /// é as one character, and as two.
  private static let names = ["\u{E9}.sqlite", "e\u{301}.sqlite"]

  @Test func `Both of two libraries are migrated, retried and counted`() throws {
    let folder = try TemporaryFolder()
    for name in Self.names { try Files.write("no", to: folder.file(name)) }
    let words = Self.names + ["--results", "r", "--jobs", "2"]
    #expect(try CommandRunner(["batch"] + words, folder: folder.path).run().status == 1)
    for name in Self.names {
      try FileManager.default.removeItem(atPath: folder.file(name))
      _ = try folder.library(name)
    }
    let again = try CommandRunner(["batch", "--retry-failed", "r", "--results", "r"], folder: folder.path).run()
    #expect(again.status == 0 && again.stderr.contains("2 libraries: 2 migrated"), "\(again)")
    let json = try successfully("batch", "summarize", folder.file("r"), "--format", "json").stdout
    #expect(json.contains(#""libraries_count":2,"migrated_libraries_count":2"#), "\(json)")
  }

  @Test func `The names of a migration's two files are told apart`() throws {
    let folder = try TemporaryFolder()
    let library = try folder.library(Self.names[0])
    let result = try successfully(library, "--output", folder.file(Self.names[1]))
    #expect(result.stderr.contains(" to '"), "\(result)")
  }
}
