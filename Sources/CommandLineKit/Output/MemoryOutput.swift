/// Keeps what is written to it, for tests and for text that is needed as a whole.
public final class MemoryOutput: TextOutput {
  private var bytes: [UInt8] = []

  /// Creates an output that holds nothing yet.
  public init() {}

  /// Everything that was written so far.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Appends bytes that are UTF-8.
  public func write(utf8 bytes: [UInt8]) {
    self.bytes += bytes
  }

  /// Does nothing: nothing is held back.
  public func flush() {}
}
