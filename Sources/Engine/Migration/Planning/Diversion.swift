internal import DataModel
internal import MappingModels

/// Something that one inferred hop takes elsewhere than the hops through the versions in between, or nowhere.
///
/// Core Data opens a store of any earlier version in one hop, in which a renaming identifier that only a version in
/// between has says nothing.
package struct Diversion: Sendable, Hashable {
  /// The entity or property of the first version.
  package let old: PropertyName
  /// The one of the last version that it becomes by way of the versions in between.
  package let new: PropertyName
  /// The one of the last version that it becomes in one hop; `nil` if it is lost.
  package let place: PropertyName?
  /// Whether the new one gets something else of the store in one hop.
  private let isReplaced: Bool
  /// The same of each entity with instances of its own, as the first version names it.
  let holders: [PropertyName]
}

extension Diversion {
  /// Compares ways with one hop, by the names in the first version of what the last one holds.
  ///
  /// A property that carries nothing on a way, such as one that was removed and added again, is not compared.
  static func all(
    _ ways: [[PropertyName: PropertyName]], in hop: MigrationStep, _ direct: [PropertyName: PropertyName]
  ) -> [Diversion] {
    var seen: Set<[PropertyName]> = []
    return ways.flatMap { all($0, in: hop, direct) }.filter { seen.insert([$0.old, $0.new]).inserted }
  }

  private static func all(
    _ way: [PropertyName: PropertyName], in hop: MigrationStep, _ direct: [PropertyName: PropertyName]
  ) -> [Diversion] {
    let (source, destination) = (hop.source.model, hop.destination.model)
    let tree = EntityTree(destination)
    let places = Dictionary(direct.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    let found = way.filter { new, old in
      guard direct[new] != old else { return false }
      guard let property = new.property else { return true }
      let entity = PropertyName(entity: new.entity, property: nil)
      // Where the rows go elsewhere, that says it all.
      guard way[entity] == direct[entity], let description = destination.entity(named: new.entity) else { return false }
      if let attribute = description.attribute(named: property) { return !attribute.isDerived }
      guard direct[new] == nil, let relationship = description.relationship(named: property),
        let inverse = relationship.inverseName
      else { return true }
      // The other end may bring all links.
      return !tree.concreteFamily(of: relationship.inverseEntityName ?? relationship.destinationEntityName).contains {
        let end = PropertyName(entity: $0.name, property: inverse)
        return way[end] != nil && way[end] == direct[end]
      }
    }
    .sorted { ($0.value.description, $0.key.description) < ($1.value.description, $1.key.description) }
    let groups = Dictionary(grouping: found) { new, old in
      [old.declared(in: source), new.declared(in: destination)]
    }
    return groups.compactMap { names, all in
      all.first.map { new, old in
        Diversion(
          old: names[0], new: names[1], place: places[old]?.declared(in: destination),
          isReplaced: direct[new] != nil, holders: all.map(\.value))
      }
    }
    .sorted { ($0.old.description, $0.new.description) < ($1.old.description, $1.new.description) }
  }
}

extension Diversion {
  /// The fate of it in one hop, as what the hop does.
  package var problem: String {
    if let place {
      return "puts what they have of '\(old)' into '\(place)' instead of '\(new)', which it became by way of the "
        + "versions in between"
    }
    return "loses '\(old)': it became '\(new)' by way of "
      + (isReplaced
        ? "the versions in between, but gets something else of these stores"
        : "another name, which these stores do not have")
  }

  /// The renaming identifier that makes the hop do the same as the way; `nil` where there is none.
  package var renaming: String? {
    let part: (name: String, identifier: String)?
    if let name = new.property, let oldName = old.property {
      part = RenamedPart(from: oldName, to: name).map { ("\(new.entity).\($0.name)", $0.identifier) }
    } else {
      part = (new.entity, old.entity)
    }
    return part.map { "set the renaming identifier of '\($0.name)' to '\($0.identifier)' in every version since" }
  }
}
