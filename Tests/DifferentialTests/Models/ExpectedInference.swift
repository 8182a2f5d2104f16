import DataModel

/// The result of inference between two versions by the documented rules, or the reasons for its refusal.
struct ExpectedInference {
  /// The mapping of a property.
  struct Pair {
    let source: PlainModel.Entity
    let destination: PlainModel.Entity
    let attributes: PlainMatch
    let relationships: PlainMatch
  }

  let old: PlainModel
  let new: PlainModel
  let entities: PlainMatch
  /// The mappings by the name of the destination entity.
  private(set) var pairs: [String: Pair] = [:]
  /// All reasons for refusal, including inherited ones: entity, property, reason.
  private(set) var reasons: Set<[String]> = []

  init(from source: ManagedObjectModel, to destination: ManagedObjectModel) {
    (old, new) = (PlainModel(source), PlainModel(destination))
    func elements(_ model: PlainModel) -> [PlainMatch.Element] {
      model.names.compactMap { model.entities[$0] }.map { PlainMatch.Element(name: $0.name, identifier: $0.identifier) }
    }
    entities = PlainMatch(from: elements(old), to: elements(new))
    for name in entities.ambiguous { refuse(name, "", "ambiguous renaming") }
    for name in new.names {
      guard let entity = new.entities[name], let before = entities.oldNames[name].flatMap({ old.entities[$0] }),
        !before.isAbstract
      else { continue }
      // One that becomes abstract is like a removed one: the rows that it has, if any, are lost.
      if !entity.isAbstract { pairs[name] = Self.pair(before, entity) }
    }
    for (root, names) in Dictionary(grouping: pairs.keys, by: new.root) {
      let roots = Set(names.compactMap { pairs[$0]?.source.name }.map(old.root))
      if roots.count > 1 { refuse(root, "", "merged hierarchies") }
    }
    for pair in pairs.values {
      for name in pair.attributes.ambiguous + pair.relationships.ambiguous {
        refuse(pair.destination.name, name, "ambiguous renaming")
      }
      for attribute in pair.destination.attributes.values { check(attribute, pair) }
      for relationship in pair.destination.relationships.values { check(relationship, pair) }
    }
  }

  private static func pair(_ source: PlainModel.Entity, _ destination: PlainModel.Entity) -> Pair {
    func elements(_ properties: [some PropertyDescription]) -> [PlainMatch.Element] {
      properties.sorted { $0.name < $1.name }
        .map { PlainMatch.Element(name: $0.name, identifier: $0.renamingIdentifier) }
    }
    return Pair(
      source: source, destination: destination,
      attributes: PlainMatch(
        from: elements(Array(source.attributes.values)), to: elements(Array(destination.attributes.values))),
      relationships: PlainMatch(
        from: elements(Array(source.relationships.values)), to: elements(Array(destination.relationships.values))))
  }

  private mutating func refuse(_ entity: String, _ property: String, _ what: String) {
    reasons.insert([entity, property, what])
  }

  private mutating func check(_ attribute: AttributeDescription, _ pair: Pair) {
    guard let before = pair.attributes.oldNames[attribute.name].flatMap({ pair.source.attributes[$0] }) else {
      let isNew = pair.attributes.added.contains(attribute.name)
      if isNew, !attribute.isOptional, attribute.defaultValue == nil {
        refuse(pair.destination.name, attribute.name, "needs default")
      }
      return
    }
    let wider: [AttributeType: [AttributeType]] = [
      .boolean: [.integer16, .integer32, .integer64],
      .integer16: [.integer32, .integer64, .double], .integer32: [.integer64, .double], .integer64: [.double],
      .float: [.double],
    ]
    guard before.type != attribute.type, wider[before.type]?.contains(attribute.type) != true else { return }
    refuse(pair.destination.name, attribute.name, "types")
  }

  private mutating func check(_ relationship: RelationshipDescription, _ pair: Pair) {
    let (entity, name) = (pair.destination.name, relationship.name)
    let inverse = new.inverse(of: relationship)
    /// Returns the old relationship from which the inverse is carried over, if it is.
    func carriers(_ inverse: RelationshipDescription) -> Set<String> {
      Set(
        new.family(relationship.destinationEntityName).compactMap {
          pairs[$0]?.relationships.oldNames[inverse.name]
        })
    }
    guard let before = pair.relationships.oldNames[name].flatMap({ pair.source.relationships[$0] }) else {
      guard pair.relationships.added.contains(name), !relationship.isOptional,
        !relationship.isToMany || relationship.minCount > 0
      else { return }
      if inverse.map(carriers)?.isEmpty != false { refuse(entity, name, "needs destination") }
      return
    }
    if before.isToMany, !relationship.isToMany {
      let oldInverse = old.inverse(of: before)
      // The inverse decides which link stays, unless it loses some too.
      let isLeftToInverse =
        inverse.map { inverse in
          oldInverse.map { carriers(inverse).contains($0.name) && (inverse.isToMany || !$0.isToMany) } ?? false
        } ?? false
      if !isLeftToInverse { refuse(entity, name, "becomes to-one") }
    }
    for target in old.family(before.destinationEntityName) {
      guard let now = entities.newName(target), !new.lineage(now).contains(relationship.destinationEntityName) else {
        continue
      }
      refuse(entity, name, "leads outside to \(now)")
    }
  }
}
