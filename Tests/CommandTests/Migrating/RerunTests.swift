import Foundation
import TestSupport
import Testing

@Suite("A library that is already current")
struct RerunTests {
  let folder: TemporaryFolder
  let library: String

  init() throws {
    folder = try TemporaryFolder()
    library = try folder.library()
    try successfully(library)
  }

  @Test(arguments: [[], ["--strict"], ["--no-backup"], ["--identity", "id"], ["--verbose"]])
  func `A current library is left alone down to its bytes and times`(options: [String]) throws {
    let before = try folder.snapshot()
    let result = try CommandRunner([library] + options).run()
    #expect(result.status == 0)
    #expect(result.stdout == "")
    #expect(result.stderr.contains("'\(library)' is a v2 library already; nothing to do.\n"))
    #expect(try folder.snapshot() == before)
  }

  @Test func `A quiet run says nothing about a current library`() throws {
    let result = try successfully(library, "--quiet")
    #expect(result.stderr == "")
  }

  @Test func `A current library in write-ahead log mode is left alone too`() throws {
    try Database.run("PRAGMA journal_mode = WAL", in: library)
    let before = try folder.snapshot()
    try successfully(library)
    #expect(try folder.snapshot() == before)
  }

  @Test func `A current library is left alone and no output is made`() throws {
    let before = try folder.snapshot()
    let result = try successfully(library, "--output", folder.file("New.sqlite"))
    #expect(result.stderr.contains("already"))
    #expect(try folder.snapshot() == before)
  }
}
