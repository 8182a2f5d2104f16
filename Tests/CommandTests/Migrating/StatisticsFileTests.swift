import Foundation
import TestSupport
import Testing

@Suite("The statistics file")
struct StatisticsFileTests {
  let folder: TemporaryFolder
  let report: [String: Any]
  let library: String

  init() throws {
    folder = try TemporaryFolder()
    library = try folder.library()
    try successfully(library)
    let json = try JSONSerialization.jsonObject(with: Data(Files.bytes(library + ".migration.json")))
    report = try #require(json as? [String: Any])
  }

  @Test(arguments: [
    ("format_version", 1), ("tracks_count", 5), ("artists_count", 3), ("links_count", 6), ("fallback_tracks_count", 2),
    ("tracks_without_artist_count", 0), ("nameless_artists_count", 0), ("duplicate_keys_count", 0),
    ("name_conflicts_count", 0), ("id_conflicts_count", 0), ("rejects_count", 1),
  ])
  func `The counts are correct`(key: String, value: Int) {
    #expect(report[key] as? Int == value)
  }

  @Test(arguments: [".Library.sqlite.tracks-migrate", ".Library.sqlite.tracks-migrate.rejects"])
  func `The statistics cannot have the name of a temporary file`(name: String) throws {
    let folder = try TemporaryFolder()
    let library = try folder.library()
    let before = try folder.snapshot()
    let result = try tracksMigrate(library, "--no-backup", "--stats", folder.file(name))
    #expect(result.status == 73)
    #expect(try folder.snapshot() == before)
  }

  @Test(arguments: [
    ("-wal", "the write-ahead log of"), ("-shm", "the index of the write-ahead log of"),
    ("-journal", "the rollback journal of"), (".v1-backup", "a backup of"), ("", "the library"),
  ])
  func `The statistics cannot have the name of one of the library's files`(suffix: String, part: String) throws {
    let folder = try TemporaryFolder()
    let library = try folder.library()
    let before = try folder.snapshot()
    for (option, command) in [("--stats", []), ("--output", ["stats"])] {
      let result = try CommandRunner(command + [library, option, library + suffix]).run()
      #expect(result.status == 73)
      #expect(
        result.stderr == "tracks-migrate: error: '\(library)\(suffix)' cannot be created: '\(option)' would replace "
          + "\(part) '\(library)'. Nothing was changed. Name another file.\n")
    }
    #expect(try folder.snapshot() == before)
  }

  @Test func `The statistics cannot replace a hard link of the library or another database`() throws {
    let store = try SampleStore("Notes")
    let (other, backup) = (store.folder.file("Other"), store.folder.file("App.sqlite.Notes-backup"))
    try FileManager.default.copyItem(atPath: store.path, toPath: backup)
    try FileManager.default.linkItem(atPath: store.path, toPath: other)
    let library = try store.folder.library()
    let second = store.folder.file("Second")
    try FileManager.default.linkItem(atPath: library, toPath: second)
    for (arguments, reason) in [
      ([store.path, "--model", store.model, "--stats", other], "'--stats' would replace the library '\(store.path)'"),
      ([library, "--stats", second], "'--stats' would replace the library '\(library)'"),
      (["stats", library, "--output", second], "'--output' would replace the library '\(library)'"),
      ([store.path, "--model", store.model, "--stats", backup], "'--stats' would replace a backup of '\(store.path)'"),
      ([library, "--stats", backup], "there is a SQLite database of this name"),
    ] {
      let before = try store.folder.snapshot()
      let result = try CommandRunner(arguments).run()
      #expect(result.status == 73, "\(result)")
      #expect(result.stderr.hasSuffix(" cannot be created: \(reason). Nothing was changed. Name another file.\n"))
      #expect(try store.folder.snapshot() == before)
    }
  }

  @Test func `Statistics and rejects have the library's permissions`() throws {
    let folder = try TemporaryFolder()
    let library = try folder.library()
    chmod(library, 0o640)
    try successfully(library)
    for suffix in ["", ".migration.json", ".rejects.ndjson"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: library + suffix)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o640, "\(suffix)")
    }
  }

  @Test func `Fallbacks are counted by reason`() {
    #expect(report["fallback_tracks_count_by_reason"] as? [String: Int] == ["no_json": 1, "json_truncated": 1])
  }

  @Test(arguments: [
    ("source_version", "v1"), ("destination_version", "v2"), ("identity", "name"),
    ("rejects_file", "Library.sqlite.rejects.ndjson"), ("backup_file", "Library.sqlite.v1-backup"),
  ])
  func `The names are correct`(key: String, value: String) {
    #expect(report[key] as? String == value)
  }

  @Test func `The sizes are those of the files`() throws {
    #expect(report["source_size_bytes"] as? Int == (try Files.bytes(library + ".v1-backup").count))
    #expect(report["destination_size_bytes"] as? Int == (try Files.bytes(library).count))
  }

  @Test func `The measurements are plausible`() throws {
    let seconds = try #require(report["elapsed_seconds"] as? Double)
    #expect(seconds > 0 && seconds < 60)
    #expect(try #require(report["tracks_per_second"] as? Double) > 0)
    #expect(try #require(report["peak_memory_bytes"] as? Int) > 1 << 20)
    let phases = try #require(report["phases"] as? [[String: Any]])
    #expect(phases.map { $0["name"] as? String } == ["prepare", "migrate"])
    #expect(phases.compactMap { $0["seconds"] as? Double }.reduce(0, +) <= seconds)
  }

  @Test func `Statistics that are a symbolic link are named as one, with the way out`() throws {
    let (file, other) = (library + ".migration.json", folder.file("elsewhere.json"))
    try FileManager.default.moveItem(atPath: file, toPath: other)
    try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: other)
    for command in [["verify", library], ["report", library, "--output", folder.file("r.html")]] {
      let result = try CommandRunner(command).run()
      #expect(result.stderr.contains("it is a symbolic link"), "\(result)")
      let advice = try #require(result.stderr.range(of: "cp -L .*", options: .regularExpression))
      #expect(!result.stderr.contains("Check its permissions"), "\(result)")
      #expect(result.status == (command[0] == "verify" ? 66 : 0))
      guard command[0] == "report" else { continue }
      // The way out is one.
      let way = String(result.stderr[advice]).trimmingCharacters(in: .whitespacesAndNewlines)
      #expect(try CommandRunner.shell(way, in: folder.path).run().status == 0, "\(way)")
      #expect(try CommandRunner(["verify", library]).run().status == 0)
    }
  }

  @Test(arguments: [
    ("ln -s other", "cannot be read: it is a symbolic link."), ("mkfifo", "cannot be read: it is not a regular file."),
    (":", "there is no file"),
  ])
  func `A page says that the rejects cannot be shown`(making: String, problem: String) throws {
    let rejects = library + ".rejects.ndjson"
    Files.remove(rejects)
    try folder.write(Array(#"{"reason":"secret"}"#.utf8), to: "other")
    #expect(try CommandRunner.shell("\(making) \"$1\"", rejects, in: folder.path).run().status == 0)
    let page = try successfully("report", library, "--output", "-").stdout
    #expect(page.contains("document was kept, but ") && page.contains(problem) && !page.contains("secret"))
  }
}
