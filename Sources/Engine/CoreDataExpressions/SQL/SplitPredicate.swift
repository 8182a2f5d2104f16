/// A predicate in two parts: what SQL selects with the same result, and what is evaluated on the rows that are left.
package struct SplitPredicate {
  /// The part for `WHERE`; `nil` if there is none.
  package private(set) var sql: SQLFragment?
  /// The part to evaluate; `nil` if there is none.
  package private(set) var rest: Predicate?
  /// The reasons why its terms are not in SQL, in their order.
  package private(set) var obstacles: [SQLTranslationError] = []

  /// Splits a predicate into terms that must all hold.
  fileprivate init(_ predicate: Predicate, _ translate: (Predicate) throws(SQLTranslationError) -> SQLFragment) {
    var fragments: [SQLFragment] = []
    var others: [Predicate] = []
    for term in predicate.terms {
      do throws(SQLTranslationError) {
        fragments.append(try translate(term))
      } catch {
        others.append(term)
        obstacles.append(error)
      }
    }
    if fragments.reduce(0, { $0 + $1.arguments.count }) > SQLWriter.argumentLimit {
      obstacles.append(SQLTranslationError(.tooManyArguments, "the whole"))
      rest = predicate
      return
    }
    // A mistake must not depend on the rows that the other terms leave.
    guard !obstacles.contains(where: \.reason.isMistake) else {
      rest = predicate
      return
    }
    if !fragments.isEmpty { sql = SQLFragment.join(fragments[...], "AND") }
    if !others.isEmpty { rest = others.count == 1 ? others[0] : .and(others) }
  }
}

extension Predicate {
  /// Translates what SQL can express of the predicate.
  ///
  /// - Parameters:
  ///   - table: The table of the rows.
  ///   - alias: The alias of the table in the query.
  ///   - naming: How properties are stored.
  package func split(on table: SQLTable, alias: String = "t0", naming: some SQLSchema) -> SplitPredicate {
    SplitPredicate(self) { term throws(SQLTranslationError) in
      try term.sql(on: table, alias: alias, naming: naming)
    }
  }

  /// The predicates that hold together if this one holds.
  fileprivate var terms: [Predicate] {
    switch self {
    case .and(let parts): parts.flatMap(\.terms)
    case .not(.or(let parts)): parts.flatMap { Predicate.not($0).terms }
    case .not(.not(let part)): part.terms
    default: [self]
    }
  }
}

extension SQLTranslationError.Reason {
  /// Whether evaluation finds it wrong, too, rather than only SQL unable to express it.
  fileprivate var isMistake: Bool {
    switch self {
    case .unknownKey, .unknownElement, .unboundVariable, .toMany, .evaluation: true
    case .unsupported, .kinds, .mayOverflow, .mayDivideByZero, .pattern, .tooManyArguments, .tooDeep: false
    }
  }
}
