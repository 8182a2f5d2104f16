import PropertyListFormat

/// An expression, archived in the classes that Core Data's own files use.
indirect enum TestExpression: Sendable {
  case constant(PropertyList)
  /// A constant that is a class: the receiver of a function.
  case classNamed(String)
  case instance
  case variable(String)
  case keyPath(TestExpression, String)
  case function(TestExpression, String, [TestExpression])
  case list([TestExpression])
  case fetch(TestExpression, TestExpression, onlyCounts: Bool)
  case ternary(TestPredicate, TestExpression, TestExpression)
  /// Any other class.
  case other(String)

  /// A function of the format language.
  static func call(_ selector: String, _ arguments: TestExpression...) -> TestExpression {
    .function(.classNamed("_NSPredicateUtilities"), selector, arguments)
  }

  /// A property of the instance, or what it leads to.
  static func property(_ path: String) -> TestExpression { .keyPath(.instance, path) }

  func archived(by archiver: inout TestArchiver) -> PropertyList {
    switch self {
    case .constant(let value):
      let constant = value == .null ? TestArchiver.null : archiver.add(value)
      return archiver.add("NSConstantValueExpression", ["NSExpressionType": .integer(0), "NSConstantValue": constant])
    case .classNamed(let name):
      let name = archiver.add(name)
      return archiver.add("NSConstantValueExpression", ["NSConstantValueClassName": name])
    case .instance: return archiver.add("NSSelfExpression", ["NSExpressionType": .integer(1)])
    case .variable(let name):
      let name = archiver.add(name)
      return archiver.add("NSVariableExpression", ["NSVariable": name])
    case .keyPath(let operand, let path):
      let (operand, path) = (operand.archived(by: &archiver), archiver.add(path))
      let specifier = archiver.add("NSKeyPathSpecifierExpression", ["NSKeyPath": path])
      let (selector, arguments) = (archiver.add("valueForKeyPath:"), archiver.list([specifier], "NSMutableArray"))
      return archiver.add(
        "NSKeyPathExpression", ["NSOperand": operand, "NSSelectorName": selector, "NSArguments": arguments])
    case .function(let operand, let selector, let arguments):
      let (operand, selector) = (operand.archived(by: &archiver), archiver.add(selector))
      let parts = arguments.map { $0.archived(by: &archiver) }
      let list = archiver.list(parts)
      return archiver.add(
        "NSFunctionExpression", ["NSOperand": operand, "NSSelectorName": selector, "NSArguments": list])
    case .list(let elements):
      let parts = elements.map { $0.archived(by: &archiver) }
      let list = archiver.list(parts)
      return archiver.add("NSAggregateExpression", ["NSCollection": list])
    case .fetch(let request, let context, let onlyCounts):
      let (request, context) = (request.archived(by: &archiver), context.archived(by: &archiver))
      return archiver.add(
        "NSFetchRequestExpression",
        ["NSFRExpression": request, "NSMOCExpression": context, "NSCountOnlyFlag": .boolean(onlyCounts)])
    case .ternary(let predicate, let yes, let no):
      let (predicate, yes, no) = (
        predicate.archived(by: &archiver), yes.archived(by: &archiver), no.archived(by: &archiver)
      )
      return archiver.add(
        "NSTernaryExpression", ["NSPredicate": predicate, "NSTrueExpression": yes, "NSFalseExpression": no])
    case .other(let className): return archiver.add(className, [:])
    }
  }
}
