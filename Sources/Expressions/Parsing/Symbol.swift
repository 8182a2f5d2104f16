/// A sign of the format language.
///
/// The longest that fits is taken.
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
  case and = "&&"
  case or = "||"
  case not = "!"

  /// The sign that text begins with: two characters if they make one, or else the first.
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
