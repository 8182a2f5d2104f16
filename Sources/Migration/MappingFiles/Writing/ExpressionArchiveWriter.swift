package import Expressions
internal import PropertyList

extension Expression {
  /// The expression as a keyed archive of an `NSExpression`.
  ///
  /// - Throws: `UnarchivableExpression` where the form of the archive is not known for certain.
  package func archive() throws(UnarchivableExpression) -> [UInt8] {
    var writer = KeyedArchiveWriter()
    let root = try ExpressionArchiveWriter.add(self, to: &writer)
    return writer.bytes(root: root)
  }
}

/// An expression, or a part of one, that has no known form in an archive.
package struct UnarchivableExpression: Error, Sendable, Hashable {
  /// The part.
  package let expression: Expression
}

/// Archives expressions as Xcode's mapping model editor does.
enum ExpressionArchiveWriter {
  /// The numbers of `NSExpression.ExpressionType`.
  enum ExpressionType: Int64 {
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
