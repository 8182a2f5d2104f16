import Foundation

/// A small file system in memory, for tests that run as root on Linux.
public final class SmallDisk {
  private struct NotMounted: Error {}

  private let folder: TemporaryFolder
  /// Where it is mounted.
  public let path: String

  /// Whether this process may mount file systems.
  public static let isPossible = (try? SmallDisk(kibibytes: 64)) != nil

  /// Mounts an empty file system.
  public init(kibibytes: Int) throws {
    folder = try TemporaryFolder()
    path = try folder.makeFolder("disk")
    try Self.run(["mount", "-t", "tmpfs", "-o", "size=\(kibibytes)k", "tmpfs", path])
  }

  deinit { try? Self.run(["umount", path]) }

  private static func run(_ words: [String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw NotMounted() }
  }
}
