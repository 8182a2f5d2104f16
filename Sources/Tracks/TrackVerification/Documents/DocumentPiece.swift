internal import Verification

// Hot: every byte of every document is looked at here. Indices cannot overflow because they are below the length of a
// buffer.

/// A piece of a document, or all of it, and the tokens in it that are plain: each of their bytes stands for itself.
struct DocumentPiece {
  private typealias Lanes = SIMD16<Int8>

  private let start: UnsafeRawPointer
  let count: Int

  /// `nil` for an empty piece.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return nil }
    (self.start, count) = (start, bytes.count)
  }

  subscript(index: Int) -> UInt8 {
    @inline(__always) get { start.load(fromByteOffset: index, as: UInt8.self) }
  }

  subscript(range: Range<Int>) -> UnsafeRawBufferPointer {
    @inline(__always) get { UnsafeRawBufferPointer(start: start + range.lowerBound, count: range.count) }
  }

  @inline(__always)
  func endOfSpace(from start: Int) -> Int {
    var index = start
    while index < count, self[index] <= 0x20 {
      let byte = self[index]
      guard byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 else { break }
      index &+= 1
    }
    return index
  }

  // MARK: - Text

  /// Returns the end of text of which each byte stands for itself: before a quote, a backslash, a control character,
  /// and a character that is invalid or continues in the next piece.
  @inline(__always)
  func endOfPlainText(from start: Int) -> Int {
    let index = endOfASCII(from: start)
    return index < count && self[index] >= 0x80 ? endOfLongText(from: index) : index
  }

  /// The end of text that has characters beyond ASCII.
  private func endOfLongText(from start: Int) -> Int {
    var index = start
    while index < count, self[index] >= 0x80 {
      let length = lengthOfCharacter(at: index)
      if length == 0 { break }
      index = endOfASCII(from: index &+ length)
    }
    return index
  }

  /// The first byte that is not in ASCII, or that has a meaning in a string.
  @inline(__always)
  private func endOfASCII(from start: Int) -> Int {
    var index = start
    while count &- index >= 16 {
      // Only operations on two vectors: Swift 6.3 compiles others, and those on masks, lane by lane. As signed numbers, bytes
      // beyond ASCII come before control characters.
      let bytes = self.start.loadUnaligned(fromByteOffset: index, as: Lanes.self)
      let special =
        unsafeBitCast(bytes .< Lanes(repeating: 0x20), to: Lanes.self)
        | unsafeBitCast(bytes .== Lanes(repeating: 0x22), to: Lanes.self)
        | unsafeBitCast(bytes .== Lanes(repeating: 0x5c), to: Lanes.self)
      let halves = unsafeBitCast(special, to: SIMD2<UInt64>.self)
      if halves.x != 0 { return index &+ halves.x.littleEndian.trailingZeroBitCount &>> 3 }
      if halves.y != 0 { return index &+ 8 &+ halves.y.littleEndian.trailingZeroBitCount &>> 3 }
      index &+= 16
    }
    while index < count {
      let byte = self[index]
      if byte < 0x20 || byte >= 0x80 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
      index &+= 1
    }
    return index
  }

  /// The length of the character beyond ASCII at an index, according to table 3-7 of the Unicode standard; 0 if it is
  /// invalid or not complete.
  @inline(__always)
  private func lengthOfCharacter(at index: Int) -> Int {
    let byte = self[index]
    let length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    guard 0xc2...0xf4 ~= byte, count &- index >= length else { return 0 }
    let second: ClosedRange<UInt8> =
      switch byte {
      case 0xe0: 0xa0...0xbf
      case 0xed: 0x80...0x9f
      case 0xf0: 0x90...0xbf
      case 0xf4: 0x80...0x8f
      default: 0x80...0xbf
      }
    guard second.contains(self[index &+ 1]) else { return 0 }
    var other = index &+ 2
    while other < index &+ length {
      if self[other] & 0xc0 != 0x80 { return 0 }
      other &+= 1
    }
    return length
  }

  // MARK: - Plain tokens

  /// The text of a string without escapes, if one begins at an index and ends in this piece.
  @inline(__always)
  func plainString(at quote: Int) -> Range<Int>? {
    guard quote < count, self[quote] == UInt8(ascii: "\"") else { return nil }
    let text = quote &+ 1
    let end = endOfPlainText(from: text)
    return end < count && self[end] == UInt8(ascii: "\"") ? Range(uncheckedBounds: (text, end)) : nil
  }

  /// Returns the end of a number that begins at an index; `nil` if it is broken, has an exponent, or may continue in
  /// the next piece.
  @inline(__always)
  func endOfPlainNumber(from start: Int) -> Int? {
    let integer = self[start] == UInt8(ascii: "-") ? start &+ 1 : start
    var index = endOfDigits(from: integer)
    guard index > integer, index < count, index == integer &+ 1 || self[integer] != UInt8(ascii: "0") else {
      return nil
    }
    if self[index] == UInt8(ascii: ".") {
      let fraction = index &+ 1
      index = endOfDigits(from: fraction)
      guard index > fraction, index < count else { return nil }
    }
    return self[index] | 0x20 == UInt8(ascii: "e") ? nil : index
  }

  @inline(__always)
  private func endOfDigits(from start: Int) -> Int {
    var index = start
    while index < count, self[index] &- UInt8(ascii: "0") < 10 { index &+= 1 }
    return index
  }

  /// The literal at an index, and its length.
  func plainLiteral(at index: Int) -> (kind: DocumentTree.Kind, length: Int)? {
    switch self[index] {
    case UInt8(ascii: "t") where has("true", at: index): (.true, 4)
    case UInt8(ascii: "f") where has("false", at: index): (.false, 5)
    case UInt8(ascii: "n") where has("null", at: index): (.null, 4)
    default: nil
    }
  }

  private func has(_ word: StaticString, at index: Int) -> Bool {
    let length = word.utf8CodeUnitCount
    return count &- index >= length
      && StoredValue.areEqual(
        UnsafeRawBufferPointer(start: word.utf8Start, count: length), self[index..<index &+ length])
  }
}
