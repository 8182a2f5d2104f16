import Foundation
import Samples
import TestSupport

/// A small file system in memory, for tests that run as root on Linux.
final class SmallDisk {
  private struct NotMounted: Error {}

  private let folder: TemporaryFolder
  let path: String

  /// Whether this process may mount file systems.
  static let isPossible = (try? SmallDisk(kibibytes: 64)) != nil

  init(kibibytes: Int) throws {
    folder = try TemporaryFolder()
    path = try folder.makeFolder("disk")
    guard let mount = Program.find("mount") else { throw NotMounted() }
    try Self.run(mount, ["-t", "tmpfs", "-o", "size=\(kibibytes)k", "tmpfs", path])
  }

  deinit {
    if let umount = Program.find("umount") { try? Self.run(umount, [path]) }
  }

  private static func run(_ program: String, _ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw NotMounted() }
  }
}
