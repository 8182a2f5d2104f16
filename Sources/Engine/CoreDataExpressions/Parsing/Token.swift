/// A piece of a format.
struct Token {
  let kind: Kind
  /// The range in UTF-8.
  let range: Range<Int>

  enum Kind: Equatable {
    case end
    case symbol(Symbol)
    /// A keyword, or a key; `#word` is always a key.
    case keyword(Keyword, String)
    case key(String)
    /// A name with its colons, such as `add:to:`.
    case selector(String)
    case variable(String)
    /// `@count` without the sign.
    case collectionOperator(String)
    /// Without a sign; the minimum integer has a larger magnitude than the maximum.
    case integer(UInt64)
    case real(Double)
    case string(String)
    case placeholder(Placeholder)
  }
}

/// A sign of the format language; the longest match is used.
enum Symbol: String, CaseIterable {
  case openParenthesis = "("
  case closeParenthesis = ")"
  case openBrace = "{"
  case closeBrace = "}"
  case openBracket = "["
  case closeBracket = "]"
  case comma = ","
  case dot = "."
  case plus = "+"
  case minus = "-"
  case times = "*"
  case power = "**"
  case over = "/"
  case equal = "=="
  case singleEqual = "="
  case notEqual = "!="
  case otherNotEqual = "<>"
  case lessThan = "<"
  case lessThanOrEqual = "<="
  case otherLessThanOrEqual = "=<"
  case greaterThan = ">"
  case greaterThanOrEqual = ">="
  case otherGreaterThanOrEqual = "=>"
  case bitwiseAnd = "&"
  case bitwiseOr = "|"
  case bitwiseXor = "^"
  case complement = "~"
  case leftShift = "<<"
  case rightShift = ">>"
  case and = "&&"
  case or = "||"
  case not = "!"

  /// The sign at the start of a text: two characters if they are one, or else the first.
  init?(_ first: UInt8, _ second: UInt8?) {
    if let second, let symbol = Symbol(rawValue: String(decoding: [first, second], as: UTF8.self)) {
      self = symbol
    } else if let symbol = Symbol(rawValue: String(decoding: [first], as: UTF8.self)) {
      self = symbol
    } else {
      return nil
    }
  }
}

/// A keyword of the format language, in upper or lower case.
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
  // These are keywords only in brackets or before a parenthesis; elsewhere they are ordinary keys.
  case first = "FIRST"
  case last = "LAST"
  case size = "SIZE"
  case subquery = "SUBQUERY"
  case cast = "CAST"
  case fetch = "FETCH"
  case ternary = "TERNARY"
  case function = "FUNCTION"
  // Apple's parser also reserves these, with an unknown meaning.
  case anyKey = "ANYKEY"
  case caseInsensitive = "CASEINSENSITIVE"
  case caseInsensitiveShort = "CI"

  /// Recognises a word.
  init?(word: String) {
    // The longest keyword has 15 letters, so hostile text is not copied. Only ASCII, because the uppercase of a dotless
    // i is also I.
    guard word.utf8.count <= 15, word.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    self.init(rawValue: word.uppercased())
  }

  /// Whether the word can be a key without `#`.
  var isContextual: Bool {
    switch self {
    case .first, .last, .size, .subquery, .cast, .fetch, .ternary, .function: true
    default: false
    }
  }

  /// Whether the word is written with `#` when it is a key.
  ///
  /// Apple's parser requires it for more words than this one.
  var isEscapedInPrint: Bool { self != .function && self != .ternary }
}

/// A placeholder for an argument in a format.
enum Placeholder: Equatable {
  /// `%@`: any value.
  case value
  /// `%K`: a key path.
  case keyPath
  /// `%d`, `%i`, `%u`, `%ld` and similar: a whole number.
  case integer
  /// `%f` and similar: a number.
  case real

