package import DataModel
internal import PersistentStore

/// Derives the second version of a library's own model: the first version, with artist entities instead of JSON.
///
/// Everything else is kept, including what the model has beyond ours, required properties, indexes, constraints, user
/// info and configurations, unless it refers to something that was removed.
package struct TrackModelDerivation {
  /// The attributes removed from tracks.
  private static let lostNames = ["artistName", "json"]

  private let source: ManagedObjectModel
  private let byName: [String: EntityDescription]
  private let lineages: [String: [String]]
  /// The entities above `Track`, starting with the nearest.
  private let ancestors: [String]
  /// The parts that the new model lacks besides the two attributes.
  package private(set) var remarks: [String] = []

  /// Prepares the derivation.
  package init(_ source: ManagedObjectModel) {
    self.source = source
    byName = source.entitiesByName
    lineages = source.lineages
    ancestors = Array((lineages["Track"] ?? []).dropFirst())
  }

  /// The reason why there is no second version.
  private enum Refusal: Error, CustomStringConvertible {
    /// An entity with the name already exists.
    case entityExists(String)
    /// An entity already has a property with the name.
    case propertyExists(String, entity: String)
    /// A parent that has instances also has the attribute.
    case parentHasInstances(String, attribute: String)

    var description: String {
      switch self {
      case .entityExists(let name): "its model has an entity '\(name)' already"
      case .propertyExists(let name, let entity): "the entity '\(entity)' of its model has a property '\(name)' already"
      case .parentHasInstances(let entity, let attribute):
        "the attribute '\(attribute)' belongs to '\(entity)' too, which is a parent of 'Track' and not abstract"
      }
    }
  }

  /// The second version.
  package mutating func derivedModel() throws -> ManagedObjectModel {
    try checkRoom()
    let pushed = Self.lostNames.compactMap { pushedAttribute($0) }
    var lost: [String: Set<String>] = [:]
    var entities: [EntityDescription] = []
    // Parents first: their subentities lose what they lose.
    for entity in source.entities.sorted(by: { depth($0) < depth($1) }) {
      var names = entity.superentityName.flatMap { lost[$0] } ?? []
      if entity.name == "Track" { names.formUnion(Self.lostNames) }
      for push in pushed where push.path.contains(entity.name) { names.insert(push.attribute.name) }
      var result = entity
      for push in pushed where push.receivers.contains(entity.name) {
        names.remove(push.attribute.name)
        result = result.with(attributes: result.ownDeclaredAttributes + [push.attribute])
      }
      lost[entity.name] = names
      entities.append(names.isEmpty ? result : removing(&lost[entity.name, default: []], from: result))
    }
    let configurations = source.configurations.mapValues { $0.contains("Track") ? $0 + ["Artist"] : $0 }
    return try source.with(entities + [TrackModel.artist], configurations: configurations)
  }

  private func checkRoom() throws {
    if byName["Artist"] != nil { throw Refusal.entityExists("Artist") }
    let family = source.entities.filter { lineages[$0.name]?.contains("Track") == true }
    for entity in family + ancestors.compactMap({ byName[$0] }) where entity.declares("artists") {
      throw Refusal.propertyExists("artists", entity: entity.name)
    }
    for name in Self.lostNames {
      guard let path = pushedAttribute(name)?.path else { continue }
      for entity in path where byName[entity]?.isAbstract == false {
        throw Refusal.parentHasInstances(entity, attribute: name)
      }
    }
  }

  private func depth(_ entity: EntityDescription) -> Int { lineages[entity.name]?.count ?? 0 }

  /// An attribute declared by a parent of `Track`: the siblings of `Track` each keep it as their own.
  private struct PushedAttribute {
    let attribute: AttributeDescription
    /// The parents of `Track` that lose it.
    let path: [String]
    /// The entities that declare it instead.
    let receivers: [String]
  }

  private func pushedAttribute(_ name: String) -> PushedAttribute? {
    guard let holder = ancestors.lastIndex(where: { byName[$0]?.ownAttributes.contains { $0.name == name } == true }),
      let attribute = byName[ancestors[holder]]?.ownAttributes.first(where: { $0.name == name })
    else { return nil }
    let path = Array(ancestors[...holder])
    let receivers = source.entities.filter { entity in
      entity.superentityName.map(path.contains) == true && !path.contains(entity.name) && entity.name != "Track"
        && !entity.declares(name)
    }
    return PushedAttribute(attribute: attribute, path: path, receivers: receivers.map(\.name))
  }

  /// The entity without some attributes, and without anything that refers to them; `Track` gets its artists.
  private mutating func removing(_ lost: inout Set<String>, from entity: EntityDescription) -> EntityDescription {
    var attributes = entity.ownDeclaredAttributes.filter { !lost.contains($0.name) }
    // A derived attribute may be derived from another derived attribute.
    while let derived = attributes.first(where: { $0.isDerived(from: lost) }) {
      remarks.append("the derived attribute \(entity.name).\(derived.name) is gone: it was derived from what is gone")
      lost.insert(derived.name)
      attributes.removeAll { $0.name == derived.name }
    }
    let relationships = entity.ownRelationships + (entity.name == "Track" ? [TrackModel.artists] : [])
    var result = entity.with(attributes: attributes, relationships: relationships)
    for constraint in entity.uniquenessConstraints where lost.begin(constraint) {
      remarks.append("the uniqueness constraint \(constraint.joined(separator: ", ")) of \(entity.name) is gone")
    }
    result.uniquenessConstraints.removeAll { lost.begin($0) }
    for index in entity.fetchIndexes where index.isAbout(lost) {
      remarks.append("the fetch index \(index.name) of \(entity.name) is gone")
    }
    result.fetchIndexes.removeAll { $0.isAbout(lost) }
    return result
  }
}
