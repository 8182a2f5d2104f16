internal import Diagnostics
internal import PersistentStore
internal import SystemC

/// A file whose bytes are read and changed past SQLite.
final class SampleFile {
  private let path: String
  private let descriptor: Int32

  /// Opens a file to read it.
  convenience init(reading path: String) throws(MigrationError) {
    self.init(path, try FileSystem.openFile(path, O_RDONLY, orThrow: .cannotCreate))
  }

  /// Opens a file to change it.
  convenience init(updating path: String) throws(MigrationError) {
    self.init(path, try FileSystem.openFile(path, O_RDWR, orThrow: .cannotCreate))
  }

  /// Creates a file, in the place of what a dead run has left there.
  convenience init(creating path: String) throws(MigrationError) {
    self.init(path, try FileSystem.createFile(path, mode: 0o644))
  }

  private init(_ path: String, _ descriptor: Int32) {
    (self.path, self.descriptor) = (path, descriptor)
  }

  deinit {
    close(descriptor)
  }

  /// The size in bytes.
  var size: Int64 { FileStatus(descriptor: descriptor)?.size ?? 0 }

  /// Reads bytes at an offset, fewer where the file ends.
  func read(_ count: Int, at offset: Int64) throws(MigrationError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let length = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
    guard length >= 0 else { throw FileSystem.failure(.inputOutput, path) }
    bytes.removeSubrange(length...)
    return bytes
  }

  /// Writes bytes at the end of what was written so far, from the beginning of the file on.
  func write(_ bytes: [UInt8]) throws(MigrationError) {
    try FileSystem.write(bytes, count: bytes.count, to: descriptor, named: path)
  }

  /// Lets everybody read the file, as with other new files.
  ///
  /// Staging files are private, for they hold people's data.
  func becomeReadableByOthers() throws(MigrationError) {
    guard fchmod(descriptor, 0o644) == 0 else { throw FileSystem.failure(.cannotCreate, path) }
  }
}
