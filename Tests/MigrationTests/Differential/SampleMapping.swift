import CoreDataExpressions
import DataModel
import Migration
import TestSupport

/// Random mapping models between two versions of a model.
struct SampleMapping {
  let old: ModelSketch
  let new: ModelSketch
  let source: ManagedObjectModel
  let destination: ManagedObjectModel

  /// An inferred one, or where none can be inferred, or chance wants it, one as people make them.
  func mappingModel(_ random: inout SeededGenerator) -> MappingModel {
    if random.chance(40), let inferred = try? MappingModel.inferred(from: source, to: destination) { return inferred }
    let isPlain = random.chance(30)
    var mappings: [EntityMapping] = []
    for id in old.entities.keys.sorted() where random.chance(92) {
      var targets = [id]
      if !isPlain, random.chance(12) { targets.append(new.entities.keys.sorted().randomElement(using: &random) ?? id) }
      for target in Set(targets).sorted() {
        guard let from = source.entity(named: old.name(id)), let to = destination.entity(named: new.name(target)),
          !from.isAbstract, !to.isAbstract
        else { continue }
        mappings.append(.suggested(from: from, to: to))
      }
    }
    let names = mappings.map(\.name)
    for index in mappings.indices {
      complete(&mappings[index], names, isPlain: isPlain, &random)
    }
    if random.chance(20) { mappings.shuffle(using: &random) }
    return MappingModel(entityMappings: mappings)
  }

  private func complete(
    _ mapping: inout EntityMapping, _ names: [String], isPlain: Bool, _ random: inout SeededGenerator
  ) {
    guard let from = mapping.sourceEntityName.flatMap({ source.entity(named: $0) }),
      let to = mapping.destinationEntityName.flatMap({ destination.entity(named: $0) })
    else { return }
    mapping.attributeMappings = to.attributes.map { attribute in
      let name =
        from.attribute(named: attribute.name)?.name ?? from.attribute(named: attribute.renamingIdentifier)?.name
      var format = name.map { "$source.\($0)" }
      if !isPlain, attribute.name != "uid", random.chance(8) { format = expression(attribute, from, &random) }
      return PropertyMapping(name: attribute.name, valueExpression: format.flatMap { try? Expression(format: $0) })
    }
    mapping.relationshipMappings = to.relationships.compactMap { relationship in
      let name =
        from.relationship(named: relationship.name)?.name
        ?? from.relationship(named: relationship.renamingIdentifier)?.name
      var format = name.map(Self.following)
      // The order of a relationship that no mapping mentions is unspecified.
      if !isPlain, !relationship.isOrdered, random.chance(25) {
        format = expression(relationship, from, names, &random)
      }
      return PropertyMapping(name: relationship.name, valueExpression: format.flatMap { try? Expression(format: $0) })
    }
    if !isPlain, random.chance(20) {
      let key = from.relationships.randomElement(using: &random)
      let filters = ["uid > 4", "uid != nil", key.map { $0.isToMany ? "\($0.name).@count > 0" : "\($0.name) != nil" }]
      mapping.filterPredicate = filters.randomElement(using: &random).flatMap { $0 }.flatMap {
        try? Predicate(format: $0)
      }
    }
  }

  private static func following(_ key: String) -> String {
    "FUNCTION($manager, 'destinationInstancesForSourceRelationshipNamed:sourceInstances:', '\(key)', $source.\(key))"
  }

  private func expression(
    _ relationship: RelationshipDescription, _ from: EntityDescription, _ names: [String],
    _ random: inout SeededGenerator
  ) -> String? {
    let key = from.relationships.randomElement(using: &random)?.name
    let name = names.randomElement(using: &random) ?? ""
    let argument = random.chance(25) ? "$source" : key.map { "$source.\($0)" } ?? "$source"
    let byMapping =
      "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', '\(name)', \(argument))"
    return [byMapping, byMapping, key.map(Self.following), "nil", nil].randomElement(using: &random) ?? nil
  }

  private func expression(
    _ attribute: AttributeDescription, _ from: EntityDescription, _ random: inout SeededGenerator
  ) -> String? {
    let key = from.attributes.randomElement(using: &random)?.name ?? "uid"
    let constants = ["7", "'text'", "nil", "1.5", "YES", "-1", "70000", "''"]
    let constant = constants.randomElement(using: &random) ?? "nil"
    let relationship = from.relationships.randomElement(using: &random)
    let path = relationship.map { $0.isToMany ? "$source.\($0.name).@count" : "$source.\($0.name).uid" }
    return [
      "$source.\(key)", constant, "TERNARY($source.\(key) == nil, \(constant), $source.\(key))", "$source.uid + 1",
      "$source.\(key) * 1.5", "uppercase:($source.\(key))", path, nil,
    ].randomElement(using: &random) ?? nil
  }
}
