import Foundation
import TestSupport
import Testing

@Suite("A library with other hard links")
struct HardLinkTests {
  let folder: TemporaryFolder
  let library: String
  let rows: [String]

  init() throws {
    folder = try TemporaryFolder(isInMemory: true)
    library = try folder.library()
    rows = try Rows.original(library)
    for name in ["Second.sqlite", "Third ü.sqlite"] {
      try FileManager.default.linkItem(atPath: library, toPath: folder.file(name))
    }
  }

  private func count(_ report: String) throws -> Int? {
    let json = try JSONSerialization.jsonObject(with: Data(Files.bytes(report)))
    return try #require(json as? [String: Any])["other_names_count"] as? Int
  }

  @Test(arguments: [[], ["--no-backup"]])
  func `Other hard links keep the old library and are reported`(options: [String]) throws {
    let result = try CommandRunner([library] + options).run()
    #expect(result.status == 0)
    #expect(result.stderr.contains("Other names: 2 (hard links), which still lead to the old library\n"))
    #expect(try Rows.migrated(library) == [TrackRow].fewMigrated)
    #expect(try Rows.original(folder.file("Second.sqlite")) == rows)
    #expect(try Rows.original(folder.file("Third ü.sqlite")) == rows)
    #expect(try count(library + ".migration.json") == 2)
  }

  @Test func `A backup made by a stopped run is not counted as a hard link`() throws {
    try FileManager.default.linkItem(atPath: library, toPath: library + ".v1-backup")
    try successfully(library)
    #expect(try count(library + ".migration.json") == 2)
    #expect(try folder.listing().filter { $0.contains("backup") } == ["Library.sqlite.v1-backup"])
  }

  @Test func `A dry run reports hard links too`() throws {
    let result = try successfully(library, "--dry-run", "--stats", folder.file("s.json"))
    #expect(result.stdout.contains("Other names: 2 (hard links), which would still lead to the old library\n"))
    #expect(try count(folder.file("s.json")) == 2)
  }

  @Test func `A run with an output reports no hard links`() throws {
    let result = try successfully(library, "--output", folder.file("New.sqlite"))
    #expect(!result.stderr.contains("Other names"))
    #expect(try count(folder.file("New.sqlite.migration.json")) == nil)
  }

  @Test func `Hard links of an app's store are reported too`() throws {
    let store = try SampleStore("Notes")
    try FileManager.default.linkItem(atPath: store.path, toPath: store.folder.file("Second"))
    let plan = try store.run("--dry-run")
    #expect(plan.stdout.contains("Other names: 1 (hard links), which would still lead to the old store\n"))
    let stats = store.folder.file("stats.json")
    let text = try store.migrate("--stats", stats).stderr
    #expect(text.contains("Other names: 1 (hard links), which still lead to the old store\n"))
    #expect(try count(stats) == 1)
  }

  @Test func `A restoration reports the hard links of the replaced library`() throws {
    try successfully(library)
    for name in ["New 1", "New 2", "New 3"] {
      try FileManager.default.linkItem(atPath: library, toPath: folder.file(name))
    }
    let plan = try successfully("restore", library, "--dry-run")
    #expect(plan.stdout.contains("Other names: 3 (hard links), which would still lead to what was replaced\n"))
    let result = try successfully("restore", library)
    #expect(result.stderr.contains("Other names: 3 (hard links), which still lead to what was replaced\n"))
    #expect(try Rows.original(library) == rows)
    #expect(try Rows.migrated(folder.file("New 2")) == [TrackRow].fewMigrated)
  }
}
