import Foundation
import Synchronization

/// A folder of one test, which goes away with it.
final class TemporaryFolder: Sendable {
  /// The folder, with no symbolic link in its path.
  let path: String

  /// - Parameter isInMemory: Whether the folder may forget everything with the machine: much faster where a test makes
  ///   thousands of files safe.
  init(isInMemory: Bool = false) throws {
    let memory = "/dev/shm"
    let base = isInMemory && access(memory, W_OK) == 0 ? memory : NSTemporaryDirectory()
    var template = Array((base + "/tracks-migrate-test-XXXXXX").utf8CString)
    guard let name = mkdtemp(&template), let resolved = realpath(name, nil) else {
      throw SystemFailure(call: "mkdtemp")
    }
    path = String(cString: resolved)
    free(resolved)
    // Other users may look in: some tests run the command as one of them.
    chmod(path, 0o755)
    _ = Self.cleaning
    Self.folders.withLock { _ = $0.insert(path) }
  }

  deinit {
    Self.folders.withLock { _ = $0.remove(path) }
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

  /// The path of a file in the folder.
  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Makes a folder in this one.
  func folder(_ name: String) throws -> String {
    try FileManager.default.createDirectory(atPath: file(name), withIntermediateDirectories: false)
    return file(name)
  }

  /// Writes a file, and returns its path.
  @discardableResult
  func write(_ bytes: [UInt8], to name: String) throws -> String {
    try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
    return file(name)
  }

  /// The names of all files in it, hidden ones too.
  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  /// What is in it.
  func snapshot() throws -> FolderSnapshot { try FolderSnapshot(path) }
}

/// All bytes of a file.
func contents(of path: String) throws -> [UInt8] {
  Array(try Data(contentsOf: URL(fileURLWithPath: path)))
}

/// A file as text.
func text(of path: String) throws -> String {
  String(decoding: try contents(of: path), as: UTF8.self)
}
