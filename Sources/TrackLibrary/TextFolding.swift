internal import Foundation
internal import SQLite

/// Text as it is compared in a search: without regard to case, accents and width.
enum TextFolding {
  static func fold(_ text: String) -> String {
    // ASCII, which most text is, needs no tables.
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
    return text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
  }

  /// Gives SQL the function `similarity_key(text)`, which is the same for texts that differ in case, accents, width or the
  /// form of their characters only.
  static func installSimilarity(in connection: Connection) throws(SQLiteError) {
    try connection.createFunction("similarity_key", argumentCount: 1) { arguments in
      // What folding leaves alone can still be written in more than one way, such as Hangul.
      arguments[0].map { .text(fold($0).decomposedStringWithCanonicalMapping) } ?? .null
    }
  }

  /// Gives SQL the functions `folded(text)` and `contains_folded(text, foldedPart)`.
  static func install(in connection: Connection) throws(SQLiteError) {
    try connection.createFunction("folded", argumentCount: 1) { arguments in
      arguments[0].map { .text(fold($0)) } ?? .null
    }
    try connection.createFunction("contains_folded", argumentCount: 2) { arguments in
      guard let text = arguments[0], let part = arguments[1] else { return .integer(0) }
      return .integer(part.isEmpty || fold(text).contains(part) ? 1 : 0)
    }
  }
}
