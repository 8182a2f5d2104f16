// Hot for documents that come in pieces: a cursor runs over each piece once, and what yajl gets it gets in place.

/// Feeds yajl whole tokens from a document that comes in pieces.
///
/// Left to itself, yajl keeps a token that is cut between two calls in a buffer without a limit, and reads it again from
/// its beginning with each call. The feeder holds such a token back until it is whole, and cuts a string that is longer
/// than the limit.
struct TokenChunker {
  enum Place {
    case between
    /// In a number or literal.
    case scalar
    /// Between the quotes of a string.
    case string
    /// In the part of a string that yajl does not get.
    case remainder(OverlongStringCheck)
  }

  let yajl: YajlParser
  let limit: Int
  var place = Place.between
  /// Where in the document the current token begins.
  var tokenStart = 0
  /// What earlier pieces held of the current token.
  var carry: [UInt8] = []

  init(yajl: YajlParser, limit: Int) {
    self.yajl = yajl
    self.limit = limit
  }

  /// Prepares for a new document.
  mutating func begin() {
    place = .between
    tokenStart = 0
    carry.removeAll(keepingCapacity: true)
  }

  /// Reads a piece.
  ///
  /// - Parameters:
  ///   - piece: Bytes that have passed the screen and follow those of the last call.
  ///   - base: Where in the document the piece begins.
  /// - Throws: ``JSONStreamError`` for the first byte that does not fit.
  mutating func process(_ piece: UnsafeRawBufferPointer, at base: Int) throws(JSONStreamError) {
    var cursor = Cursor(piece: piece, base: base)
    while cursor.index < piece.count {
      switch place {
      case .between: findToken(&cursor)
      case .scalar: try readScalar(&cursor)
      case .string: try readString(&cursor)
      case .remainder(let remainder): try readRemainder(remainder, &cursor)
      }
    }
    try hold(cursor)
  }

  /// Feeds the token that has not ended, because nothing more will come.
  ///
  /// - Parameter isEnd: Whether the document ends here; otherwise it goes on with a byte that is at fault.
  /// - Throws: ``JSONStreamError`` if the token is malformed, out of place, or (at the end) only a part of one.
  mutating func conclude(isEnd: Bool) throws(JSONStreamError) {
    // Of a string that was cut nothing is carried: yajl took it for a whole one.
    guard !carry.isEmpty else { return }
    try feedCarry()
    guard isEnd else { return }
    try carry.withUnsafeBufferPointer { (bytes) throws(JSONStreamError) in
      try yajl.flush(after: UnsafeRawBufferPointer(bytes), at: tokenStart)
    }
  }

  /// Whether the document has ended with its value.
  var isComplete: Bool {
    if case .remainder = place { false } else { yajl.isComplete }
  }

  /// The error of a byte that the screen has found at fault after all that was fed.
  func error(for fault: JSONStreamError.Code, byteOffset: Int) -> JSONStreamError {
    if case .remainder = place { return JSONStreamError(fault, byteOffset: byteOffset) }
    return yajl.error(for: fault, byteOffset: byteOffset)
  }

  /// Whether nothing has come but whitespace.
  var isEmpty: Bool {
    if case .between = place { !yajl.isComplete && yajl.depth == 0 } else { false }
  }

  private mutating func findToken(_ cursor: inout Cursor) {
    cursor.index = cursor.piece.endOfPunctuation(from: cursor.index)
    guard cursor.index < cursor.piece.count else { return }
    tokenStart = cursor.offset
    if cursor.piece[cursor.index] == Byte.quote {
      place = .string
      cursor.index += 1
    } else {
      place = .scalar
    }
  }

  private mutating func readScalar(_ cursor: inout Cursor) throws(JSONStreamError) {
    let end = cursor.piece.endOfScalar(from: cursor.index)
    let room = limit - (cursor.offset - tokenStart)
    if end - cursor.index > room {
      // Before the excess byte counts, what comes before it has to be in order.
      cursor.index += room
      try hold(cursor)
      try feedCarry()
      throw JSONStreamError(.tooLong, byteOffset: cursor.offset)
    }
    cursor.index = end
    guard end < cursor.piece.count else { return }
    if cursor.piece[end] == Byte.quote {
      // The string does not belong here, and may be held back; without a blank yajl would wait for it.
      try hold(cursor)
      cursor.unfed = end
    }
    try endToken(&cursor)
  }

