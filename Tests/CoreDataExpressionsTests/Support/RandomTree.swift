import CoreDataExpressions
import TestSupport

/// Makes random expressions and predicates in normal form.
struct RandomTree {
  var random: SeededGenerator

  mutating func expression(_ depth: Int) -> Expression {
    guard depth > 0 else { return leaf() }
    switch Int.random(in: 0..<14, using: &random) {
    case 0, 1:
      return .arithmetic(random.pick(ArithmeticOperator.allCases), expression(depth - 1), expression(depth - 1))
    case 2: return .negative(expression(depth - 1))
    case 3: return .keyPath(expression(depth - 1), path())
    case 4: return .element(of: expression(depth - 1), at: index(depth - 1))
    case 5: return .aggregate(list(depth - 1))
    case 6:
      return .function(
        target: nil, selector: random.pick(["sum:", "modulus:by:", "onesComplement:", "x:y:"]),
        arguments: list(depth - 1))
    case 7: return .function(target: nil, selector: "now", arguments: [])
    case 8: return .function(target: expression(depth - 1), selector: text(), arguments: list(depth - 1))
    case 9: return .subquery(expression(depth - 1), variable: "x", predicate(depth - 1))
    case 10: return .cast(expression(depth - 1), type: random.pick(["NSDate", "NSNumber", text()]))
    case 11: return .ternary(predicate(depth - 1), expression(depth - 1), expression(depth - 1))
    case 12:
      return .fetch(request: expression(depth - 1), context: expression(depth - 1), countOnly: random.chance(oneIn: 2))
    default: return leaf()
    }
  }

  mutating func predicate(_ depth: Int) -> Predicate {
    guard depth > 0 else { return random.chance(oneIn: 4) ? .constant(random.chance(oneIn: 2)) : comparison(0) }
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1: return .and(parts(depth - 1))
    case 2, 3: return .or(parts(depth - 1))
    case 4: return .not(predicate(depth - 1))
    default: return comparison(depth)
    }
  }

  private mutating func comparison(_ depth: Int) -> Predicate {
    .compare(
      expression(depth / 2), random.pick(ComparisonOperator.allCases), expression(depth / 2),
      options: ComparisonOptions(rawValue: UInt8.random(in: 0..<16, using: &random)),
      modifier: random.pick([.direct, .direct, .any, .all]))
  }

  private mutating func parts(_ depth: Int) -> [Predicate] {
    (0..<Int.random(in: 2...4, using: &random)).map { _ in predicate(depth) }
  }

  private mutating func list(_ depth: Int) -> [Expression] {
    (0..<Int.random(in: 0...3, using: &random)).map { _ in expression(depth) }
  }

  private mutating func index(_ depth: Int) -> CollectionIndex {
    switch Int.random(in: 0..<5, using: &random) {
    case 0: .first
    case 1: .last
    case 2: .size
    default: .position(expression(depth))
    }
  }

  private mutating func path() -> [KeyPathComponent] {
    var path = [KeyPathComponent.key(key())]
    if random.chance(oneIn: 3) { path.append(.key(key())) }
    if random.chance(oneIn: 3) {
      let symbol = random.pick(CollectionOperator.allCases)
      path.insert(.collectionOperator(symbol), at: symbol.needsPath ? 0 : path.count)
    }
    return path
  }

  private mutating func key() -> String {
    random.pick([
      "name", "size", "and", "Self", "first", "cast", "function", "größe", "名前", "_x1", "a$b", "nil", "ternary",
    ])
  }

  private mutating func text() -> String {
    let pieces = [
      "a", "\"", "'", "\\", "\n", "\0", "\u{7F}", "é", "e\u{301}", "😀", "%@", "%%", "*", "?", " ", "\u{85}",
    ]
    return (0..<Int.random(in: 0...5, using: &random)).map { _ in random.pick(pieces) }.joined()
  }

  private mutating func leaf() -> Expression {
    switch Int.random(in: 0..<10, using: &random) {
    case 0: return .null
    case 1: return .constant(.boolean(random.chance(oneIn: 2)))
    case 2:
      return .constant(
        .integer(random.pick([0, 1, -1, 42, .max, .min, Int64.random(in: .min ... .max, using: &random)])))
    case 3: return .constant(.real(random.pick([0, -0.0, 0.1, -2.5, 1e300, .pi, -1e-7, 0x1p60, 1e15])))
    case 4, 5: return .constant(.string(text()))
    case 6: return .evaluatedObject
    case 7: return .variable(random.pick(["source", "x", "manager", "and"]))
    default: return .keyPath(random.chance(oneIn: 3) ? .variable("source") : .evaluatedObject, path())
    }
  }
}
