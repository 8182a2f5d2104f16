import Foundation
import TestSupport
import Testing

@Suite("A full disk")
struct DiskFullTests {
  @Test(arguments: [16, 64, 150])
  func `A full disk is reported, and nothing is changed or left behind`(freeKiB: Int) throws {
    let folder = try TemporaryFolder()
    let disk = try folder.makeFolder("disk")
    guard let mount = try SmallDisk(at: disk) else { return }
    try LibraryBuilder(tracks: .many(1500)).write(to: disk + "/Library.sqlite")
    try mount.leaveFree(freeKiB << 10)
    let before = try FolderSnapshot(disk)
    for more in [[], ["--output", disk + "/New.sqlite"]] {
      let result = try CommandRunner([disk + "/Library.sqlite", "--no-space-check"] + more).run()
      #expect(result.status == 75, "\(result)")
      #expect(result.stderr.contains("there is no space left to write '\(disk)/"))
      #expect(result.stderr.contains("Free some space and run this again."))
      #expect(try FolderSnapshot(disk) == before)
    }
    try mount.leaveFree(8 << 20)
    try successfully(disk + "/Library.sqlite")
    #expect(try Database.isWhole(disk + "/Library.sqlite"))
  }

  @Test(.enabled(if: !Sanitizer.isOn, "a sanitizer needs large files of its own"), arguments: [64, 128, 200])
  func `A file size limit is reported, and nothing is changed or left behind`(blocks: Int) throws {
    let folder = try TemporaryFolder()
    let library = try folder.library("Library.sqlite", .many(1500))
    let before = try folder.snapshot()
    let result = try CommandRunner.shell(#"ulimit -f \#(blocks); "$TOOL" "$1""#, library).run()
    #expect([74, 75].contains(result.status), "\(result)")
    #expect(result.stderr.hasPrefix("tracks-migrate: error: "))
    #expect(try folder.snapshot() == before)
  }

  @Test func `A rejects file that does not fit is reported`() throws {
    let folder = try TemporaryFolder()
    let disk = try folder.makeFolder("disk")
    guard let mount = try SmallDisk(at: disk) else { return }
    let junk = String(repeating: "x", count: 1000)
    let tracks = (1...400).map { TrackRow(title: "\($0)", artistName: "A", json: "{\(junk)") }
    try LibraryBuilder(tracks: tracks).write(to: disk + "/Library.sqlite")
    try mount.leaveFree(200 << 10)
    let before = try FolderSnapshot(disk)
    let result = try tracksMigrate(disk + "/Library.sqlite", "--no-space-check")
    #expect(result.status == 75, "\(result)")
    #expect(result.stderr.contains("'\(disk)/Library.sqlite'"))
    #expect(try FolderSnapshot(disk) == before)
  }
}

/// A small file system in memory, which only root can make.
final class SmallDisk {
  private let path: String
  private static let size = 16 << 20

  /// - Returns: `nil` if the file system cannot be made.
  init?(at path: String) throws {
    self.path = path
    guard geteuid() == 0, try Self.mount(["-t", "tmpfs", "-o", "size=\(Self.size)", "none", path]) else { return nil }
  }

  deinit {
    umount2(path, Int32(MNT_DETACH))
  }

  /// Fills the disk with another file, leaving this much space.
  func leaveFree(_ byteCount: Int) throws {
    unlink("\(path)/filler")
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { throw SystemFailure(call: "statvfs") }
    let free = Int(status.f_bavail) * Int(status.f_frsize)
    let filler = [UInt8](repeating: 0, count: max(0, free - byteCount))
    try Data(filler).write(to: URL(fileURLWithPath: "\(path)/filler"))
  }

  private static func mount(_ arguments: [String]) throws -> Bool {
    var runner = CommandRunner(arguments)
    runner.executable = "/usr/bin/mount"
    guard FileManager.default.isExecutableFile(atPath: runner.executable) else { return false }
    return try runner.run().status == 0
  }
}
