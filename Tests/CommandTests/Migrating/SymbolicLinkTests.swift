import Foundation
import TestSupport
import Testing

@Suite("A library behind a symbolic link")
struct SymbolicLinkTests {
  let folder: TemporaryFolder
  let target: String
  let link: String

  init() throws {
    folder = try TemporaryFolder()
    let inner = try folder.makeFolder("inner")
    target = "\(inner)/Real.sqlite"
    try LibraryBuilder().write(to: target)
    link = folder.file("Link.sqlite")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "inner/Real.sqlite")
  }

  @Test func `The link stays and its target is replaced`() throws {
    try successfully(link)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "inner/Real.sqlite")
    #expect(try Rows.migrated(target) == [TrackRow].fewMigrated)
    #expect(try folder.listing() == ["Link.sqlite", "inner"])
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.file("inner")).sorted() == [
        "Real.sqlite", "Real.sqlite.migration.json", "Real.sqlite.rejects.ndjson", "Real.sqlite.v1-backup",
      ])
  }

  @Test func `Statistics are found through the link`() throws {
    try successfully(link)
    #expect(try successfully("stats", link, "--format", "json").stdout.contains(#""fallback_tracks_count":2"#))
  }

  @Test func `The log beside the target is read, whatever the link's name is`() throws {
    let builder = LibraryBuilder(writeAheadLogStart: 2)
    try FileManager.default.removeItem(atPath: target)
    try builder.write(to: target)
    try successfully(link)
    #expect(try Rows.migrated(target) == [TrackRow].fewMigrated)
  }

  @Test func `A dangling link counts as a missing library`() throws {
    try FileManager.default.removeItem(atPath: target)
    let result = try tracksMigrate(link)
    #expect(result.status == 66)
    #expect(try folder.listing() == ["Link.sqlite", "inner"])
  }

  @Test func `A circular link is reported`() throws {
    let loop = folder.file("loop")
    try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: "loop")
    #expect(try tracksMigrate(loop).status == 66)
  }
}
