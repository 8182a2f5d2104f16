internal import PropertyList

/// What an archived expression consists of; its parts are archived expressions themselves.
package enum ArchivedExpression {
  case evaluatedObject
  case variable(String)
  /// The value stands in the object.
  case constant
  case keyPathSpecifier(String)
  /// A key path is archived as a call of `valueForKeyPath:` on what it starts from.
  case keyPath(operand: ArchivedObject?, arguments: [ArchivedObject])
  case function(selector: String, operand: ArchivedObject?, arguments: [ArchivedObject])
  case aggregate([ArchivedObject])
  case fetch(request: ArchivedObject, context: ArchivedObject, onlyCounts: Bool)

  /// How deep expressions may be nested in each other.
  package static let depthLimit = 64
  /// The class of Foundation that the functions of the format language belong to.
  package static let functionsClass = "_NSPredicateUtilities"

  // A key path is a function too, so the order in an object's own list of classes decides.
  private static let classes: Set = [
    "NSSelfExpression", "NSVariableExpression", "NSConstantValueExpression", "NSKeyPathSpecifierExpression",
    "NSKeyPathExpression", "NSFunctionExpression", "NSAggregateExpression", "NSFetchRequestExpression",
  ]

  /// Looks at an object.
  ///
  /// - Throws: `ModelFileProblem.unsupportedExpression` where it is no expression that is known.
  package init(_ object: ArchivedObject) throws(ModelFileProblem) {
    switch object.kind(of: Self.classes) {
    case "NSSelfExpression": self = .evaluatedObject
    case "NSVariableExpression": self = .variable(try object.required("NSVariable"))
    case "NSConstantValueExpression": self = .constant
    case "NSKeyPathSpecifierExpression": self = .keyPathSpecifier(try object.required("NSKeyPath"))
    case "NSKeyPathExpression":
      self = .keyPath(operand: try object.object("NSOperand"), arguments: try object.expressions("NSArguments"))
    case "NSFunctionExpression":
      self = .function(
        selector: try object.required("NSSelectorName"), operand: try object.object("NSOperand"),
        arguments: try object.expressions("NSArguments"))
    case "NSAggregateExpression": self = .aggregate(try object.expressions("NSCollection"))
    case "NSFetchRequestExpression":
      self = .fetch(
        request: try object.expression("NSFRExpression"), context: try object.expression("NSMOCExpression"),
        onlyCounts: try object.boolean("NSCountOnlyFlag"))
    default: throw .unsupportedExpression(subject: object.subject, className: object.className)
    }
  }
}

extension ArchivedObject {
  fileprivate func required(_ key: String) throws(ModelFileProblem) -> String {
    guard let text = try optional(key) else { throw unexpected(key, "a text") }
    return text
  }

  fileprivate func expression(_ key: String) throws(ModelFileProblem) -> ArchivedObject {
    guard let part = try object(key) else { throw unexpected(key, "an expression") }
    return part
  }

  fileprivate func expressions(_ key: String) throws(ModelFileProblem) -> [ArchivedObject] {
    try list(key).map { reference throws(ModelFileProblem) in
      guard let part = try archive.object(reference, subject: subject) else {
        throw unexpected(key, "a list of expressions")
      }
      return part
    }
  }
}