  /// The placeholder for a letter.
  init?(letter: UInt8) {
    switch letter {
    case UInt8(ascii: "@"): self = .value
    case UInt8(ascii: "K"): self = .keyPath
    case UInt8(ascii: "d"), UInt8(ascii: "i"), UInt8(ascii: "u"), UInt8(ascii: "x"), UInt8(ascii: "X"):
      self = .integer
    case UInt8(ascii: "f"), UInt8(ascii: "F"), UInt8(ascii: "g"), UInt8(ascii: "e"): self = .real
    default: return nil
    }
  }
}

/// A binary operator.
enum Infix {
  case or
  case and
  case comparison(ComparisonOperator)
  case bitwise(BitwiseOperator)
  case arithmetic(ArithmeticOperator)

  /// The precedence of operators, in Apple's order; that of operators on bits is C's.
  enum Precedence: Int, Comparable {
    case or, and, not, comparison, bitwiseOr, bitwiseXor, bitwiseAnd, shift, additive, multiplicative, power, unary

    /// The lowest precedence of an operator between expressions.
    static let operand = bitwiseOr

    static func < (left: Precedence, right: Precedence) -> Bool { left.rawValue < right.rawValue }

    /// The minimum precedence in the right operand of a left-associative operator.
    var next: Precedence { Precedence(rawValue: rawValue + 1) ?? .unary }
  }

  var precedence: Precedence {
    switch self {
    case .or: .or
    case .and: .and
    case .comparison: .comparison
    case .bitwise(let symbol): symbol.precedence
    case .arithmetic(let symbol): symbol.precedence
    }
  }

  /// The operator for a token, or `nil` for other tokens.
  init?(_ kind: Token.Kind) {
    switch kind {
    case .symbol(let symbol): self.init(symbol)
    case .keyword(let keyword, _): self.init(keyword)
    default: return nil
    }
  }

  private init?(_ symbol: Symbol) {
    switch symbol {
    case .or: self = .or
    case .and: self = .and
    case .equal, .singleEqual: self = .comparison(.equal)
    case .notEqual, .otherNotEqual: self = .comparison(.notEqual)
    case .lessThan: self = .comparison(.lessThan)
    case .lessThanOrEqual, .otherLessThanOrEqual: self = .comparison(.lessThanOrEqual)
    case .greaterThan: self = .comparison(.greaterThan)
    case .greaterThanOrEqual, .otherGreaterThanOrEqual: self = .comparison(.greaterThanOrEqual)
    default:
      if let bitwise = BitwiseOperator(rawValue: symbol.rawValue) {
        self = .bitwise(bitwise)
      } else if let arithmetic = ArithmeticOperator(rawValue: symbol.rawValue) {
        self = .arithmetic(arithmetic)
      } else {
        return nil
      }
    }
  }

  private init?(_ keyword: Keyword) {
    switch keyword {
    case .or: self = .or
    case .and: self = .and
    default:
      guard let comparison = ComparisonOperator(rawValue: keyword.rawValue) else { return nil }
      self = .comparison(comparison)
    }
  }
}

extension ArithmeticOperator {
  var precedence: Infix.Precedence {
    switch self {
    case .add, .subtract: .additive
    case .multiply, .divide: .multiplicative
    case .power: .power
    }
  }
}

/// An operator on the bits of two whole numbers; the format language also has it as a function.
enum BitwiseOperator: String {
  case and = "&"
  case or = "|"
  case xor = "^"
  case leftShift = "<<"
  case rightShift = ">>"

  /// The selector of the function, in which expressions hold the operator.
  var selector: String {
    switch self {
    case .and: "bitwiseAnd:with:"
    case .or: "bitwiseOr:with:"
    case .xor: "bitwiseXor:with:"
    case .leftShift: "leftshift:by:"
    case .rightShift: "rightshift:by:"
    }
  }

  var precedence: Infix.Precedence {
    switch self {
    case .and: .bitwiseAnd
    case .or: .bitwiseOr
    case .xor: .bitwiseXor
    case .leftShift, .rightShift: .shift
    }
  }
}
