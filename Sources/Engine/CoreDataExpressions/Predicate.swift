/// A condition in Core Data's format language, which is true or false for an object.
///
/// Predicates are immutable values. `init(format:_:)` parses a text, and `description` returns it.
public indirect enum Predicate: Sendable, Hashable {
  /// `TRUEPREDICATE` or `FALSEPREDICATE`.
  case constant(Bool)
  /// A comparison of two expressions.
  case comparison(Comparison)
  /// Whether all of two or more are true.
  case and([Predicate])
  /// Whether at least one of two or more is true.
  case or([Predicate])
  /// The negation.
  case not(Predicate)
}

extension Predicate {
  /// The predicate that is true for every object.
  package static let everything = Predicate.constant(true)

  /// Returns a comparison.
  package static func compare(
    _ left: Expression, _ comparisonOperator: ComparisonOperator, _ right: Expression,
    options: ComparisonOptions = [], modifier: ComparisonModifier = .direct
  ) -> Predicate {
    .comparison(Comparison(left, comparisonOperator, right, options: options, modifier: modifier))
  }

  // MARK: - Substitution

  /// Replaces variables by expressions.
  ///
  /// Other variables stay.
  package func substituting(_ values: [String: Expression]) -> Predicate {
    switch self {
    case .constant: self
    case .comparison(let comparison): .comparison(comparison.substituting(values))
    case .and(let parts): .and(parts.map { $0.substituting(values) })
    case .or(let parts): .or(parts.map { $0.substituting(values) })
    case .not(let part): .not(part.substituting(values))
    }
  }

  /// Replaces variables by values.
  package func substituting(_ values: [String: FormatArgument]) -> Predicate {
    substituting(values.mapValues(\.expression))
  }
}

extension Comparison {
  fileprivate func substituting(_ values: [String: Expression]) -> Comparison {
    Comparison(
      left.substituting(values), comparisonOperator, right.substituting(values), options: options, modifier: modifier)
  }
}

/// Two expressions and how they are compared.
public struct Comparison: Sendable, Hashable {
  /// The left operand.
  package let left: Expression
  /// The operator.
  package let comparisonOperator: ComparisonOperator
  /// The right operand.
  package let right: Expression
  /// The options for text.
  package let options: ComparisonOptions
  /// Whether the left operand is one value, or any or all values of a collection.
  package let modifier: ComparisonModifier

  /// Creates a comparison.
  package init(
    _ left: Expression, _ comparisonOperator: ComparisonOperator, _ right: Expression,
    options: ComparisonOptions = [], modifier: ComparisonModifier = .direct
  ) {
    self.left = left
    self.comparisonOperator = comparisonOperator
    self.right = right
    self.options = options
    self.modifier = modifier
  }
}

/// The operators that compare two values.
public enum ComparisonOperator: String, Sendable, Hashable, CaseIterable {
  case equal = "=="
  case notEqual = "!="
  case lessThan = "<"
  case lessThanOrEqual = "<="
  case greaterThan = ">"
  case greaterThanOrEqual = ">="
  case between = "BETWEEN"
  case `in` = "IN"
  case contains = "CONTAINS"
  case beginsWith = "BEGINSWITH"
  case endsWith = "ENDSWITH"
  case like = "LIKE"
  case matches = "MATCHES"
}

/// Whether the left operand of a comparison is one value or a collection.
///
/// `SOME` is another word for `ANY`, and `NONE` is `NOT ANY`.
public enum ComparisonModifier: String, Sendable, Hashable {
  case direct = ""
  case any = "ANY"
  case all = "ALL"
}

/// The options for comparing text: one or more of the letters in `[cdln]`.
public struct ComparisonOptions: OptionSet, Sendable, Hashable {
  /// One bit for each option.
  public let rawValue: UInt8

  /// Creates options from bits.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// `c`: ignores case.
  package static let caseInsensitive = ComparisonOptions(rawValue: 1)
  /// `d`: ignores diacritical marks.
  package static let diacriticInsensitive = ComparisonOptions(rawValue: 2)
  /// `n`: the text is already normalised, so it is compared unchanged.
  ///
  /// It overrides the other options.
  package static let normalized = ComparisonOptions(rawValue: 4)
  /// `l`: compares by the rules of a language.
  ///
  /// It is kept, and changes nothing: which rows a condition selects must not depend on the machine.
  package static let localeSensitive = ComparisonOptions(rawValue: 8)

  /// The folding of text before its code units are compared.
  var folding: ComparisonOptions {
    contains(.normalized) ? [] : intersection([.caseInsensitive, .diacriticInsensitive])
  }
}

/// An operator between two numbers.
public enum ArithmeticOperator: String, Sendable, Hashable, CaseIterable {
  case add = "+"
  case subtract = "-"
  case multiply = "*"
  case divide = "/"
  case power = "**"

  /// The selector of the function that Apple's parser returns for the operator.
  package var selector: String {
    switch self {
    case .add: "add:to:"
    case .subtract: "from:subtract:"
    case .multiply: "multiply:by:"
    case .divide: "divide:by:"
    case .power: "raise:toPower:"
    }
  }

  /// Finds the operator for a function's selector.
  package init?(selector: String) {
    guard let found = Self.allCases.first(where: { $0.selector == selector }) else { return nil }
    self = found
  }
}
