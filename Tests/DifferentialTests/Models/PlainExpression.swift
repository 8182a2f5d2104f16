import DataModel

/// A value expression of a mapping model, in a grammar small enough for an obvious evaluator.
indirect enum PlainExpression {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  /// An attribute of the source.
  case key(String)
  /// An attribute of the destination of a to-one relationship.
  case path(String, String)
  /// The number of destinations of a to-many relationship.
  case count(String)
  /// `+`, `-` or `*`.
  case arithmetic(Character, PlainExpression, PlainExpression)
  /// `uppercase:`, `lowercase:` or `length:`.
  case function(String, PlainExpression)
  case ternary(Condition, PlainExpression, PlainExpression)

  indirect enum Condition {
    /// `==`, `!=`, `<` or `>=`, and for text `BEGINSWITH`, `ENDSWITH` or `CONTAINS`.
    case compare(PlainExpression, String, PlainExpression)
    case and(Condition, Condition)
    case or(Condition, Condition)
    case not(Condition)
  }

  /// The expression as written in a mapping model.
  var format: String {
    switch self {
    case .null: "nil"
    case .integer(let integer): "\(integer)"
    case .real(let real): "\(real)"
    case .text(let text): "'\(text)'"
    case .key(let key): "$source.\(key)"
    case .path(let relationship, let key): "$source.\(relationship).\(key)"
    case .count(let relationship): "$source.\(relationship).@count"
    case .arithmetic(let symbol, let left, let right): "(\(left.format) \(symbol) \(right.format))"
    case .function(let name, let argument): "\(name)(\(argument.format))"
    case .ternary(let condition, let yes, let no): "TERNARY(\(condition.format), \(yes.format), \(no.format))"
    }
  }
}

extension PlainExpression.Condition {
  var format: String {
    switch self {
    case .compare(let left, let symbol, let right): "\(left.format) \(symbol) \(right.format)"
    case .and(let left, let right): "(\(left.format) AND \(right.format))"
    case .or(let left, let right): "(\(left.format) OR \(right.format))"
    case .not(let condition): "NOT (\(condition.format))"
    }
  }
}

/// Evaluates expressions for one source instance.
struct PlainEvaluation {
  let model: PlainModel
  let graph: PlainGraph
  let object: PlainGraph.Object

  func value(_ expression: PlainExpression) throws(PlainValue.Failure) -> PlainValue {
    switch expression {
    case .null: return .null
    case .integer(let integer): return .integer(integer)
    case .real(let real): return .real(real)
    case .text(let text): return .text(text)
    case .key(let key): return attribute(key, of: object)
    case .path(let relationship, let key):
      guard let target = object.links[relationship]?.first.flatMap({ graph.objects[$0] }) else { return .null }
      return attribute(key, of: target)
    case .count(let relationship): return .integer(Int64(object.links[relationship]?.count ?? 0))
    case .arithmetic(let symbol, let left, let right): return try calculate(symbol, value(left), value(right))
    case .function(let name, let argument): return try call(name, value(argument))
    case .ternary(let condition, let yes, let no): return try value(holds(condition) ? yes : no)
    }
  }

  func holds(_ condition: PlainExpression.Condition) throws(PlainValue.Failure) -> Bool {
    switch condition {
    case .and(let left, let right): return try holds(left) ? try holds(right) : false
    case .or(let left, let right): return try holds(left) ? true : try holds(right)
    case .not(let condition): return try !holds(condition)
    case .compare(let left, let symbol, let right):
      let (left, right) = (try value(left), try value(right))
      switch symbol {
      case "==": return areEqual(left, right)
      case "!=": return !areEqual(left, right)
      // nil is neither less nor greater than any value.
      case _ where left == .null || right == .null: return false
      case "<": return try isLess(left, right)
      case "BEGINSWITH": return try text(left).starts(with: text(right))
      case "ENDSWITH": return try text(left).reversed().starts(with: text(right).reversed())
      case "CONTAINS":
        let (whole, part) = (try text(left), try text(right))
        return (0...whole.count).contains { whole[$0...].starts(with: part) }
      default: return try !isLess(left, right)
      }
    }
  }

  private func attribute(_ key: String, of object: PlainGraph.Object) -> PlainValue {
    let type = model.entities[object.entity]?.attributes[key]?.type ?? .undefined
    return PlainValue(object.values[key] ?? .null, type)
  }

  private func areEqual(_ left: PlainValue, _ right: PlainValue) -> Bool {
    if let left = left.integer, let right = right.integer { return left == right }
    if let left = try? left.number(), let right = try? right.number() { return left == right }
    if case .text(let left) = left, case .text(let right) = right { return Array(left.utf8) == Array(right.utf8) }
    return left == right
  }

  private func isLess(_ left: PlainValue, _ right: PlainValue) throws(PlainValue.Failure) -> Bool {
    if let left = left.integer, let right = right.integer { return left < right }
    if case .text(let left) = left, case .text(let right) = right {
      return left.utf8.lexicographicallyPrecedes(right.utf8)
    }
    return try left.number() < right.number()
  }

  private func text(_ value: PlainValue) throws(PlainValue.Failure) -> [UInt8] {
    guard case .text(let text) = value else { throw PlainValue.Failure() }
    return Array(text.utf8)
  }

  private func calculate(
    _ symbol: Character, _ left: PlainValue, _ right: PlainValue
  ) throws(PlainValue.Failure) -> PlainValue {
    if left == .null || right == .null { return .null }
    if let left = left.integer, let right = right.integer {
      let result =
        switch symbol {
        case "+": left.addingReportingOverflow(right)
        case "-": left.subtractingReportingOverflow(right)
        default: left.multipliedReportingOverflow(by: right)
        }
      if result.overflow { throw PlainValue.Failure() }
      return .integer(result.partialValue)
    }
    let (first, second) = (try left.number(), try right.number())
    let result = symbol == "+" ? first + second : symbol == "-" ? first - second : first * second
    if !result.isFinite { throw PlainValue.Failure() }
    return .real(result)
  }

  private func call(_ name: String, _ argument: PlainValue) throws(PlainValue.Failure) -> PlainValue {
    switch argument {
    case .null: return .null
    case .text(let text):
      switch name {
      case "uppercase:": return .text(text.uppercased())
      case "lowercase:": return .text(text.lowercased())
      default: return .integer(Int64(text.utf16.count))
      }
    default: throw PlainValue.Failure()
    }
  }
}