  private mutating func readString(_ cursor: inout Cursor) throws(JSONStreamError) {
    let close = cursor.piece.endOfString(from: cursor.index)
    let room = limit - (cursor.offset - tokenStart - 1)
    if close - cursor.index > room {
      try cutString(&cursor, excess: cursor.index + room)
    } else if close < cursor.piece.count {
      cursor.index = close + 1
      try endToken(&cursor)
    } else {
      cursor.index = close
    }
  }

  private mutating func readRemainder(
    _ remainder: OverlongStringCheck, _ cursor: inout Cursor
  ) throws(JSONStreamError) {
    var remainder = remainder
    let end = try remainder.end(in: cursor.piece, from: cursor.index, at: cursor.base)
    place = end == nil ? .remainder(remainder) : .between
    cursor.index = end ?? cursor.piece.count
    cursor.unfed = cursor.index
  }
}

extension TokenChunker {
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
  private mutating func endToken(_ cursor: inout Cursor) throws(JSONStreamError) {
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
  private mutating func hold(_ cursor: Cursor) throws(JSONStreamError) {
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
  private mutating func cutString(_ cursor: inout Cursor, excess: Int) throws(JSONStreamError) {
    cursor.index = excess + 1
    try hold(cursor)
    cursor.unfed = cursor.index

    let rest = carry.withUnsafeBytes { bytes in
      1 + JSONByteValidator.boundary(in: UnsafeRawBufferPointer(rebasing: bytes[1...]), atMost: limit)
    }
    let unseen = Array(carry[rest...])
    carry.removeLast(unseen.count)
    carry.append(Byte.quote)
    yajl.isTruncating = true
    defer { yajl.isTruncating = false }
    try feedCarry()
    carry.removeAll(keepingCapacity: true)

    // The bytes between the cut and the limit hold no quote that closes the string, or it would not be too long.
    var remainder = OverlongStringCheck()
    let offset = tokenStart + rest
    try unseen.withUnsafeBufferPointer { (bytes) throws(JSONStreamError) in
      _ = try remainder.end(in: UnsafeRawBufferPointer(bytes), from: 0, at: offset)
    }
    place = .remainder(remainder)
  }

  /// Feeds what the carry holds.
  private func feedCarry() throws(JSONStreamError) {
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

/// Checks the part of a string that yajl does not get to see because the string is too long.
///
/// UTF-8 and surrogates are the screen's business; this looks at what yajl would have: raw controls and escapes.
struct OverlongStringCheck {
  private enum Place {
    case text
    case escape
    case digits(left: Int)
  }

  private var place = Place.text

  /// Checks bytes up to the quote that closes the string.
  ///
  /// - Parameters:
  ///   - bytes: A piece of the document.
  ///   - start: Where the string goes on in the piece.
  ///   - offset: Where in the document the piece begins.
  /// - Returns: The index after the closing quote, or `nil` if it is not among the bytes.
  /// - Throws: ``JSONStreamError`` for the first byte that a string may not hold.
  mutating func end(
    in bytes: UnsafeRawBufferPointer, from start: Int, at offset: Int
  ) throws(JSONStreamError) -> Int? {
    var index = start
    while index < bytes.count {
      let byte = bytes[index]
      switch place {
      case .text where byte == Byte.quote: return index + 1
      case .text where byte == Byte.backslash: place = .escape
      case .text where byte >= 0x20: break
      case .escape where byte == Byte.u: place = .digits(left: 4)
      case .escape where Byte.isSimpleEscape(byte): place = .text
      case .digits(let left) where Byte.hexValue(byte) != nil: place = left > 1 ? .digits(left: left - 1) : .text
      default: throw JSONStreamError(.syntax, byteOffset: offset + index)
      }
      index += 1
    }
    return nil
  }
}
