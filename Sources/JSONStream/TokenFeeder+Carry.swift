extension TokenFeeder {
  /// A piece and how far it has been read.
  struct Cursor {
    let piece: UnsafeRawBufferPointer
    /// Where in the document the piece begins.
    let base: Int
    /// The next byte to look at.
    var index = 0
    /// The first byte that neither yajl nor the carry has.
    var unfed = 0

    /// Where in the document the next byte is.
    var offset: Int { base + index }

    /// The bytes from the first that is unfed.
    func bytes(upTo end: Int) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: piece[unfed..<end]) }
  }

  /// Ends the current token before the cursor, and feeds it if an earlier piece held its beginning.
  mutating func endToken(_ cursor: inout Cursor) throws(JSONStreamError) {
    if !carry.isEmpty {
      carry.append(contentsOf: cursor.bytes(upTo: cursor.index))
      // So that yajl knows it, too, for a number; the blank stands where the terminator does, in case of an error.
      if case .scalar = place { carry.append(Byte.space) }
      try feedCarry()
      carry.removeAll(keepingCapacity: true)
      cursor.unfed = cursor.index
    }
    place = .between
  }

  /// Feeds what is whole before the cursor, and keeps what there is of the current token.
  mutating func hold(_ cursor: Cursor) throws(JSONStreamError) {
    var cursor = cursor
    switch place {
    case .between: try feed(&cursor, upTo: cursor.index)
    case .scalar, .string:
      if carry.isEmpty {
        try feed(&cursor, upTo: tokenStart - cursor.base)
        // Whatever the token is, it is one too many.
        if yajl.isComplete { throw JSONStreamError(.trailingBytes, byteOffset: tokenStart) }
      }
      carry.append(contentsOf: cursor.bytes(upTo: cursor.index))
    case .remainder: break
    }
  }

  /// Feeds the first bytes of the current string as if it were whole, and has the rest checked but not fed.
  ///
  /// - Parameter excess: The index of the first byte beyond the limit.
  mutating func cutString(_ cursor: inout Cursor, excess: Int) throws(JSONStreamError) {
    cursor.index = excess + 1
    try hold(cursor)
    cursor.unfed = cursor.index

    let rest = carry.withUnsafeBytes { bytes in
      1 + ByteScreen.boundary(in: UnsafeRawBufferPointer(rebasing: bytes[1...]), atMost: limit)
    }
    let unseen = Array(carry[rest...])
    carry.removeLast(unseen.count)
    carry.append(Byte.quote)
    yajl.isTruncating = true
    defer { yajl.isTruncating = false }
    try feedCarry()
    carry.removeAll(keepingCapacity: true)

    // The bytes between the cut and the limit hold no quote that closes the string, or it would not be too long.
    var remainder = StringRemainder()
    let offset = tokenStart + rest
    try unseen.withUnsafeBufferPointer { (bytes) throws(JSONStreamError) in
      _ = try remainder.end(in: UnsafeRawBufferPointer(bytes), from: 0, at: offset)
    }
    place = .remainder(remainder)
  }

  /// Feeds what the carry holds.
  func feedCarry() throws(JSONStreamError) {
    try carry.withUnsafeBufferPointer { (bytes) throws(JSONStreamError) in
      try yajl.feed(UnsafeRawBufferPointer(bytes), at: tokenStart)
    }
  }

  private func feed(_ cursor: inout Cursor, upTo end: Int) throws(JSONStreamError) {
    guard cursor.unfed < end else { return }
    try yajl.feed(cursor.bytes(upTo: end), at: cursor.base + cursor.unfed)
    cursor.unfed = end
  }
}
