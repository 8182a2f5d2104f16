import CoreDataExpressions
import DataModel
import TestSupport

@testable import MappingModels
@testable import Migration

/// Mapping models between two models of random entities.
struct RandomMapping {
  private static let names = ["Note", "Füße", "A \"b\" <c>", "Z&Z", "size", "x"]
  private static let properties = ["title", "count", "ö", "size", "a b"]

  private var random: SeededGenerator
  let source: ManagedObjectModel
  let destination: ManagedObjectModel
  private(set) var mappingModel = MappingModel(entityMappings: [])

  init(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    source = Self.model(&random)
    destination = Self.model(&random)
    self.random = random
    let pairs = Self.names.flatMap { name in [(name, name), (name, Self.names[0])] }
    var used: Set<String> = []
    for (from, to) in pairs where Bool.random(using: &self.random) {
      let mapping = entityMapping(from: from, to: to)
      if used.insert(mapping.name).inserted { mappingModel.entityMappings.append(mapping) }
    }
    addProperties()
  }

  private static func model(_ random: inout SeededGenerator) -> ManagedObjectModel {
    // Each entity may inherit from the one before it.
    var entities: [EntityDescription] = []
    for (place, name) in names.enumerated() {
      let inherits = place > 0 && Bool.random(using: &random)
      let attributes = properties.filter { _ in Bool.random(using: &random) }
      let relationships = properties.indices.filter { _ in Bool.random(using: &random) }
      entities.append(
        EntityDescription(
          name, superentityName: inherits ? names[place - 1] : nil,
          attributes: attributes.map { AttributeDescription("\(place)\($0)", .string) },
          relationships: relationships.map {
            RelationshipDescription("\(place)r\(properties[$0])", to: names[($0 + place) % names.count])
          }))
    }
    return TrackModels.model(entities)
  }

  private mutating func entityMapping(from: String, to: String) -> EntityMapping {
    let isAdd = Int.random(in: 0..<6, using: &random) == 0
    let policy = Bool.random(using: &random) ? "App.Policy\u{301}" : nil
    let entity = isAdd ? nil : source.entity(named: from)
    var mapping = EntityMapping(
      name: Bool.random(using: &random) ? "\(from) → \(to)" : nil,
      mappingType: EntityMappingEntry.impliedMappingType(policy: policy, source: entity?.name, destination: to),
      source: entity, destination: destination.entity(named: to), entityMigrationPolicyClassName: policy)
    if Bool.random(using: &random) { mapping.userInfo = ["modelVersion": "2", "\u{1F4A1}": "<\r\n&>"] }
    if Bool.random(using: &random), !isAdd {
      mapping.filterPredicate = .compare(.key("ö"), .lessThan, .constant(.integer(3)))
    }
    if Int.random(in: 0..<5, using: &random) == 0 { mapping.mappingType = .transform }
    return mapping
  }

  private mutating func addProperties() {
    let entries = mappingModel.entityMappings.map { ($0.name, $0.sourceEntityName, $0.destinationEntityName) }
    let generator = ExpressionGenerator(entries, destination: destination.entitiesByName)
    for place in mappingModel.entityMappings.indices {
      let mapping = mappingModel.entityMappings[place]
      let from = mapping.sourceEntityName.flatMap { source.entity(named: $0) }
      let to = mapping.destinationEntityName.flatMap { destination.entity(named: $0) }
      for attribute in to?.attributes ?? [] where Bool.random(using: &random) {
        let generated: CoreDataExpressions.Expression? = from?.attribute(named: attribute.name).map { .source($0.name) }
        mappingModel.entityMappings[place].attributeMappings.append(property(attribute.name, generated))
      }
      for relationship in to?.relationships ?? [] where Bool.random(using: &random) {
        var generated: CoreDataExpressions.Expression?
        if from?.relationship(named: relationship.name) != nil {
          generated = generator.expression(
            for: relationship, source: relationship.name, sources: .source(relationship.name))
        }
        mappingModel.entityMappings[place].relationshipMappings.append(property(relationship.name, generated))
      }
    }
  }

  /// The expression that would be generated, or another one.
  private mutating func property(_ name: String, _ generated: CoreDataExpressions.Expression?) -> PropertyMapping {
    let mapping = mappingModel.entityMappings.randomElement(using: &random)?.name ?? ""
    let others: [CoreDataExpressions.Expression] = [
      .constant(.boolean(true)), .constant(.real(2)), .null, .source, .source("ö"), .key("size", "x", of: .source),
      .destinationInstances(entityMappingNamed: mapping, sourceInstances: .source),
      .destinationInstances(entityMappingNamed: mapping, sourceInstances: .key("size", of: .source)),
      .destinationInstances(entityMappingNamed: "nobody", sourceInstances: .source),
      .destinationInstances(sourceRelationshipNamed: name, sourceInstances: .source(name)),
      .arithmetic(.add, .source("count"), .constant(.integer(1))),
    ]
    let isGenerated = Bool.random(using: &random)
    return PropertyMapping(
      name: name, valueExpression: isGenerated ? generated : others.randomElement(using: &random))
  }
}
