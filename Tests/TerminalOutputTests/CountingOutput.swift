import TerminalOutput

/// An output that counts bytes and lines and discards them.
final class CountingOutput: TextOutput {
  private(set) var bytes = 0
  private(set) var lines = 0
  private(set) var flushes = 0

  func write(utf8 bytes: [UInt8]) {
    self.bytes += bytes.count
    if bytes.last == UInt8(ascii: "\n") { lines += 1 }
  }

  func flush() { flushes += 1 }
}
