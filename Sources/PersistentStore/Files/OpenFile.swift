internal import Diagnostics
internal import SystemC

/// A file that is closed when this is released.
package final class OpenFile {
  let descriptor: Int32

  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// The status of the file, whatever its names lead to by now.
  var status: FileStatus? { FileStatus(descriptor: descriptor) }

  /// Copies the file's bytes to a new file, and makes sure that they are on the disk and the same.
  ///
  /// - Parameters:
  ///   - name: This file as the user named it, for messages.
  ///   - attributes: What it has besides its bytes.
  func copy(to path: String, named name: String, with attributes: FileAttributes) throws(MigrationError) {
    let destination = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard destination >= 0 else { throw FileSystem.failure(.cannotCreate, path) }
    defer { close(destination) }
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    var offset: off_t = 0
    while true {
      guard let count = Self.read(descriptor, &buffer, at: offset) else {
        throw FileSystem.failure(.inputOutput, name)
      }
      if count == 0 { break }
      try FileSystem.write(buffer, count: count, to: destination, named: path)
      offset += off_t(count)
    }
    try attributes.give(to: destination, named: path)
    // Last of all: the permissions would be lost in a power cut otherwise.
    guard fsync(destination) == 0 else { throw FileSystem.failure(.inputOutput, path) }
    guard hasSameBytes(as: path) else {
      throw MigrationError(.inputOutput, path: path, detail: "the copy differs from the library")
    }
  }

  /// Whether another file holds the same bytes.
  func hasSameBytes(as path: String) -> Bool {
    let other = openRegularFile(path, O_RDONLY)
    guard other >= 0 else { return false }
    defer { close(other) }
    var (bytes, otherBytes) = ([UInt8](repeating: 0, count: 1 << 20), [UInt8](repeating: 0, count: 1 << 20))
    var offset: off_t = 0
    while true {
      guard let count = Self.read(descriptor, &bytes, at: offset),
        let otherCount = Self.read(other, &otherBytes, at: offset), count == otherCount,
        bytes.prefix(count) == otherBytes.prefix(count)
      else { return false }
      if count == 0 { return true }
      offset += off_t(count)
    }
  }

  /// Fills a block as far as the file reaches; `nil` when it cannot be read.
  static func read(_ descriptor: Int32, _ bytes: inout [UInt8], at offset: off_t) -> Int? {
    var filled = 0
    while filled < bytes.count {
      let step = bytes.withUnsafeMutableBytes { buffer in
        pread(descriptor, buffer.baseAddress?.advanced(by: filled), buffer.count - filled, offset + off_t(filled))
      }
      if step < 0, errno == EINTR { continue }
      guard step >= 0 else { return nil }
      if step == 0 { break }
      filled += step
    }
    return filled
  }
}
