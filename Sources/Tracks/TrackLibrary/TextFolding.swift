internal import Foundation
internal import SQLiteDatabase
internal import SystemC

/// Text in the forms used for searching and sorting: without case, accents and width.
package enum TextFolding {
  /// Letters that Unicode does not decompose into a base letter and an accent, with what they are sorted as.
  private static let baseLetters: [Unicode.Scalar: String] = [
    "ł": "l", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ŧ": "t", "ı": "i", "ŋ": "n", "ƀ": "b", "ɨ": "i", "ɉ": "j",
    "ǥ": "g", "ƶ": "z", "ȼ": "c", "ɇ": "e", "ɍ": "r", "ɏ": "y", "ⱥ": "a", "ⱦ": "t",
    "æ": "ae", "œ": "oe", "ß": "ss", "þ": "th", "ĳ": "ij",
  ]

  /// The text as it is sorted: folded, and in Latin letters that every keyboard has.
  package static func sortKey(_ text: String) -> String {
    let folded = fold(text)
    if folded.utf8.allSatisfy({ $0 < 0x80 }) { return folded }
    // Composed, because Hangul can still be written in two ways.
    var key = ""
    for scalar in folded.precomposedStringWithCanonicalMapping.unicodeScalars {
      if let letters = baseLetters[scalar] { key += letters } else { key.unicodeScalars.append(scalar) }
    }
    return key
  }

  static func fold(_ text: String) -> String {
    // ASCII, which is most text, needs no tables.
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
    return text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
  }

  /// Adds the SQL functions `folded(text)`, `sort_key(text)` and `contains_folded(text, foldedPart)`.
  ///
  /// A list that is sorted calls them for each row of a library, and nearly all of its text is folded letter by letter.
  static func install(in connection: Connection) throws(SQLiteError) {
    for (name, fold) in [("folded", fold), ("sort_key", sortKey)] {
      let letters = LetterFolding(fold)
      try connection.createFunction(name, argumentCount: 1) { arguments in
        arguments[0].map { .text(fold($0)) } ?? .null
      } ofBytes: { text, _, room in
        letters.append(text, to: &room) ? .room : nil
      }
    }
    let letters = LetterFolding(fold)
    try connection.createFunction("contains_folded", argumentCount: 2) { arguments in
      guard let text = arguments[0], let part = arguments[1] else { return .integer(0) }
      return .integer(part.isEmpty || fold(text).contains(part) ? 1 : 0)
    } ofBytes: { text, part, room in
      // Characters of other text may be equal without having the same bytes.
      guard let part, !part.isEmpty, part.allSatisfy({ $0 < 0x80 && $0 != 0x0D }), text.allSatisfy({ $0 < 0x80 }),
        letters.append(text, to: &room)
      else { return nil }
      return .integer(
        room.withUnsafeBytes { memmem($0.baseAddress, $0.count, part.baseAddress, part.count) } == nil ? 0 : 1)
    }
  }
}

/// Folds text in which no letter depends on those beside it.
///
/// A table has the folded letters: Foundation takes a hundred times as long.
private final class LetterFolding {
  private let fold: (String) -> String
  /// The folded letters by their scalars, as far as they have occurred.
  private var letters = [[UInt8]?](repeating: nil, count: 0xA000)

  init(_ fold: @escaping (String) -> String) { self.fold = fold }

  /// Appends the folded text.
  ///
  /// - Returns: Whether that was possible; otherwise something may have been appended.
  func append(_ text: UnsafeBufferPointer<UInt8>, to room: inout [UInt8]) -> Bool {
    guard !text.isEmpty else { return false }
    var place = 0
    while place < text.count {
      let byte = text[place]
      if byte < 0x80 {
        room.append(byte &- 0x41 < 26 ? byte | 0x20 : byte)
        place += 1
        continue
      }
      guard let (scalar, length) = Self.letter(in: text, at: place) else { return false }
      if let known = letters[Int(scalar.value)] {
        room += known
      } else {
        let folded = Array(fold(String(scalar)).utf8)
        letters[Int(scalar.value)] = folded
        room += folded
      }
      place += length
    }
    return true
  }

  /// The letter at a place; `nil` if it is none of those that are folded alone.
  private static func letter(
    in text: UnsafeBufferPointer<UInt8>, at place: Int
  ) -> (scalar: Unicode.Scalar, length: Int)? {
    func bits(_ offset: Int) -> UInt32? {
      guard place + offset < text.count, text[place + offset] & 0xC0 == 0x80 else { return nil }
      return UInt32(text[place + offset] & 0x3F)
    }
    guard let second = bits(1) else { return nil }
    let first = UInt32(text[place])
    // Latin, Greek and Cyrillic have two bytes; kana and the ideographs of Chinese and Japanese have three.
    switch first {
    case 0xC3...0xD4:
      let value = (first & 0x1F) << 6 | second
      guard isAlone(value), let scalar = Unicode.Scalar(value) else { return nil }
      return (scalar, 2)
    case 0xE3...0xE9:
      guard let third = bits(2) else { return nil }
      let value = (first & 0x0F) << 12 | second << 6 | third
      guard isAlone(value), let scalar = Unicode.Scalar(value) else { return nil }
      return (scalar, 3)
    default: return nil
    }
  }

  /// Whether a letter neither combines with others nor is written in another way beside them.
  private static func isAlone(_ value: UInt32) -> Bool {
    switch value {
    case 0xC0...0x24F, 0x388...0x3FF, 0x400...0x481, 0x48A...0x52F, 0x3041...0x3096, 0x30A1...0x30FA, 0x30FC,
      0x4E00...0x9FFF:
      true
    default: false
    }
  }
}
