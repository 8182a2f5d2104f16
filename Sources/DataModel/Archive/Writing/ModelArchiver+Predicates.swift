internal import Expressions
internal import PropertyList

extension ModelArchiver {
  /// Adds a predicate that may be missing, from its format.
  mutating func addPredicate(_ text: String?, _ subject: String) throws(ModelFileProblem) -> PropertyList {
    guard let text else { return KeyedArchiveWriter.null }
    guard let predicate = try? Predicate(format: text) else {
      throw .unarchivable(subject: subject, part: "the predicate '\(text)'")
    }
    return try add(predicate, subject)
  }

  /// Adds a predicate, if archives of Apple's show how.
  mutating func add(_ predicate: Predicate, _ subject: String) throws(ModelFileProblem) -> PropertyList {
    switch predicate {
    case .not(let part): return try addCompound(0, [part], subject)
    case .and(let parts): return try addCompound(1, parts, subject)
    case .or(let parts): return try addCompound(2, parts, subject)
    case .comparison(let comparison):
      guard comparison.modifier == .direct, let fields = Self.fields(of: comparison) else { break }
      let (left, right) = (try add(comparison.left, subject), try add(comparison.right, subject))
      var operatorFields = fields.fields
      operatorFields["NSModifier"] = .integer(0)
      let comparisonOperator = archive.add(fields.archivedClass, operatorFields)
      return archive.add(
        .comparisonPredicate,
        ["NSLeftExpression": left, "NSRightExpression": right, "NSPredicateOperator": comparisonOperator])
    case .constant: break
    }
    throw .unarchivable(subject: subject, part: "the predicate '\(predicate)'")
  }

  private mutating func addCompound(
    _ type: Int64, _ predicates: [Predicate], _ subject: String
  ) throws(ModelFileProblem) -> PropertyList {
    var parts: [PropertyList] = []
    for predicate in predicates { parts.append(try add(predicate, subject)) }
    return archive.add(
      .compoundPredicate, ["NSCompoundPredicateType": .integer(type), "NSSubpredicates": archive.add(.array, parts)])
  }

  /// Each kind of operator is a class of its own; the numbers are those of `NSComparisonPredicate.Operator`.
  private static func fields(
    of comparison: Comparison
  ) -> (archivedClass: ArchivedClass, fields: PropertyListDictionary)? {
    let options = comparison.options
    switch comparison.comparisonOperator {
    case .equal where options.isEmpty:
      return (
        .equalityOperator, ["NSOperatorType": .integer(4), "NSOptions": .integer(0), "NSNegate": .boolean(false)]
      )
    case .lessThan where options.isEmpty: return ordering(0)
    case .lessThanOrEqual where options.isEmpty: return ordering(1)
    case .greaterThan where options.isEmpty: return ordering(2)
    case .greaterThanOrEqual where options.isEmpty: return ordering(3)
    case .contains where options.subtracting([.caseInsensitive, .diacriticInsensitive]).isEmpty:
      return (.inOperator, ["NSOperatorType": .integer(99), "NSFlags": .integer(Int64(options.rawValue))])
    default: return nil
    }
  }

  private static func ordering(_ type: Int64) -> (ArchivedClass, PropertyListDictionary) {
    (
      .comparisonOperator,
      ["NSOperatorType": .integer(type), "NSVariant": .integer(type), "NSOptions": .integer(0)]
    )
  }
}
