/// An expression in Core Data's format language: something that has a value for an object.
///
/// Expressions are immutable values. `init(format:_:)` reads one from text, `description` writes it as text again.
///
/// What the parser makes is in normal form: key paths are joined (`a.b.c` is one key path of SELF), arithmetic functions
/// such as `add:to:` are operators, and numbers carry their sign. An expression in normal form prints as text that
/// parses back to an equal one.
public indirect enum Expression: Sendable, Hashable {
  /// A literal value.
  case constant(Literal)
  /// `SELF`, the object that the expression is evaluated for.
  case evaluatedObject
  /// `$name`. The name has no dollar sign.
  case variable(String)
  /// Keys and collection operators, followed from what another expression gives. Plain `name` starts at SELF.
  case keyPath(Expression, [KeyPathComponent])
  /// `collection[FIRST]`, `collection[0]` and the like.
  case element(of: Expression, at: CollectionIndex)
  /// A function: `selector:(arguments)` without a target, `FUNCTION(target, "selector:", arguments)` with one.
  case function(target: Expression?, selector: String, arguments: [Expression])
  /// `{a, b, c}`.
  case aggregate([Expression])
  /// `a + b` and the like.
  case arithmetic(ArithmeticOperator, Expression, Expression)
  /// `-a`, of something that is no number literal.
  case negative(Expression)
  /// `SUBQUERY(collection, $variable, predicate)`: the elements that satisfy the predicate.
  case subquery(Expression, variable: String, Predicate)
  /// `CAST(expression, "NSDate")`. Dates, identifiers, URLs, data and decimals are written as casts of a literal.
  case cast(Expression, type: String)
  /// `TERNARY(predicate, ifTrue, ifFalse)`.
  case ternary(Predicate, Expression, Expression)
  /// `FETCH(request, context, countOnly)`.
  case fetch(request: Expression, context: Expression, countOnly: Bool)
}

extension Expression {
  /// `nil`.
  public static let null = Expression.constant(.null)

  /// Makes a key path that starts at SELF, or at a variable such as `source`.
  public static func key(_ names: String..., of operand: Expression = .evaluatedObject) -> Expression {
    .keyPath(operand, names.map { .key($0) })
  }

  /// The key of a source attribute or relationship that this expression copies as it is: `title` for `$source.title`.
  public var copiedSourceKey: String? {
    guard case .keyPath(.variable("source"), let path) = self, path.count == 1, case .key(let key) = path[0] else {
      return nil
    }
    return key
  }
}
