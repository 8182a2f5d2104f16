internal import Foundation
internal import Synchronization

/// A private folder that is removed, with all that is in it, when it is released.
///
/// Keep it in a stored property of the suite: it has to outlive the test.
public final class TemporaryFolder: Sendable {
  /// The folder, with every symbolic link resolved.
  public let path: String

  /// Makes a folder that everybody may look into: some tests run the command as another user.
  ///
  /// - Parameter isInMemory: Whether the folder may forget everything with the machine: much faster where a test makes
  ///   thousands of files safe.
  public init(isInMemory: Bool = false) throws {
    let memory = "/dev/shm"
    let base =
      isInMemory && FileManager.default.isWritableFile(atPath: memory)
      ? URL(filePath: memory) : FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
    let url = base.appending(path: "tracks-migrate-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
    path = url.path(percentEncoded: false)
    _ = Self.cleaning
    Self.folders.withLock { _ = $0.insert(path) }
  }

  deinit {
    Self.folders.withLock { _ = $0.remove(path) }
    // A test may have taken away the right to write.
    setPermissions(0o755)
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The folders that are in use.
  ///
  /// Those that many tests share live until the process ends, and are removed then.
  private static let folders = Mutex<Set<String>>([])

  private static let cleaning: Void = {
    atexit {
      for path in TemporaryFolder.folders.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: path) }
    }
  }()

  /// The path of a file in the folder, whether it is there or not.
  public func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Makes a folder in this one, and gives its path.
  public func makeFolder(_ name: String) throws -> String {
    try FileManager.default.createDirectory(atPath: file(name), withIntermediateDirectories: true)
    return file(name)
  }

  /// Writes a file, and gives its path.
  @discardableResult
  public func write(_ bytes: [UInt8], to name: String) throws -> String {
    try Files.write(bytes, to: file(name))
    return file(name)
  }

  /// Sets who may read and write the folder.
  public func setPermissions(_ mode: Int) {
    try? FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  /// The names in the folder, sorted, hidden ones included.
  public func listing() throws -> [String] { try Files.listing(path) }

  /// What is in the folder: two snapshots that are equal tell that nothing has changed.
  public func snapshot() throws -> FolderSnapshot { try FolderSnapshot(path) }
}
