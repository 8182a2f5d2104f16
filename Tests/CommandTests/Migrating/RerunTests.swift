import Foundation
import TestSupport
import Testing

@Suite("A library that is current already")
struct RerunTests {
  let folder: TemporaryFolder
  let library: String

  init() throws {
    folder = try TemporaryFolder()
    library = try folder.library()
    try successfully(library)
  }

  @Test(arguments: [[], ["--strict"], ["--no-backup"], ["--identity", "id"], ["--verbose"]])
  func `is left alone, bytes and times`(options: [String]) throws {
    let before = try folder.snapshot()
    let result = try CommandRunner([library] + options).run()
    #expect(result.status == 0)
    #expect(result.stdout == "")
    #expect(result.stderr.contains("'\(library)' is a v2 library already; nothing to do.\n"))
    #expect(try folder.snapshot() == before)
  }

  @Test func `is not worth a word to the quiet`() throws {
    let result = try successfully(library, "--quiet")
    #expect(result.stderr == "")
  }

  @Test func `is left alone in a write-ahead log too`() throws {
    try Database.run("PRAGMA journal_mode = WAL", in: library)
    let before = try folder.snapshot()
    try successfully(library)
    #expect(try folder.snapshot() == before)
  }

  @Test func `is left alone with an output, which is not made`() throws {
    let before = try folder.snapshot()
    let result = try successfully(library, "--output", folder.file("New.sqlite"))
    #expect(result.stderr.contains("already"))
    #expect(try folder.snapshot() == before)
  }
}
