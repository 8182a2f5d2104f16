extension JSONStreamParser {
  /// Reads one whole document from an array.
  ///
  /// - Parameter document: The bytes.
  /// - Throws: ``JSONStreamError`` for the first byte that does not fit.
  public func parse(_ document: [UInt8]) throws(JSONStreamError) {
    try document.withUnsafeBufferPointer { (bytes) throws(JSONStreamError) in
      try parse(UnsafeRawBufferPointer(bytes))
    }
  }

  /// Reads one whole document from a string.
  ///
  /// - Parameter document: The text.
  /// - Throws: ``JSONStreamError`` for the first byte that does not fit; its offset counts UTF-8 bytes.
  public func parse(_ document: String) throws(JSONStreamError) {
    try parse(Array(document.utf8))
  }

  /// Reads the next piece of a document from an array.
  ///
  /// - Parameter chunk: The bytes.
  /// - Throws: ``JSONStreamError`` for the first byte that does not fit; then again for every call until ``begin()``.
  public func append(_ chunk: [UInt8]) throws(JSONStreamError) {
    try chunk.withUnsafeBufferPointer { (bytes) throws(JSONStreamError) in
      try append(UnsafeRawBufferPointer(bytes))
    }
  }
}
