/// The text of a column.
package struct StoredText: Sendable, Hashable {
  /// The text, with what is not valid UTF-8 repaired.
  package let text: String
  /// The bytes as they are stored, if they are not valid UTF-8.
  package let invalidBytes: [UInt8]?

  init(_ bytes: UnsafeRawBufferPointer) {
    switch TextEncoding(bytes) {
    case .ascii: (text, invalidBytes) = (Self.text(of: bytes, isASCII: true), nil)
    case .utf8: (text, invalidBytes) = (Self.text(of: bytes, isASCII: false), nil)
    case .invalid: (text, invalidBytes) = (String(decoding: bytes, as: UTF8.self), Array(bytes))
    }
  }

  /// The text of bytes that are known to be valid, which are only copied.
  private static func text(of bytes: UnsafeRawBufferPointer, isASCII: Bool) -> String {
    #if canImport(Darwin)
      // Systems before macOS 26 have no such initializer.
      return String(decoding: bytes, as: UTF8.self)
    #else
      let units = bytes.assumingMemoryBound(to: UInt8.self)
      return String(copying: UTF8Span(unchecked: Span(_unsafeElements: units), isKnownASCII: isASCII))
    #endif
  }
}

// Every text of a store is checked, and most of its bytes are ASCII. Swift's own check reads text with a single other
// character byte by byte, which takes longer than reading the row.

/// The encodings of text.
enum TextEncoding: Hashable {
  case ascii
  /// UTF-8 with characters that are not ASCII.
  case utf8
  case invalid

  init(_ bytes: UnsafeRawBufferPointer) {
    var place = Self.asciiEnd(bytes, from: 0)
    self = place == bytes.count ? .ascii : .utf8
    while place < bytes.count {
      guard let length = Self.characterLength(bytes, at: place) else {
        self = .invalid
        return
      }
      place = Self.asciiEnd(bytes, from: place + length)
    }
  }

  /// Returns the end of the ASCII characters from a place on.
  private static func asciiEnd(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var place = start
    // Words of a raw buffer: this loop reads all texts of a store.
    while bytes.count - place >= 16 {
      let first = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
      let second = bytes.loadUnaligned(fromByteOffset: place + 8, as: UInt64.self)
      guard (first | second) & 0x8080_8080_8080_8080 == 0 else { break }
      place += 16
    }
    while place < bytes.count, bytes[place] < 0x80 { place += 1 }
    return place
  }

  /// The number of bytes of the character at a place, which is not ASCII; `nil` if they are not valid.
  private static func characterLength(_ bytes: UnsafeRawBufferPointer, at place: Int) -> Int? {
    // The Unicode Standard, table 3-7: only the second byte has limits that depend on the first.
    let (length, second): (Int, ClosedRange<UInt8>)
    switch bytes[place] {
    case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: return nil
    }
    guard bytes.count - place >= length, second.contains(bytes[place + 1]) else { return nil }
    for next in bytes[(place + 2)..<(place + length)] where next & 0xC0 != 0x80 { return nil }
    return length
  }
}

extension Statement {
  /// The value of a column as text, as it is stored; `nil` for NULL.
  package func storedText(_ column: Int) -> StoredText? {
    withText(column) { $0.map { StoredText($0) } }
  }
}
