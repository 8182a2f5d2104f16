/// The words that a redaction leaves alone, because they are a format's and not a person's.
///
/// The engine knows none but those of markup. A program that reads a format by its words says which these are: otherwise it
/// would find something else in a redacted store than in the original.
package struct RedactionVocabulary: Sendable {
  /// The words that stay wherever they stand, in lower case.
  let words: Set<[UInt8]>
  /// The parts of texts that stay.
  let phrases: [[UInt8]]
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

  /// The number of bytes of the phrase at a place; `nil` if there is none.
  @inline(__always)
  func phrase(in bytes: [UInt8], at place: Int, end: Int) -> Int? {
    for phrase in phrases where phrase[0] == bytes[place] && phrase.count <= end - place {
      if bytes[place..<(place + phrase.count)].elementsEqual(phrase) { return phrase.count }
    }
    return nil
  }
}
