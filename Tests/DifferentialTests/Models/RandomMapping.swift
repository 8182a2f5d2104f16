import CoreDataExpressions
import DataModel
import Migration
import TestSupport

/// A random mapping model of the kind that people write.
struct RandomMapping {
  /// The source of a relationship's destinations.
  enum Links {
    /// The results of one entity mapping for the relationship's objects, or for the instance itself.
    case mapping(Int, relationship: String?)
    /// The results of all entity mappings for them.
    case relationship(String)
    case none
  }

  struct Entity {
    let source: PlainModel.Entity
    let destination: PlainModel.Entity
    var filter: PlainExpression.Condition?
    /// The mappings in the order of their names; `nil` means the default value.
    var attributes: [(name: String, value: PlainExpression?)] = []
    var links: [(name: String, from: Links)] = []
  }

  let old: PlainModel
  let new: PlainModel
  private(set) var entities: [Entity] = []
  /// The percentage of unusual choices.
  private let wildness: Int

  init(from source: ManagedObjectModel, to destination: ManagedObjectModel, _ random: inout SeededGenerator) {
    (old, new) = (PlainModel(source), PlainModel(destination))
    wildness = random.pick(6, 12, 35)
    let names = Dictionary(
      new.names.compactMap { name in new.entities[name].map { ($0.identifier, name) } }, uniquingKeysWith: { $1 })
    let concrete = new.names.compactMap { new.entities[$0] }.filter { !$0.isAbstract }
    for name in old.names where random.chance(90) {
      guard let entity = old.entities[name], !entity.isAbstract, let any = concrete.randomElement(using: &random) else {
        continue
      }
      var target = new.entities[name] ?? names[name].flatMap { new.entities[$0] } ?? any
      if target.isAbstract || random.chance(8) { target = any }
      entities.append(Entity(source: entity, destination: target))
      if random.chance(wildness) { entities.append(Entity(source: entity, destination: any)) }
    }
    if random.chance(20) { entities.shuffle(using: &random) }
    for place in entities.indices { fill(place, &random) }
  }

  private mutating func fill(_ place: Int, _ random: inout SeededGenerator) {
    let (from, to) = (entities[place].source, entities[place].destination)
    if random.chance(wildness) { entities[place].filter = .random(1, from, &random) }
    for attribute in to.attributes.values.sorted(by: { $0.name < $1.name }) {
      var value: PlainExpression?
      if let same = from.attributes[attribute.name] ?? from.attributes[attribute.renamingIdentifier] {
        value = .key(same.name)
      }
      if random.chance(wildness) || value == nil && !attribute.isOptional && attribute.defaultValue == nil {
        value = .random(attribute.type, of: from, in: old, &random)
      }
      if random.chance(1) { value = .key(random.pick(from: from.attributes.keys.sorted(), or: "uid")) }
      if attribute.name == "uid" {
        // Each entity mapping makes its own instances.
        value = place == 0 ? .key("uid") : .arithmetic("+", .key("uid"), .integer(Int64(place) * 1000))
      }
      entities[place].attributes.append((attribute.name, value))
    }
    for relationship in to.relationships.values.sorted(by: { $0.name < $1.name }) where random.chance(92) {
      let same = from.relationships[relationship.name] ?? from.relationships[relationship.renamingIdentifier]
      var links = same.map { Links.relationship($0.name) } ?? .none
      if random.chance(wildness) {
        let key = from.relationships.keys.sorted().randomElement(using: &random)
        links = .mapping(random.number(0...(entities.count - 1)), relationship: random.chance(20) ? nil : key)
      }
      entities[place].links.append((relationship.name, links))
    }
  }

  func name(_ place: Int) -> String { "Mapping \(place)" }

  /// Returns the same mapping model for the engine.
  func mappingModel(from source: ManagedObjectModel, to destination: ManagedObjectModel) throws -> MappingModel {
    MappingModel(
      entityMappings: try entities.enumerated().map { place, entity in
        EntityMapping(
          name: name(place), mappingType: .transform, source: source.entity(named: entity.source.name),
          destination: destination.entity(named: entity.destination.name),
          attributeMappings: try entity.attributes.map { name, value in
            PropertyMapping(name: name, valueExpression: try value.map { try Expression(format: $0.format) })
          },
          relationshipMappings: try entity.links.map { name, links in
            PropertyMapping(name: name, valueExpression: try format(links).map { try Expression(format: $0) })
          },
          filterPredicate: try entity.filter.map {
            try Predicate(format: $0.format.replacing("$source.", with: ""))
          })
      })
  }

  private func format(_ links: Links) -> String? {
    switch links {
    case .none: nil
    case .relationship(let key):
      "FUNCTION($manager, 'destinationInstancesForSourceRelationshipNamed:sourceInstances:', '\(key)', $source.\(key))"
    case .mapping(let place, let key):
      "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', '\(name(place))', "
        + "$source\(key.map { ".\($0)" } ?? ""))"
    }
  }
}

extension RandomMapping: CustomStringConvertible {
  var description: String {
    entities.enumerated().map { place, entity in
      let filter = entity.filter.map { " where \($0.format)" } ?? ""
      let properties =
        entity.attributes.map { "\($0.name) = \($0.value?.format ?? "default")" }
        + entity.links.map { "\($0.name) -> \($0.from)" }
      return "\(name(place)), \(entity.source.name) to \(entity.destination.name)\(filter): "
        + properties.joined(separator: "; ") + "\n"
    }.joined()
  }
}
