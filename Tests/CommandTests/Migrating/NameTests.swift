import Foundation
import TestSupport
import Testing

@Suite("Names of libraries")
struct NameTests {
  static let names = [
    "with space.sqlite", "it's.sqlite", "\"quoted\".sqlite", "100%.sqlite", "a%20b.sqlite", "what?mode=rwc.sqlite",
    "hash#tag.sqlite", "line\nbreak.sqlite", "tab\t.sqlite", "-dash.sqlite", "--output.sqlite", "file:x.sqlite",
    "ünïcödé 🎵.sqlite", "semi;colon & more.sqlite", "$HOME `x`.sqlite", "back\\slash.sqlite", "plain", ".hidden",
    "esc\u{1B}[2J.sqlite",
  ]

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: names)
  func `A library can have any name`(name: String) throws {
    let library = try folder.library(name)
    try CommandRunner(["--", name], folder: folder.path).run().expectSuccess()
    #expect(try Rows.migrated(library) == [TrackRow].fewMigrated)
    #expect(
      try folder.listing() == ["", ".migration.json", ".rejects.ndjson", ".v1-backup"].map { name + $0 }.sorted())
    let query = try CommandRunner(["artists", "--format", "csv", "--", name], folder: folder.path).run()
    #expect(query.lines.count == 4)
    #expect(try CommandRunner(["stats", "--", name], folder: folder.path).run().status == 0)
    #expect(try CommandRunner(["info", "--", name], folder: folder.path).run().status == 0)
  }

  @Test(arguments: names)
  func `An output can have any name`(name: String) throws {
    let library = try folder.library("source.db")
    try CommandRunner(["--output=\(name)", library], folder: folder.path).run().expectSuccess()
    #expect(try Rows.migrated(folder.file(name)) == [TrackRow].fewMigrated)
    #expect(
      try folder.listing() == (["source.db"] + ["", ".migration.json", ".rejects.ndjson"].map { name + $0 }).sorted())
  }

  @Test(arguments: ["line\nbreak.sqlite", "esc\u{1B}[2J.sqlite"])
  func `A name cannot control the terminal`(name: String) throws {
    _ = try folder.library(name)
    let result = try CommandRunner(["--verbose", "--", name], folder: folder.path).run()
    #expect(!result.stderr.contains("\u{1B}"))
    #expect(!result.stderr.contains("line\nbreak"))
    let missing = try CommandRunner(["--", "no" + name], folder: folder.path).run()
    #expect(missing.status == 66)
    #expect(!missing.stderr.contains("\u{1B}"))
    #expect(!missing.stderr.contains("line\nbreak"))
  }

  @Test func `A name without a folder refers to the working folder`() throws {
    _ = try folder.library()
    let result = try tracksMigrate("Library.sqlite", in: folder.path)
    #expect(result.status == 0)
    #expect(result.stderr.contains("Migrated 'Library.sqlite' from v1 to v2"))
  }

  @Test func `A name that leaves no room for the suffixes of its companion files is reported`() throws {
    let library = try folder.library(String(repeating: "n", count: 240))
    let before = try folder.snapshot()
    let result = try tracksMigrate(library)
    #expect(result.status == 73)
    #expect(result.stderr.contains("File name too long"))
    #expect(try folder.snapshot() == before)
  }
}

extension CommandResult {
  /// Records an issue unless the process exited with status 0.
  func expectSuccess(sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(status == 0, "\(self)", sourceLocation: sourceLocation)
  }
}
