internal import Expressions
internal import PropertyList

extension ModelArchiver {
  /// Adds an expression, if archives of Apple's show how.
  mutating func add(_ expression: Expression, _ subject: String) throws(ModelFileProblem) -> PropertyList {
    switch expression {
    case .evaluatedObject: return addInstance()
    case .variable(let name):
      return archive.add(
        .variableExpression, ["NSExpressionType": .integer(2), "NSVariable": archive.add(name)])
    case .constant(.integer(let number)): return addConstant(archive.add(.integer(number)))
    case .constant(.string(let text)): return addConstant(archive.add(text))
    case .keyPath(.evaluatedObject, let path) where path.count == 1:
      return try addKeyPath(path, of: addInstance(), type: 3, selector: "valueForKey:", expression, subject)
    case .keyPath(.variable(let name), let path):
      let operand = try add(Expression.variable(name), subject)
      return try addKeyPath(path, of: operand, type: 4, selector: "valueForKeyPath:", expression, subject)
    case .function(nil, let selector, let arguments) where arguments.count == 1 && Self.functions.contains(selector):
      let argument = try add(arguments[0], subject)
      return addFunction(selector, archive.add(.array, [argument]))
    default: throw .unarchivable(subject: subject, part: "the expression '\(expression)'")
    }
  }

  /// Functions of one argument.
  private static let functions: Set = [
    "average:", "canonical:", "count:", "lowercase:", "max:", "min:", "sum:", "uppercase:",
  ]

  private mutating func addInstance() -> PropertyList {
    if let instance { return instance }
    let reference = archive.add(.selfExpression, ["NSExpressionType": .integer(1)])
    instance = reference
    return reference
  }

  private mutating func addConstant(_ value: PropertyList) -> PropertyList {
    archive.add(.constantExpression, ["NSExpressionType": .integer(0), "NSConstantValue": value])
  }

  private mutating func addKeyPath(
    _ path: [KeyPathComponent], of operand: PropertyList, type: Int64, selector: String, _ expression: Expression,
    _ subject: String
  ) throws(ModelFileProblem) -> PropertyList {
    var keys: [String] = []
    for component in path {
      guard case .key(let key) = component else {
        throw .unarchivable(subject: subject, part: "the expression '\(expression)'")
      }
      keys.append(key)
    }
    let specifier = archive.add(
      .keyPathSpecifier,
      ["NSExpressionType": .integer(10), "NSKeyPath": archive.add(keys.joined(separator: "."))])
    return archive.add(
      .keyPathExpression,
      [
        "NSExpressionType": .integer(type), "NSOperand": operand, "NSSelectorName": archive.add(selector),
        "NSArguments": archive.add(.mutableArray, [specifier]),
      ])
  }

  /// The functions of the format language belong to a class of Foundation.
  private mutating func addFunction(_ selector: String, _ arguments: PropertyList) -> PropertyList {
    let owner = archive.add(
      .constantExpression,
      ["NSExpressionType": .integer(0), "NSConstantValueClassName": archive.add(ArchivedExpression.functionsClass)])
    return archive.add(
      .functionExpression,
      [
        "NSExpressionType": .integer(4), "NSOperand": owner, "NSSelectorName": archive.add(selector),
        "NSArguments": arguments,
      ])
  }
}
