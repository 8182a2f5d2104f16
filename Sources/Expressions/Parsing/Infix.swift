/// An operator that stands between its operands.
enum Infix {
  case or
  case and
  case comparison(ComparisonOperator)
  case arithmetic(ArithmeticOperator)

  /// How strongly an operator holds its operands, in Apple's order.
  enum Precedence: Int, Comparable {
    case or, and, not, comparison, additive, multiplicative, power, unary

    static func < (left: Precedence, right: Precedence) -> Bool { left.rawValue < right.rawValue }

    /// What the right operand of a left-associative operator must have.
    var next: Precedence { Precedence(rawValue: rawValue + 1) ?? .unary }
  }

  var precedence: Precedence {
    switch self {
    case .or: .or
    case .and: .and
    case .comparison: .comparison
    case .arithmetic(let symbol): symbol.precedence
    }
  }

  /// The operator that a token stands for, or `nil` if it is none.
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
      guard let arithmetic = ArithmeticOperator(rawValue: symbol.rawValue) else { return nil }
      self = .arithmetic(arithmetic)
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
