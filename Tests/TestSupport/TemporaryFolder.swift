internal import Foundation

/// A private folder that is removed, with all that is in it, when it is released.
///
/// Keep it in a stored property of the suite: it has to outlive the test.
public final class TemporaryFolder {
  /// The folder, with every symbolic link resolved.
  public let path: String

  /// Makes a folder that everybody may look into.
  public init() throws {
    let base = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
    let url = base.appending(path: "tracks-migrate-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
    path = url.path(percentEncoded: false)
  }

  deinit {
    // A test may have taken away the right to write.
    setPermissions(0o755)
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The path of a file in the folder, whether it is there or not.
  public func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Makes a folder in this one, and gives its path.
  public func makeFolder(_ name: String) throws -> String {
    try FileManager.default.createDirectory(atPath: file(name), withIntermediateDirectories: true)
    return file(name)
  }

  /// Sets who may read and write the folder.
  public func setPermissions(_ mode: Int) {
    try? FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  /// The names in the folder, sorted, hidden ones included.
  public func listing() throws -> [String] { try Files.listing(path) }

  /// The names in the folder and the bytes of every file: two that are equal tell that nothing has changed.
  public func snapshot() throws -> FolderSnapshot { try FolderSnapshot(path) }
}
