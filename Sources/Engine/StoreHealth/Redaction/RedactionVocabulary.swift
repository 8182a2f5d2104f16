/// The words that a redaction leaves alone, because they are a format's and not a person's.
///
/// The engine knows none but those of markup. A program that reads a format by its words says which these are: otherwise it
/// would find something else in a redacted store than in the original.
package struct RedactionVocabulary: Sendable {
  /// The words that stay wherever they stand, in lower case.
  let words: Set<[UInt8]>
  /// The parts of texts that stay.
  let phrases: [[UInt8]]
  /// The last words of these in ASCII, with what stands before and after.
  private let phraseEnds: [(before: [UInt8], word: [UInt8], after: [UInt8])]
  /// The values in JSON that stay, by their keys, in lower case.
  let values: [[UInt8]: Set<[UInt8]>]
  /// The number of bytes of the longest word.
  let longestWord: Int

  /// Names words.
  ///
  /// - Parameters:
  ///   - words: Words of ASCII letters that stay wherever they stand, whatever their case.
  ///   - phrases: Parts of texts that stay.
  ///   - values: Values in JSON that stay whatever their case, by their keys.
  package init(words: [String] = [], phrases: [String] = [], values: [String: Set<String>] = [:]) {
    self.words = Set(words.map { Array($0.lowercased().utf8) })
    // Of two that begin alike, the longer one counts.
    self.phrases = (Self.entities + phrases).map { Array($0.utf8) }.filter { !$0.isEmpty }
      .sorted { $0.count > $1.count }
    phraseEnds = self.phrases.compactMap { phrase in
      guard let last = phrase.lastIndex(where: Self.isWordByte) else { return nil }
      let start = phrase[...last].lastIndex { !Self.isWordByte($0) }.map { $0 + 1 } ?? 0
      return (Array(phrase[..<start]), Array(phrase[start...last]), Array(phrase[(last + 1)...]))
    }
    self.values = Dictionary(
      values.map { (Array($0.key.utf8), Set($0.value.map { Array($0.lowercased().utf8) })) },
      uniquingKeysWith: { $0.union($1) })
    longestWord = self.words.map(\.count).max() ?? 0
  }

  /// The entities of markup that stand for punctuation.
  private static let entities = [
    "&amp;", "&quot;", "&apos;", "&lt;", "&gt;", "&nbsp;", "&hellip;", "&ndash;", "&mdash;", "&lsquo;", "&rsquo;",
    "&ldquo;", "&rdquo;", "&#39;", "&#039;", "&#34;", "&#38;",
  ]

  private static func isWordByte(_ byte: UInt8) -> Bool { byte < 0x80 && Redactor.isWordByte(byte) }

  /// Whether a word stays, whatever its case.
  func keeps(_ word: [UInt8]) -> Bool { word.count <= longestWord && words.contains(word.map { $0 | 0x20 }) }

  /// Whether a word would be the last of a phrase somewhere.
  func mayEndPhrase(_ word: [UInt8]) -> Bool {
    phraseEnds.contains { $0.after.isEmpty ? word.starts(with: $0.word) : word == $0.word }
  }

  /// Whether a word is the last of a phrase where it stands.
  func endsPhrase(_ word: [UInt8], after before: [UInt8], before after: ArraySlice<UInt8>) -> Bool {
    phraseEnds.contains { end in
      (end.after.isEmpty ? word.starts(with: end.word) : word == end.word && after.starts(with: end.after))
        && before.suffix(end.before.count).elementsEqual(end.before)
    }
  }

  /// The number of bytes of the phrase at a place; `nil` if there is none.
  @inline(__always)
  func phrase(in bytes: [UInt8], at place: Int, end: Int) -> Int? {
    for phrase in phrases where phrase[0] == bytes[place] && phrase.count <= end - place {
      if bytes[place..<(place + phrase.count)].elementsEqual(phrase) { return phrase.count }
    }
    return nil
  }
}
