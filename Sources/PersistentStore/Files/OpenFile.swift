internal import SystemC

/// A file that is closed when this is released.
package final class OpenFile {
  private let descriptor: Int32

  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// Whether another file holds the same bytes.
  ///
  /// This file is not opened a second time, for closing it again would end the locks that this process has on it.
  func hasSameBytes(as path: String) -> Bool {
    let other = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
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
  private static func read(_ descriptor: Int32, _ bytes: inout [UInt8], at offset: off_t) -> Int? {
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
