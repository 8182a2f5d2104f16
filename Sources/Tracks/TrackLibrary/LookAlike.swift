internal import Foundation
internal import SQLiteDatabase

/// A way in which two names may differ and still look like one.
enum LookAlike: CaseIterable {
  case width, invisible, blanks, dashes, quotes, alphabets, letterCase, accents, ampersand, article, initials

  /// The difference in words.
  var words: String {
    switch self {
    case .width: "width"
    case .invisible: "characters that are not visible"
    case .blanks: "blanks"
    case .dashes: "dashes"
    case .quotes: "quotation marks"
    case .alphabets: "letters of another alphabet"
    case .letterCase: "case"
    case .accents: "accents"
    case .ampersand: "'&' for 'and'"
    case .article: "the place of 'The'"
    case .initials: "the spelling of initials"
    }
  }

  /// The differences between two names that have the same key: those without which the keys would differ.
  static func differences(_ first: String, _ second: String) -> [LookAlike] {
    allCases.filter { way in key(first, without: way) != key(second, without: way) }
  }

  /// In what two names of one key differ, in words.
  static func evidence(_ first: String, _ second: String) -> String {
    let words = differences(first, second).map(\.words)
    guard let last = words.last else { return "code points" }
    return words.count == 1 ? last : words.dropLast().joined(separator: ", ") + " and " + last
  }

  /// Whether a name has what only a mistake puts there: characters that are not visible, blanks at its ends or of odd kinds
  /// and numbers, or letters of another alphabet in a word.
  static func isSpoiled(_ name: String) -> Bool { plainIsSpoiled(name) ?? keysTellSpoiled(name) }

  /// The same of a name in letters that can only have wrong blanks, which are most names; `nil` for others.
  ///
  /// To make four keys would take a hundred times as long.
  static func plainIsSpoiled(_ name: String) -> Bool? {
    let blank = UInt8(ascii: " ")
    var last = blank
    for byte in name.utf8 {
      guard (0x20..<0x7F).contains(byte), byte != UInt8(ascii: "`") else { return nil }
      if byte == blank, last == blank { return true }
      last = byte
    }
    return last == blank && !name.isEmpty
  }

  /// The same by the keys that count each of these differences.
  static func keysTellSpoiled(_ name: String) -> Bool {
    var name = name
    // Other scripts than Latin need characters that join letters or keep them apart.
    if !name.unicodeScalars.allSatisfy({ !$0.properties.isAlphabetic || Alphabets.isLatin($0) }) {
      name.unicodeScalars.removeAll { $0 == "\u{200C}" || $0 == "\u{200D}" }
    }
    let key = key(name)
    return [.invisible, .blanks, .alphabets].contains { Self.key(name, without: $0) != key }
  }

