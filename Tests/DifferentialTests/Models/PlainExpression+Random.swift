import DataModel
import TestSupport

extension PlainExpression {
  /// Returns an expression whose values fit an attribute of a type; `nil` if there is none.
  static func random(
    _ type: AttributeType, of entity: PlainModel.Entity, in model: PlainModel, _ random: inout SeededGenerator
  ) -> PlainExpression? {
    switch type {
    case .integer16, .integer32, .integer64, .boolean, .double, .float, .decimal:
      number(2, entity, model, &random)
    case .string: text(2, entity, &random)
    default: keys([type], entity).randomElement(using: &random).map { .key($0) }
    }
  }

  private static func keys(_ types: [AttributeType], _ entity: PlainModel.Entity) -> [String] {
    entity.attributes.values.filter { types.contains($0.type) }.map(\.name).sorted()
  }

  private static let numbers: [AttributeType] = [
    .integer16, .integer32, .integer64, .boolean, .double, .float, .decimal,
  ]

  private static func number(
    _ depth: Int, _ entity: PlainModel.Entity, _ model: PlainModel, _ random: inout SeededGenerator
  ) -> PlainExpression {
    let relationships = entity.relationships.values.sorted { $0.name < $1.name }
    switch random.number(0...(depth > 0 ? 11 : 5)) {
    case 0: return .integer(random.pick(0, 7, -1, 70_000))
    case 1: return .real(random.pick(1.5, 0.25))
    case 2...4: return .key(random.pick(from: keys(numbers, entity), or: "uid"))
    case 5:
      guard let relationship = relationships.randomElement(using: &random) else { return .key("uid") }
      if relationship.isToMany { return .count(relationship.name) }
      return .path(relationship.name, "uid")
    case 6...8:
      return .arithmetic(
        random.pick("+", "-", "*"), number(depth - 1, entity, model, &random), number(depth - 1, entity, model, &random)
      )
    case 9: return .function("length:", text(depth - 1, entity, &random))
    default:
      return .ternary(
        Condition.random(1, entity, &random), number(depth - 1, entity, model, &random),
        random.chance(20) ? .null : number(depth - 1, entity, model, &random))
    }
  }

  private static func text(
    _ depth: Int, _ entity: PlainModel.Entity, _ random: inout SeededGenerator
  ) -> PlainExpression {
    switch random.number(0...(depth > 0 ? 6 : 3)) {
    case 0: .text(random.pick("", "constant", "\u{C5}"))
    case 1...3: keys([.string], entity).randomElement(using: &random).map { .key($0) } ?? .text("none")
    case 4: .function(random.pick("uppercase:", "lowercase:"), text(depth - 1, entity, &random))
    default:
      .ternary(
        Condition.random(1, entity, &random), text(depth - 1, entity, &random),
        random.chance(20) ? .null : text(depth - 1, entity, &random))
    }
  }
}

extension PlainExpression.Condition {
  /// Returns a condition that is defined for every instance.
  static func random(
    _ depth: Int, _ entity: PlainModel.Entity, _ random: inout SeededGenerator
  ) -> PlainExpression.Condition {
    switch random.number(0...(depth > 0 ? 7 : 3)) {
    case 0:
      let key = random.pick(from: entity.attributes.keys.sorted(), or: "uid")
      return .compare(.key(key), random.pick("==", "!="), .null)
    case 1...3: return comparison(entity, &random)
    case 4: return .not(Self.random(depth - 1, entity, &random))
    case 5: return .or(Self.random(depth - 1, entity, &random), Self.random(depth - 1, entity, &random))
    default: return .and(Self.random(depth - 1, entity, &random), Self.random(depth - 1, entity, &random))
    }
  }

  private static func comparison(
    _ entity: PlainModel.Entity, _ random: inout SeededGenerator
  ) -> PlainExpression.Condition {
    let symbol = random.pick("==", "!=", "<", ">=")
    let attributes = entity.attributes.values.sorted { $0.name < $1.name }
    let attribute = attributes.randomElement(using: &random)
    switch attribute?.type {
    case .string?:
      let symbol = random.pick(symbol, "BEGINSWITH", "ENDSWITH", "CONTAINS")
      return .compare(
        .key(attribute?.name ?? "uid"), symbol, .text(random.pick("", "plain", "b", "7", "p", "n", "\u{30A}", "😀")))
    case .double?, .float?, .decimal?:
      return .compare(.key(attribute?.name ?? "uid"), symbol, .real(random.pick(1.25, 0.5)))
    case .integer16?, .integer32?: return .compare(.key(attribute?.name ?? "uid"), symbol, .integer(7))
    default: return .compare(.key("uid"), symbol, .integer(Int64(random.number(1...9))))
    }
  }
}
