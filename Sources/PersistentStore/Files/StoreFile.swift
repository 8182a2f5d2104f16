public import Diagnostics
internal import SystemC

/// A store's file on disk, with the files that SQLite keeps beside it, before anything is read through SQLite.
public struct StoreFile: Sendable {
  /// The path as the user named it, for messages.
  public let path: String
  /// The file itself, with every symbolic link resolved.
  public let resolvedPath: String
  let status: FileStatus
  let header: DatabaseHeader

  /// Looks at a file.
  ///
  /// - Throws: `MigrationError` when there is none, or it cannot be a store.
  public init(_ path: String) throws(MigrationError) {
    guard let resolved = FileSystem.resolved(path), let status = FileStatus(resolved) else {
      throw errno == ENOENT || errno == ENOTDIR
        ? MigrationError(.missing, path: path) : FileSystem.failure(.unreadable, path)
    }
    // The file behind a redirected stream has another name, and was not given to be changed.
    guard !["/dev/stdin", "/dev/fd/", "/proc/"].contains(where: { path.hasPrefix($0) }) else {
      throw MigrationError(.notAFile, path: path)
    }
    switch status.kind {
    case .regular: break
    case .directory: throw MigrationError(.isDirectory, path: path)
    default: throw MigrationError(.notAFile, path: path)
    }
    let bytes = try Self.firstBytes(of: resolved, named: path, requiresLocks: true)
    guard let header = DatabaseHeader(bytes) else {
      throw MigrationError(.notADatabase, path: path, detail: bytes.isEmpty ? "it is empty" : nil)
    }
    self.path = path
    self.resolvedPath = resolved
    self.status = status
    self.header = header
  }

  /// The size of the file in bytes, without its write-ahead log.
  public var size: Int64 { status.size }

  /// The size of the write-ahead log in bytes: changes that are not yet in the file itself.
  ///
  /// 0 when there is none.
  public var writeAheadLogSize: Int64 { FileStatus(resolvedPath + "-wal")?.size ?? 0 }

  /// The size of the file and its write-ahead log in bytes, as far as that can be counted: both may be full of holes.
  var sizeWithLog: Int64 {
    let (sum, overflow) = size.addingReportingOverflow(writeAheadLogSize)
    return overflow ? .max : sum
  }

  /// Whether there is a write-ahead log, be it an empty one.
  ///
  /// It is another program's then, and not ours to remove.
  var hasWriteAheadLog: Bool { FileSystem.exists(resolvedPath + "-wal") }

  /// Whether there is a rollback journal that may belong to an unfinished transaction.
  ///
  /// SQLite clears the first byte of a journal that it keeps after a transaction (`journal_mode=PERSIST`).
  /// One that cannot be read may.
  var hasHotJournal: Bool { (try? mayHaveHotJournal()) ?? true }

  /// The same, where a wrong answer would be told.
  ///
  /// - Throws: `MigrationError` when nobody can tell.
  func mayHaveHotJournal() throws(MigrationError) -> Bool {
    let journal = resolvedPath + "-journal"
    guard try FileSystem.isThere(journal), let status = FileStatus(journal), status.kind == .regular, status.size > 0
    else { return false }
    return try Self.firstBytes(of: journal, named: path).first != 0
  }

  /// Whether the file keeps its changes in a write-ahead log.
  public var usesWriteAheadLog: Bool { header.usesWriteAheadLog || writeAheadLogSize > 0 }

  private static func firstBytes(
    of resolved: String, named path: String, requiresLocks: Bool = false
  ) throws(MigrationError) -> [UInt8] {
    let descriptor = try FileSystem.openFile(resolved, O_RDONLY, orThrow: .unreadable, path)
    defer { close(descriptor) }
    if requiresLocks { try FileSystem.requireLocks(descriptor, named: path) }
    var bytes = [UInt8](repeating: 0, count: 100)
    guard let count = FileSystem.read(descriptor, into: &bytes) else { throw FileSystem.failure(.unreadable, path) }
    return Array(bytes.prefix(count))
  }
}
