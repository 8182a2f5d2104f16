import DataModel
import TestSupport

/// A model in a form that is easy to change at random: entities refer to each other by number, not by name.
struct ModelSketch {
  struct Attribute {
    let id: Int
    var name: String
    var type: AttributeType
    var isOptional = true
    var hasDefault = false
    var isExternal = false
    var oldName: String?
  }

  enum Shape: CaseIterable { case one, many, ordered }

  /// A relationship and the way back, if there is one.
  struct Relationship {
    let id: Int
    var owner: Int
    var destination: Int
    var name: String
    var shape: Shape
    var inverse: Shape?
    var isItsOwnInverse = false
    var oldName: String?

    var inverseName: String? { isItsOwnInverse ? name : inverse == nil ? nil : "\(name)Back" }
  }

  struct Entity {
    var name: String
    var parent: Int?
    var isAbstract = false
    var attributes: [Attribute] = []
    var oldName: String?
  }

  var entities: [Int: Entity] = [:]
  var relationships: [Relationship] = []

  func depth(_ id: Int) -> Int { entities[id]?.parent.map { depth($0) + 1 } ?? 0 }

  func lineage(_ id: Int) -> [Int] { Array(sequence(first: id) { entities[$0]?.parent }) }

  /// The entities that an instance of this one may be of.
  func concreteFamily(_ id: Int) -> [Int] {
    entities.keys.sorted().filter { lineage($0).contains(id) && entities[$0]?.isAbstract == false }
  }

  func name(_ id: Int) -> String { entities[id]?.name ?? "" }

  /// The model; `nil` where chance has made none.
  func model() -> ManagedObjectModel? {
    try? ManagedObjectModel(entities: entities.sorted { $0.key < $1.key }.map { description($0.key, $0.value) })
  }

  private func description(_ id: Int, _ entity: Entity) -> EntityDescription {
    let identity = entity.parent == nil ? [AttributeDescription("uid", .integer64)] : []
    return EntityDescription(
      entity.name, isAbstract: entity.isAbstract, superentityName: entity.parent.map(name),
      renamingIdentifier: entity.oldName,
      attributes: identity
        + entity.attributes.map {
          AttributeDescription(
            $0.name, $0.type, isOptional: $0.isOptional,
            defaultValue: $0.hasDefault ? SampleValue.standard($0.type) : nil,
            allowsExternalBinaryDataStorage: $0.isExternal, renamingIdentifier: $0.oldName)
        },
      relationships: relationships.flatMap { descriptions($0, of: id) })
  }

  private func descriptions(_ relationship: Relationship, of id: Int) -> [RelationshipDescription] {
    func make(_ name: String, _ shape: Shape, _ destination: Int, _ inverse: String?, _ old: String?)
      -> RelationshipDescription
    {
      RelationshipDescription(
        name, to: self.name(destination), inverse: inverse, maxCount: shape == .one ? 1 : 0,
        // Without a way back, and to itself, no order is kept.
        isOrdered: shape == .ordered && inverse != nil && inverse != name, renamingIdentifier: old)
    }
    var found: [RelationshipDescription] = []
    if relationship.owner == id {
      found.append(
        make(
          relationship.name, relationship.shape, relationship.destination, relationship.inverseName,
          relationship.oldName))
    }
    if let inverse = relationship.inverse, !relationship.isItsOwnInverse, relationship.destination == id,
      let name = relationship.inverseName
    {
      found.append(
        make(name, inverse, relationship.owner, relationship.name, relationship.oldName.map { "\($0)Back" }))
    }
    return found
  }
}
