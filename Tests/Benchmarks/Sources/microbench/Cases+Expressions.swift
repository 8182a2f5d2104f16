internal import CoreDataExpressions

/// A row, as expressions see it.
private final class Row: KeyValueObject {
  private let values: [String: ExpressionValue] = [
    "title": "Die schöne Müllerin", "duration": 278_549, "rating": 3.5, "artistName": "Sölíř",
  ]

  func value(forKey key: String) throws -> ExpressionValue { values[key] ?? .null }
}

/// Value expressions and predicates, evaluated again and again.
func expressionCases() throws -> [Case] {
  let expressions = [
    "$source.title", "$source.duration / 1000 + 1", "TERNARY($source.rating > 3, uppercase($source.title), 'low')",
  ]
  let predicates = [
    "title == 'Die schöne Müllerin'", "title CONTAINS[cd] 'muller'", "title MATCHES '.*sch.ne.*' AND duration > 1000",
  ]
  let (count, row) = (50_000, ExpressionValue.object(Row()))
  let unit = Case.Unit.rate(of: count, "evaluations")
  let context = EvaluationContext(object: row, variables: ["source": row])
  return try expressions.map { text in
    let expression = try Expression(format: text)
    return Case("expression: `\(text)`", unit) {
      try Timing { for _ in 0..<count { _ = try expression.value(in: context) } }
    }
  }
    + predicates.map { text in
      let predicate = try Predicate(format: text)
      return Case("predicate: `\(text)`", unit) {
        try Timing { for _ in 0..<count { _ = try predicate.evaluate(in: context) } }
      }
    }
    + [
      Case("expression: parsing `\(expressions[2])`", .rate(of: count, "texts")) {
        try Timing { for _ in 0..<count { _ = try Expression(format: expressions[2]) } }
      }
    ]
}
