/// Takes text, in order, towards a stream.
///
/// Writing can fail: see ``BrokenPipe`` and ``OutputError``.
public protocol TextOutput: AnyObject {
  /// Appends bytes that are UTF-8.
  func write(utf8 bytes: [UInt8]) throws

  /// Appends text.
  func write(_ text: String) throws

  /// Hands on everything that was written so far.
  func flush() throws
}

extension TextOutput {
  /// Appends text.
  public func write(_ text: String) throws {
    try write(utf8: Array(text.utf8))
  }

  /// Appends text and a line feed.
  public func writeLine(_ text: String = "") throws {
    try write(text)
    try write("\n")
  }
}
