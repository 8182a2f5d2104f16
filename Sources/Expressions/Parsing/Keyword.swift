/// A word that means something in the format language, in any case of its letters.
enum Keyword: String, CaseIterable {
  case and = "AND"
  case or = "OR"
  case not = "NOT"
  case any = "ANY"
  case some = "SOME"
  case all = "ALL"
  case none = "NONE"
  case between = "BETWEEN"
  case `in` = "IN"
  case contains = "CONTAINS"
  case beginsWith = "BEGINSWITH"
  case endsWith = "ENDSWITH"
  case like = "LIKE"
  case matches = "MATCHES"
  case truePredicate = "TRUEPREDICATE"
  case falsePredicate = "FALSEPREDICATE"
  case evaluatedObject = "SELF"
  case null = "NULL"
  case `nil` = "NIL"
  case yes = "YES"
  case no = "NO"
  case `true` = "TRUE"
  case `false` = "FALSE"
  // These mean something only in brackets or before a parenthesis; elsewhere they are keys like any other.
  case first = "FIRST"
  case last = "LAST"
  case size = "SIZE"
  case subquery = "SUBQUERY"
  case cast = "CAST"
  case fetch = "FETCH"
  case ternary = "TERNARY"
  case function = "FUNCTION"
  // Apple's parser reserves these too; this one does not know what they do.
  case anyKey = "ANYKEY"
  case caseInsensitive = "CASEINSENSITIVE"
  case caseInsensitiveShort = "CI"

  /// Recognises a word.
  init?(word: String) {
    // The longest keyword has 15 letters; this also spares hostile text the copy. Only ASCII: the upper case of a
    // dotless i is I, too.
    guard word.utf8.count <= 15, word.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    self.init(rawValue: word.uppercased())
  }

  /// Whether the word can stand for a key without `#` before it.
  var isContextual: Bool {
    switch self {
    case .first, .last, .size, .subquery, .cast, .fetch, .ternary, .function: true
    default: false
    }
  }

  /// Whether the word is written with `#` when it is a key.
  ///
  /// Apple's parser insists on more words than this one.
  var isEscapedInPrint: Bool { self != .function && self != .ternary }
}
