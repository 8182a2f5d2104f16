import Foundation
import TestSupport
import Testing

@Suite("Shortages of system resources")
struct ShortageTests {
  private static let advice = "Allow more open files (ulimit -n) and run this again.\n"

  @Test(.enabled(if: !Sanitizer.isOn, "a sanitizer opens files of its own"), arguments: [5, 6, 7, 9])
  func `A limit on open files is handled`(limit: Int) throws {
    let folder = try TemporaryFolder(isInMemory: true)
    var builder = LibraryBuilder(tracks: .many(40))
    builder.writeAheadLogStart = 5
    let library = try folder.library("Library.sqlite", builder)
    let before = try folder.snapshot()
    let new = folder.file("New.sqlite")
    let result = try CommandRunner.shell(#"ulimit -n \#(limit); exec "$TOOL" "$1" --output "$2""#, library, new).run()
    #expect(result.status == 74, "\(result)")
    #expect(result.stderr.contains("' failed: Too many open files. "))
    #expect(result.stderr.hasSuffix(Self.advice))
    #expect(try folder.snapshot() == before)
  }

  @Test func `A disk without room for the log's index is reported as full`() throws {
    let folder = try TemporaryFolder()
    let disk = try folder.makeFolder("disk")
    guard let mount = try SmallDisk(at: disk) else { return }
    var builder = LibraryBuilder(tracks: .many(40))
    builder.writeAheadLogStart = 5
    try builder.write(to: disk + "/Library.sqlite")
    try mount.leaveFree(0)
    let result = try tracksMigrate("info", disk + "/Library.sqlite")
    #expect(result.status == 75, "\(result)")
    #expect(result.stderr.contains("there is no space left to write '\(disk)/Library.sqlite'"))
    #expect(!Files.exists(disk + "/Library.sqlite-shm"))
  }

  @Test(arguments: 1...8) func `A disk that becomes unreadable is not reported as a damaged library`(call: Int) throws {
    guard let injector = FaultInjector.shared else { return }
    let folder = try TemporaryFolder(isInMemory: true)
    let library = try folder.library("Library.sqlite", .many(400))
    let before = try folder.snapshot()
    var runner = CommandRunner([library, "--output", folder.file("New.sqlite")])
    runner.environment = injector.environment(
      root: folder.path, ["KINDS": "read", "CALL": "\(call * call)", "ACTION": "\(EIO)", "LASTING": "1"])
    let result = try runner.run()
    #expect(result.status == 74, "\(result)")
    #expect(result.stderr.contains("Check the disk and run this again."))
    #expect(try folder.snapshot() == before)
  }
}