  /// The same key for names that look alike.
  ///
  /// The classes are those of Unicode: compatibility forms for width, what is ignorable, what is white space, what is a dash.
  ///
  /// - Parameter way: A difference that counts.
  static func key(_ name: String, without way: LookAlike? = nil) -> String {
    var name = name
    if way == nil, let letters = latin(name) {
      name = letters
    } else if !name.utf8.allSatisfy({ (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "`") }) {
      name = folded(name, without: way)
    }
    if way != .letterCase { name = name.lowercased() }
    // By bytes: to look for the ends of characters takes most of the time.
    var words = name.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: way != .blanks)
      .map(Substring.init)[...]
    // "Beatles, The" is "The Beatles".
    if way != .article, words.count > 1, let last = words.last, last.utf8.count == 3, last.lowercased() == "the",
      let before = words.dropLast().last, before.hasSuffix(","), before.count > 1
    {
      words = [last] + words.dropLast(2) + [before.dropLast()]
    }
    var result = ""
    var follows = false
    for (number, word) in words.enumerated() {
      let initials = way == .initials ? nil : Self.initials(word)
      // Initials stand together: "J. J." is "J.J.".
      if number > 0, initials == nil || !follows { result += " " }
      result += initials ?? (way != .ampersand && word == "&" ? "and" : String(word))
      follows = initials != nil
    }
    return result
  }

  /// The name in letters that every name has, without what makes no difference.
  private static func folded(_ name: String, without way: LookAlike?) -> String {
    var name = way == .blanks ? marked(name) : name
    name =
      way == .width ? name.precomposedStringWithCanonicalMapping : name.precomposedStringWithCompatibilityMapping
    name.unicodeScalars = plain(name.unicodeScalars, without: way)
    if way != .alphabets { name = Alphabets.latin(name) }
    // Folding leaves text that can still be written in more than one way, such as Hangul.
    if way != .accents {
      name = name.folding(options: .diacriticInsensitive, locale: nil).decomposedStringWithCanonicalMapping
    }
    return name
  }

  /// The name with each kind of blank as a letter of private use, which no compatibility form makes a space.
  private static func marked(_ name: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in name.unicodeScalars {
      let isOther = scalar.properties.isWhitespace && scalar != " "
      result.append(isOther ? Unicode.Scalar(0xF0000 + scalar.value) ?? scalar : scalar)
    }
    return String(result)
  }

  /// The letters of the Latin alphabet that are not ASCII, as folding makes them, by their number.
  ///
  /// To fold each name would take ten times as long.
  private static let latinLetters: [String] = (0x80..<0x180).map { number in
    Unicode.Scalar(UInt32(number)).map { folded(String($0), without: nil) } ?? ""
  }

  /// The letters of a name that has none but those of the Latin alphabet; `nil` for others.
  private static func latin(_ name: String) -> String? {
    var result = ""
    for scalar in name.unicodeScalars {
      switch scalar.value {
      case 0x20..<0x7F where scalar != "`": result.unicodeScalars.append(scalar)
      case 0x80..<0x180: result += latinLetters[Int(scalar.value) - 0x80]
      default: return nil
      }
    }
    return result
  }

  /// The letters of initials with dots; `nil` for another word.
  private static func initials(_ word: Substring) -> String? {
    guard word.utf8.contains(UInt8(ascii: ".")) else { return nil }
    let parts = word.split(separator: ".", omittingEmptySubsequences: false)
    let letters = parts.filter { !$0.isEmpty }
    guard letters.allSatisfy({ $0.count == 1 && $0.first?.isLetter == true }),
      parts.dropLast().allSatisfy({ !$0.isEmpty })
    else { return nil }
    return letters.joined()
  }

  private static let singleQuotes = Set("'‘’‚‛ʼʻ´`′׳".unicodeScalars)
  private static let doubleQuotes = Set("\"“”„‟«»″〝〞〟".unicodeScalars)

  private static func plain(
    _ scalars: String.UnicodeScalarView, without way: LookAlike?
  ) -> String.UnicodeScalarView {
    var result = String.UnicodeScalarView()
    for scalar in scalars {
      let properties = scalar.properties
      if way != .invisible, properties.isDefaultIgnorableCodePoint || properties.generalCategory == .format { continue }
      if way != .blanks, properties.isWhitespace {
        result.append(" ")
      } else if way != .dashes, properties.isDash {
        result.append("-")
      } else if way != .quotes, singleQuotes.contains(scalar) {
        result.append("'")
      } else if way != .quotes, doubleQuotes.contains(scalar) {
        result.append("\"")
      } else {
        result.append(scalar)
      }
    }
    return result
  }
}

/// Letters of other alphabets that look like Latin ones.
private enum Alphabets {
  private static let latin: [Unicode.Scalar: Unicode.Scalar] = [
    // Cyrillic.
    "А": "A", "В": "B", "Е": "E", "К": "K", "М": "M", "Н": "H", "О": "O", "Р": "P", "С": "C", "Т": "T", "У": "Y",
    "Х": "X",
    "І": "I", "Ј": "J", "Ѕ": "S", "а": "a", "е": "e", "о": "o", "р": "p", "с": "c", "у": "y", "х": "x", "і": "i",
    "ј": "j",
    "ѕ": "s", "ԁ": "d", "һ": "h", "ӏ": "l", "ԛ": "q", "ԝ": "w",
    // Greek.
    "Α": "A", "Β": "B", "Ε": "E", "Ζ": "Z", "Η": "H", "Ι": "I", "Κ": "K", "Μ": "M", "Ν": "N", "Ο": "O", "Ρ": "P",
    "Τ": "T",
    "Υ": "Y", "Χ": "X", "ο": "o", "ν": "v", "α": "a", "ι": "i", "ρ": "p", "υ": "u",
  ]

  /// The name with Latin letters in words that have some already: a word of another alphabet is none of ours.
  static func latin(_ name: String) -> String {
    guard name.unicodeScalars.contains(where: { latin[$0] != nil }) else { return name }
    return name.split(separator: " ", omittingEmptySubsequences: false).map { word in
      let letters = word.unicodeScalars.filter { $0.properties.isAlphabetic }
      guard letters.contains(where: isLatin), letters.allSatisfy({ isLatin($0) || latin[$0] != nil }) else {
        return String(word)
      }
      var scalars = String.UnicodeScalarView()
      for scalar in word.unicodeScalars { scalars.append(latin[scalar] ?? scalar) }
      return String(scalars)
    }.joined(separator: " ")
  }

  static func isLatin(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x250 || (0x1E00..<0x1F00).contains(scalar.value)
  }
}

extension LookAlike {
  /// Adds the SQL function `similarity_key(text)`, which returns the same key for names that look alike.
  static func install(in connection: Connection) throws(SQLiteError) {
    try connection.createFunction("similarity_key", argumentCount: 1) { arguments in
      arguments[0].map { .text(key($0)) } ?? .null
    }
  }
}
