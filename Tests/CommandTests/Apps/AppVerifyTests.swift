import Foundation
import TestSupport
import Testing

@Suite("An app's store that is verified")
struct AppVerifyTests {
  @Test(arguments: [("Books", 1), ("Notes", 1), ("Notes", 2), ("Tracks", 1)])
  func `is as it has to be, of each example, before it appears and afterwards`(example: String, version: Int) throws {
    let store = try SampleStore(example, version: version)
    let new = store.folder.file("New.sqlite")
    let migrated = try store.migrate("--verify", "--output", new)
    let verified = try #require(migrated.stderr.split(separator: "\n").first { $0.hasPrefix("Verified: ") })
    // What a policy makes is named.
    #expect(verified.hasSuffix(", as far as the mapping models tell."))
    #expect(migrated.stderr.contains("\nNot judged: "))
    let before = try store.folder.snapshot()
    let result = try successfully("verify", new, "--source", store.path, "--model", store.model)
    #expect(result.stdout == "")
    let figures = verified.dropFirst("Verified: ".count)
    #expect(result.stderr.hasPrefix("'\(new)' matches '\(store.path)': \(figures)\nNot judged: "))
    #expect(try store.folder.snapshot() == before)
  }

  @Test func `is migrated to a temporary file and verified by a dry run`() throws {
    let store = try SampleStore("Notes", version: 2)
    let before = try store.folder.snapshot()
    let plan = try store.run("--dry-run", "--to", "Notes 3").stdout
    let verified = try store.run("--dry-run", "--verify", "--to", "Notes 3").stdout
    #expect(verified == plan + "Verified: 109 rows and 49 links.\n")
    #expect(try store.run("--dry-run", "--verify", "--strict", "--to", "Notes 3").stdout == verified)
    #expect(try store.folder.snapshot() == before)
  }

  @Test func `differs after a change, which is told and exits with 3`() throws {
    let store = try SampleStore("Notes", version: 2)
    let new = store.folder.file("New.sqlite")
    try store.migrate("--verify", "--output", new, "--to", "Notes 3", "--quiet")
    let arguments = ["verify", new, "--source", store.path, "--model", store.model, "--to", "Notes 3"]
    #expect(try CommandRunner(arguments).run().stderr.hasSuffix(": 109 rows and 49 links.\n"))
    try Database.run(
      "UPDATE ZNOTE SET ZTITLE = 'It''s' WHERE Z_PK = 4; UPDATE ZATTACHMENT SET ZNOTE = NULL WHERE Z_PK = 2", in: new)
    let result = try CommandRunner(arguments + ["--format", "ndjson"]).run()
    #expect(result.status == 3)
    let kinds = try result.lines.map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])["kind"] as? String
    }
    #expect(kinds == ["value", "missing-link"])
    #expect(result.stderr.hasSuffix(": 2 differences (1 missing-link, 1 value).\n"))
    // Another version is wanted than the one that the store has.
    #expect(try CommandRunner(arguments.dropLast(2) + ["--quiet"]).run().status == 3)
    let current = try CommandRunner(["verify", new, "--source", new] + arguments.dropFirst(4)).run()
    #expect(current.status == 64 && current.stderr.contains("has the version 'Notes 3' already"))
  }

  @Test func `is compared with the backup of its migration, and not with one of a repair`() throws {
    let store = try SampleStore("Notes", version: 2)
    try store.migrate("--quiet")
    let backup = store.path + ".Notes-2-backup"
    try Database.run("UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'Note'", in: store.path)
    try successfully("doctor", store.path, "--model", store.model, "--repair")
    #expect(Files.exists(store.path + ".unrepaired-backup"))
    let result = try successfully("verify", store.path, "--model", store.model)
    #expect(result.stderr.hasPrefix("'\(store.path)' matches '\(backup)': "), "\(result)")
    Files.remove(backup)
    let refused = try CommandRunner(["verify", store.path, "--model", store.model]).run()
    #expect(refused.status == 66 && refused.stderr.contains("Name the old store with --source."), "\(refused)")
  }

  @Test func `is named as not migrated where it still has the old version`() throws {
    let store = try SampleStore("Notes", version: 2)
    let result = try CommandRunner(["verify", store.path, "--source", store.path, "--model", store.model]).run()
    #expect(result.status == 65 && result.stdout == "")
    #expect(result.stderr.contains("'\(store.path)' is still a Notes 2 library. Migrate it first"))
  }
}
