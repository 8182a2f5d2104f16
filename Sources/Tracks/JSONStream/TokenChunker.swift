// Hot path for documents that arrive in pieces: a cursor passes over each piece once, and yajl reads the bytes in
// place.

/// Feeds yajl complete tokens from a document that arrives in pieces.
///
/// On its own, yajl keeps a token that is cut between two calls in an unlimited buffer, and rereads it from the
/// beginning with each call. The chunker holds such a token back until it is complete, and truncates a string that
/// exceeds the limit.
struct TokenChunker {
  enum Place {
    case between
    /// Inside a number or literal.
    case scalar
    /// Between the quotes of a string.
    case string
    /// Inside the part of a string that is not passed to yajl.
    case remainder(OverlongStringCheck)
  }

  let yajl: YajlParser
  let limit: Int
  var place = Place.between
  /// The offset of the current token in the document.
  var tokenStart = 0
  /// The bytes of the current token from earlier pieces.
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
  ///   - piece: Validated bytes that follow those of the last call.
  ///   - base: The offset of the piece in the document.
  /// - Throws: ``JSONStreamError`` for the first invalid byte.
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

  /// Feeds the unfinished token, because nothing more will follow.
  ///
  /// - Parameter isEnd: Whether the document ends here; otherwise it continues with an invalid byte.
  /// - Throws: ``JSONStreamError`` if the token is malformed, misplaced, or (at the end) incomplete.
  mutating func conclude(isEnd: Bool) throws(JSONStreamError) {
    // Nothing is carried over from a truncated string: yajl has read it as a complete one.
    guard !carry.isEmpty else { return }
    try feedCarry()
    guard isEnd else { return }
    try carry.withUnsafeBufferPointer { (bytes) throws(JSONStreamError) in
      try yajl.flush(after: UnsafeRawBufferPointer(bytes), at: tokenStart)
    }
  }

  /// Whether the document's value has ended.
  var isComplete: Bool {
    if case .remainder = place { false } else { yajl.isComplete }
  }

  /// The error for a byte that the validator rejected after everything that was fed.
  func error(for fault: JSONStreamError.Code, byteOffset: Int) -> JSONStreamError {
    if case .remainder = place { return JSONStreamError(fault, byteOffset: byteOffset) }
    return yajl.error(for: fault, byteOffset: byteOffset)
  }

  /// Whether only whitespace has been received.
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
      // The bytes before the excess byte must be valid before the excess byte is reported.
      cursor.index += room
      try hold(cursor)
      try feedCarry()
      throw JSONStreamError(.tooLong, byteOffset: cursor.offset)
    }
    cursor.index = end
    guard end < cursor.piece.count else { return }
    if cursor.piece[end] == Byte.quote {
      // The string is misplaced, and may be held back; without a blank, yajl would wait for its end.
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
    /// The offset of the piece in the document.
    let base: Int
    /// The index of the next byte to read.
    var index = 0
    /// The index of the first byte that neither yajl nor the carry has received.
    var unfed = 0

    /// The offset of the next byte in the document.
    var offset: Int { base + index }

    /// The bytes starting with the first unfed byte.
    func bytes(upTo end: Int) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: piece[unfed..<end]) }
  }

  /// Ends the current token before the cursor, and feeds it if an earlier piece contained its beginning.
  private mutating func endToken(_ cursor: inout Cursor) throws(JSONStreamError) {
    if !carry.isEmpty {
      carry.append(contentsOf: cursor.bytes(upTo: cursor.index))
      // Tells yajl that a number has ended; the blank takes the place of the terminator, in case of an error.
      if case .scalar = place { carry.append(Byte.space) }
      try feedCarry()
      carry.removeAll(keepingCapacity: true)
      cursor.unfed = cursor.index
    }
    place = .between
  }

  /// Feeds what is complete before the cursor, and keeps the beginning of the current token.
  private mutating func hold(_ cursor: Cursor) throws(JSONStreamError) {
    var cursor = cursor
    switch place {
    case .between: try feed(&cursor, upTo: cursor.index)
    case .scalar, .string:
      if carry.isEmpty {
        try feed(&cursor, upTo: tokenStart - cursor.base)
        // Any further token is one too many.
        if yajl.isComplete { throw JSONStreamError(.trailingBytes, byteOffset: tokenStart) }
      }
      carry.append(contentsOf: cursor.bytes(upTo: cursor.index))
    case .remainder: break
    }
  }

  /// Feeds the first bytes of the current string as if it were complete, and lets the rest be checked but not fed.
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

    // The bytes between the cut and the limit contain no closing quote; otherwise the string would not be too long.
    var remainder = OverlongStringCheck()
    let offset = tokenStart + rest
    try unseen.withUnsafeBufferPointer { (bytes) throws(JSONStreamError) in
      _ = try remainder.end(in: UnsafeRawBufferPointer(bytes), from: 0, at: offset)
    }
    place = .remainder(remainder)
  }

  /// Feeds the bytes carried over.
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

/// Checks the part of a string that is not passed to yajl because the string is too long.
///
/// The validator checks UTF-8 and surrogates; this checks what yajl would have checked: raw control characters and
/// escapes.
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
  ///   - start: The index in the piece at which the string continues.
  ///   - offset: The offset of the piece in the document.
  /// - Returns: The index after the closing quote, or `nil` if it is not in the piece.
  /// - Throws: ``JSONStreamError`` for the first byte that is not allowed in a string.
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
