internal import DataModel
internal import Expressions
internal import PropertyList

extension ExpressionArchiveWriter {
  /// A key path is archived as a call of `valueForKeyPath:` on what it starts from.
  static func keyPath(
    _ path: [KeyPathComponent], of operand: Expression, to writer: inout KeyedArchiveWriter
  ) throws(UnarchivableExpression) -> PropertyList {
    guard let text = path.keyPathText else { throw UnarchivableExpression(expression: .keyPath(operand, path)) }
    return try writer.add(["NSKeyPathExpression", "NSFunctionExpression", "NSExpression"]) { writer throws(Failure) in
      // Foundation has a call of its own for one key of the instance itself.
      let isKey = operand == .evaluatedObject && path.count == 1
      let selector = writer.add(isKey ? "valueForKey:" : "valueForKeyPath:")
      let receiver = try add(operand, to: &writer)
      let arguments = try writer.add(["NSMutableArray", "NSArray"]) { writer throws(Failure) in
        let specifier = try writer.add(names("NSKeyPathSpecifierExpression")) { writer throws(Failure) in
          ["$class": .null, "NSExpressionType": ExpressionType.keyPathSpecifier.value, "NSKeyPath": writer.add(text)]
        }
        return ["NS.objects": .array([specifier])]
      }
      let type = operand == .evaluatedObject ? ExpressionType.keyPath : .function
      return fields(receiver, selector, type, arguments)
    }
  }

  static func function(
    target: Expression?, _ selector: String, _ arguments: [Expression], to writer: inout KeyedArchiveWriter
  ) throws(UnarchivableExpression) -> PropertyList {
    try writer.add(names("NSFunctionExpression")) { writer throws(Failure) in
      let selector = writer.add(selector)
      let receiver = if let target { try add(target, to: &writer) } else { try functions(to: &writer) }
      let arguments = try list(arguments, ["NSArray"], to: &writer)
      return fields(receiver, selector, .function, arguments)
    }
  }

  /// The class that the functions of the format language belong to.
  private static func functions(to writer: inout KeyedArchiveWriter) throws(UnarchivableExpression) -> PropertyList {
    try writer.add(names("NSConstantValueExpression")) { writer throws(Failure) in
      [
        "NSConstantValueClassName": writer.add(ArchivedExpression.functionsClass),
        "NSExpressionType": ExpressionType.constant.value,
      ]
    }
  }

  static func list(
    _ elements: [Expression], _ classNames: [String], to writer: inout KeyedArchiveWriter
  ) throws(UnarchivableExpression) -> PropertyList {
    try writer.add(classNames) { writer throws(Failure) in
      var references: [PropertyList] = []
      for element in elements { references.append(try add(element, to: &writer)) }
      return ["NS.objects": .array(references)]
    }
  }

  private static func fields(
    _ operand: PropertyList, _ selector: PropertyList, _ type: ExpressionType, _ arguments: PropertyList
  ) -> PropertyListDictionary {
    ["NSOperand": operand, "NSSelectorName": selector, "NSExpressionType": type.value, "NSArguments": arguments]
  }
}
