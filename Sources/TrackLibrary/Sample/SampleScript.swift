/// A way of writing names: syllables that can be spoken, and names to go before or after.
///
/// A family name is a number in base 64 whose digits are syllables. No two sequences of syllables of one script read
/// the same, so different numbers are different names.
struct SampleScript: Sendable {
  /// The number of syllables, a power of two.
  static let base = 64

  let givenNames: [String]
  let syllables: [String]
  /// The syllables as they begin a name.
  let initials: [String]
  /// What a family name may end with.
  ///
  /// An ending has no vowel, so that it is never taken for a syllable.
  let endings: [String]
  /// What stands between a given name and a family name.
  let separator: String
  let isFamilyNameFirst: Bool
  /// Whether the names of bands, which have English words in them, may be written in it.
  let isLatin: Bool

  /// A script whose syllables are one of 16 consonants and one of four vowels.
  init(_ givenNames: String, consonants: String, vowels: String, endings: String, isLatin: Bool = false) {
    let (consonants, vowels) = (Self.words(consonants), Self.words(vowels))
    let syllables = consonants.flatMap { consonant in vowels.map { consonant + $0 } }
    self.init(givenNames, syllables: syllables, endings: endings, isFamilyNameFirst: false, isLatin: isLatin)
  }

  /// A script with signs for whole syllables.
  init(
    _ givenNames: String, syllables: [String], endings: String = "-", separator: String = " ",
    isFamilyNameFirst: Bool = true, isLatin: Bool = false
  ) {
    precondition(syllables.count == Self.base)
    self.givenNames = Self.words(givenNames)
    self.syllables = syllables
    initials = syllables.map { $0.prefix(1).uppercased() + $0.dropFirst() }
    self.endings = Self.words(endings)
    self.separator = separator
    self.isFamilyNameFirst = isFamilyNameFirst
    self.isLatin = isLatin
  }

  /// The words of a text; a hyphen stands for nothing.
  private static func words(_ text: String) -> [String] {
    text.split(separator: " ").map { $0 == "-" ? "" : String($0) }
  }
}
