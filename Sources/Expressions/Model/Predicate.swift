/// A condition in Core Data's format language: something that is true or false for an object.
///
/// Predicates are immutable values. `init(format:_:)` reads one from text, `description` writes it as text again.
public indirect enum Predicate: Sendable, Hashable {
  /// `TRUEPREDICATE` or `FALSEPREDICATE`.
  case constant(Bool)
  /// Two expressions, compared.
  case comparison(Comparison)
  /// All of two or more.
  case and([Predicate])
  /// At least one of two or more.
  case or([Predicate])
  /// The opposite.
  case not(Predicate)
}

extension Predicate {
  /// The condition that every object satisfies.
  public static let everything = Predicate.constant(true)

  /// Makes a comparison.
  public static func compare(
    _ left: Expression, _ comparisonOperator: ComparisonOperator, _ right: Expression,
    options: ComparisonOptions = [], modifier: ComparisonModifier = .direct
  ) -> Predicate {
    .comparison(Comparison(left, comparisonOperator, right, options: options, modifier: modifier))
  }
}
