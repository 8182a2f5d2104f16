internal import DataModel

/// The entities of a model, and who descends from whom.
struct EntityTree {
  let model: ManagedObjectModel
  private let entities: [String: EntityDescription]
  private let relationships: [String: [String: RelationshipDescription]]
  /// Parents before their children, so that each entity is followed by all its descendants.
  private let inOrder: [EntityDescription]
  private let places: [String: Place]

  private struct Place {
    let index: Int
    /// The place after the last descendant.
    var end: Int
    let rootName: String
  }

  init(_ model: ManagedObjectModel) {
    self.model = model
    let entities = model.entitiesByName
    var inOrder: [EntityDescription] = []
    var places: [String: Place] = [:]
    // A list instead of recursion: a model may nest as deep as it likes.
    var waiting = Array(model.entities.filter { $0.superentityName == nil }.reversed())
    while let entity = waiting.popLast() {
      let root = entity.superentityName.flatMap { places[$0]?.rootName } ?? entity.name
      places[entity.name] = Place(index: inOrder.count, end: inOrder.count + 1, rootName: root)
      inOrder.append(entity)
      waiting += entity.subentityNames.reversed().compactMap { entities[$0] }
    }
    for entity in inOrder.reversed() {
      guard let parent = entity.superentityName, let end = places[entity.name]?.end else { continue }
      if let other = places[parent]?.end, other < end { places[parent]?.end = end }
    }
    self.entities = entities
    relationships = entities.mapValues(\.relationshipsByName)
    self.inOrder = inOrder
    self.places = places
  }

  func entity(_ name: String) -> EntityDescription? { entities[name] }

  /// The topmost ancestor, or the entity itself.
  func rootName(of name: String) -> String { places[name]?.rootName ?? name }

  /// The entity and all its descendants, as far as they may have instances.
  func concreteFamily(of name: String) -> some Sequence<EntityDescription> {
    let place = places[name].map { $0.index..<$0.end } ?? 0..<0
    return inOrder[place].lazy.filter { !$0.isAbstract }
  }

  /// Whether an entity is another one or descends from it.
  func descends(_ name: String, from ancestor: String) -> Bool {
    guard let place = places[name], let other = places[ancestor] else { return false }
    return (other.index..<other.end).contains(place.index)
  }

  /// The relationship that leads back.
  func inverse(of relationship: RelationshipDescription) -> RelationshipDescription? {
    guard let name = relationship.inverseName else { return nil }
    return relationships[relationship.inverseEntityName ?? relationship.destinationEntityName]?[name]
  }
}
