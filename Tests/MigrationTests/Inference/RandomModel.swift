import DataModel
import TestSupport

/// A model of random entities, whose names come from a small supply, so that two models have much in common.
struct RandomModel {
  var generator: SeededGenerator

  /// Such a model as a draw has given; draws that give no valid model are thrown away.
  mutating func next() -> ManagedObjectModel {
    while true {
      let names = (0..<Int.random(in: 1...7, using: &generator)).map { "E\($0)" }
      if let model = try? ManagedObjectModel(entities: names.map { entity($0, names) }) { return model }
    }
  }

  private mutating func entity(_ name: String, _ names: [String]) -> EntityDescription {
    let attributes = subset(["a", "b", "c", "d"]).map { attribute($0) }
    return EntityDescription(
      name, isAbstract: generator.chance(oneIn: 5),
      superentityName: generator.chance(oneIn: 3) ? names.randomElement(using: &generator) : nil,
      renamingIdentifier: generator.chance(oneIn: 4) ? "E\(Int.random(in: 0...7, using: &generator))" : nil,
      uniquenessConstraints: generator.chance(oneIn: 4) ? attributes.prefix(1).map { [$0.name] } : [],
      attributes: attributes,
      relationships: subset(["r", "s", "t"]).map { relationship($0, names) })
  }

  private mutating func attribute(_ name: String) -> AttributeDescription {
    let types: [AttributeType] = [.integer16, .integer64, .double, .string, .string, .string]
    let type = types.randomElement(using: &generator) ?? .string
    let isDerived = generator.chance(oneIn: 9)
    return AttributeDescription(
      name, type, isOptional: !generator.chance(oneIn: 3), isTransient: !isDerived && generator.chance(oneIn: 8),
      defaultValue: generator.chance(oneIn: 2) ? (type == .string ? .string("x") : .integer(1)) : nil,
      renamingIdentifier: generator.chance(oneIn: 4) ? ["a", "b", "c"].randomElement(using: &generator) : nil,
      derivationExpression: isDerived ? "z" : nil)
  }

  private mutating func relationship(_ name: String, _ names: [String]) -> RelationshipDescription {
    RelationshipDescription(
      name, to: names.randomElement(using: &generator) ?? "E0",
      inverse: generator.chance(oneIn: 3) ? ["r", "s", "t"].randomElement(using: &generator) : nil,
      maxCount: generator.chance(oneIn: 3) ? 1 : 0,
      isOrdered: generator.chance(oneIn: 4), isOptional: !generator.chance(oneIn: 8),
      isTransient: generator.chance(oneIn: 8),
      renamingIdentifier: generator.chance(oneIn: 4) ? ["r", "s"].randomElement(using: &generator) : nil)
  }

  private mutating func subset(_ names: [String]) -> [String] { names.filter { _ in !generator.chance(oneIn: 3) } }
}
