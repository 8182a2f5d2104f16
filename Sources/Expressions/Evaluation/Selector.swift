/// The functions that evaluation knows without being told.
enum Selector {
  /// How a function's name with its parenthesis is completed: `modulus(a, b)` is `modulus:by:`.
  static func full(_ name: String, argumentCount: Int) -> String {
    let colons = { (selector: String) in selector.utf8.count { $0 == UInt8(ascii: ":") } }
    let known = all.first { $0.prefix { $0 != ":" } == name && colons($0) == argumentCount }
    return known ?? (argumentCount == 0 ? name : name + ":")
  }

  /// All selectors, in the order of the alphabet.
  static let all =
    (Array(numeric.keys) + collective + textual + ArithmeticOperator.allCases.map(\.selector)
    + ["now", "noindex:"] + Array(bitwise.keys) + ["modulus:by:"]).sorted()

  /// Functions of one collection, or of several numbers.
  static let collective = ["sum:", "count:", "min:", "max:", "average:", "median:"]

  /// Functions of one text.
  static let textual = ["uppercase:", "lowercase:", "length:"]

  /// Functions of one number that give a real number.
  ///
  /// `abs:` and the rounding ones keep a whole number as it is.
  static let numeric: [String: @Sendable (Double) -> Double] = [
    "abs:": { abs($0) },
    "floor:": { $0.rounded(.down) },
    "ceiling:": { $0.rounded(.up) },
    "trunc:": { $0.rounded(.towardZero) },
    "sqrt:": { $0.squareRoot() },
    "exp:": { CMath.exp($0) },
    "ln:": { CMath.log($0) },
    "log:": { CMath.log10($0) },
  ]

  /// Functions that keep a whole number whole.
  static let integral: Set<String> = ["abs:", "floor:", "ceiling:", "trunc:"]

  /// Functions of the bits of two numbers.
  static let bitwise: [String: @Sendable (Int64, Int64) -> Int64] = [
    "bitwiseAnd:with:": { $0 & $1 },
    "bitwiseOr:with:": { $0 | $1 },
    "bitwiseXor:with:": { $0 ^ $1 },
    "leftshift:by:": { $0 << $1 },
    "rightshift:by:": { $0 >> $1 },
  ]
}
