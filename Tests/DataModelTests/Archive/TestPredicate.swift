import PropertyListFormat

/// A predicate, archived in the classes that Core Data's own files use.
indirect enum TestPredicate: Sendable {
  case always
  case never
  /// An operator by its number, with options and a modifier.
  case comparison(TestExpression, Int64, TestExpression, options: Int64 = 0, modifier: Int64 = 0)
  /// 0 is NOT, 1 is AND, 2 is OR.
  case compound(Int64, [TestPredicate])
  case other(String)

  func archived(by archiver: inout TestArchiver) -> PropertyList {
    switch self {
    case .always: return archiver.add("NSTruePredicate", [:])
    case .never: return archiver.add("NSFalsePredicate", [:])
    case .comparison(let left, let type, let right, let options, let modifier):
      // Operators on texts keep their options under a key of their own.
      let isTextual = type == 99 || (6...10).contains(type)
      let operatorClass = isTextual ? "NSInPredicateOperator" : "NSComparisonPredicateOperator"
      let operatorReference = archiver.add(
        operatorClass,
        [
          "NSOperatorType": .integer(type), "NSModifier": .integer(modifier),
          isTextual ? "NSFlags" : "NSOptions": .integer(options),
        ])
      let (left, right) = (left.archived(by: &archiver), right.archived(by: &archiver))
      return archiver.add(
        "NSComparisonPredicate",
        ["NSLeftExpression": left, "NSRightExpression": right, "NSPredicateOperator": operatorReference])
    case .compound(let type, let predicates):
      let parts = predicates.map { $0.archived(by: &archiver) }
      let list = archiver.list(parts)
      return archiver.add(
        "NSCompoundPredicate", ["NSCompoundPredicateType": .integer(type), "NSSubpredicates": list])
    case .other(let className): return archiver.add(className, [:])
    }
  }
}
