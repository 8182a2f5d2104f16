package import CoreDataExpressions
internal import DataModel
internal import PropertyListFormat

extension Expression {
  /// The expression as a keyed archive of an `NSExpression`.
  ///
  /// - Throws: `UnarchivableExpression` if the archived form is not known.
  package func archive() throws(UnarchivableExpression) -> [UInt8] {
    var writer = KeyedArchiveWriter()
    let root = try ExpressionArchiveWriter.add(self, to: &writer)
    return writer.bytes(root: root)
  }
}

/// An expression whose archived form is not known.
package struct UnarchivableExpression: Error, Sendable, Hashable {
  /// The part.
  package let expression: Expression
}

/// Archives expressions as Xcode's mapping model editor does.
enum ExpressionArchiveWriter {
  /// The numbers of `NSExpression.ExpressionType`.
  private enum ExpressionType: Int64 {
    case constant = 0
    case evaluatedObject = 1
    case variable = 2
    case keyPath = 3
    case function = 4
    case keyPathSpecifier = 10
    case aggregate = 14
    case fetch = 50

    var value: PropertyList { .integer(rawValue) }
  }

  typealias Failure = UnarchivableExpression

  static func add(
    _ expression: Expression, to writer: inout KeyedArchiveWriter
  ) throws(UnarchivableExpression) -> PropertyList {
    switch expression {
    case .constant(let literal): try constant(literal, to: &writer)
    case .evaluatedObject:
      try writer.add(names("NSSelfExpression")) { _ throws(Failure) in
        ["NSExpressionType": ExpressionType.evaluatedObject.value]
      }
    case .variable(let name):
      try writer.add(names("NSVariableExpression")) { writer throws(Failure) in
        ["NSVariable": writer.add(name), "NSExpressionType": ExpressionType.variable.value]
      }
    case .keyPath(let operand, let path): try keyPath(path, of: operand, to: &writer)
    case .function(let target, let selector, let arguments):
      try function(target: target, selector, arguments, to: &writer)
    case .arithmetic(let symbol, let left, let right):
      try function(target: nil, symbol.selector, [left, right], to: &writer)
    case .cast(let operand, let type):
      try function(
        target: nil, ExpressionArchiveReader.castSelector, [operand, .constant(.string(type))], to: &writer)
    case .aggregate(let elements):
      try writer.add(names("NSAggregateExpression")) { writer throws(Failure) in
        let list = try list(elements, ["NSArray"], to: &writer)
        return ["NSExpressionType": ExpressionType.aggregate.value, "NSCollection": list]
      }
    case .fetch(let request, let context, let countOnly):
      try writer.add(names("NSFetchRequestExpression")) { writer throws(Failure) in
        let request = try add(request, to: &writer)
        let context = try add(context, to: &writer)
        return [
          "NSMOCExpression": context, "NSCountOnlyFlag": .boolean(countOnly),
          "NSExpressionType": ExpressionType.fetch.value, "NSFRExpression": request,
        ]
      }
    case .element, .negative, .subquery, .ternary: throw UnarchivableExpression(expression: expression)
    }
  }

  static func names(_ className: String) -> [String] { [className, "NSExpression"] }

  private static func constant(
    _ literal: Literal, to writer: inout KeyedArchiveWriter
  ) throws(UnarchivableExpression) -> PropertyList {
    try writer.add(names("NSConstantValueExpression")) { writer throws(Failure) in
      let value =
        switch literal {
        case .null: KeyedArchiveWriter.null
        case .boolean(let value): writer.add(.boolean(value))
        case .integer(let number): writer.add(.integer(number))
        case .real(let number): writer.add(.real(number))
        case .string(let text): writer.add(text)
        }
      return ["NSConstantValue": value, "NSExpressionType": ExpressionType.constant.value]
    }
  }
}

extension ExpressionArchiveWriter {
  /// A key path is archived as a call of `valueForKeyPath:` on what it starts from.
  static func keyPath(
    _ path: [KeyPathComponent], of operand: Expression, to writer: inout KeyedArchiveWriter
  ) throws(UnarchivableExpression) -> PropertyList {
    guard let text = path.keyPathText else { throw UnarchivableExpression(expression: .keyPath(operand, path)) }
    return try writer.add(["NSKeyPathExpression", "NSFunctionExpression", "NSExpression"]) { writer throws(Failure) in
      // Foundation uses another call for a single key of the instance itself.
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
    target: Expression?, _ selector: String, _ arguments: [Expression], inListsOf listClass: [String] = ["NSArray"],
    to writer: inout KeyedArchiveWriter
  ) throws(UnarchivableExpression) -> PropertyList {
    try writer.add(names("NSFunctionExpression")) { writer throws(Failure) in
      let selector = writer.add(selector)
      let receiver = if let target { try add(target, to: &writer) } else { try functions(to: &writer) }
      let arguments = try list(arguments, listClass, to: &writer)
      return fields(receiver, selector, .function, arguments)
    }
  }

  /// The class that the functions of the format language belong to.
  private static func functions(to writer: inout KeyedArchiveWriter) throws(UnarchivableExpression) -> PropertyList {
    try writer.add(names("NSConstantValueExpression")) { writer throws(Failure) in
      [
        "NSConstantValueClassName": writer.add(ExpressionArchiveReader.functionsClass),
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

extension KeyedArchiveWriter {
  /// Adds an object with the fields that a closure returns: first the object, then what it refers to, then its class.
  ///
  /// - Parameter classNames: The class and its ancestors, except `NSObject`.
  mutating func add<Failure: Error>(
    _ classNames: [String], makeFields: (inout KeyedArchiveWriter) throws(Failure) -> PropertyListDictionary
  ) throws(Failure) -> PropertyList {
    let reference = reserve()
    // Some classes have their `$class` in another place than the last.
    fill(reference, classNames, try makeFields(&self))
    return reference
  }

  /// The archive of an object that has been added, with its keys in Xcode's order.
  func bytes(root: PropertyList) -> [UInt8] {
    let archive = propertyList(root: root)
    var ordered = PropertyListDictionary()
    for key in ["$version", "$objects", "$archiver", "$top"] { ordered[key] = archive[key] }
    return PropertyList.dictionary(ordered).binary()
  }
}
