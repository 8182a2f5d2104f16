import DataModel

/// A model in a form that is easy to change at random, in which entities refer to each other by number.
struct Blueprint {
  struct Attribute {
    var name: String
    var type: AttributeType
    var isOptional = true
    var hasDefault = false
    var isExternal = false
    var isTransient = false
    var oldName: String?
  }

  /// One side of a relationship.
  struct End {
    var name: String
    var isToMany: Bool
    var isOrdered = false
    var isOptional = true
    var oldName: String?
  }

  struct Relationship {
    var owner: Int
    var destination: Int
    var end: End
    var inverse: End?
    var isItsOwnInverse = false
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
  /// A counter for names that no version has used.
  var nameCount = 0

  var numbers: [Int] { entities.keys.sorted() }

  func lineage(_ number: Int) -> [Int] { Array(sequence(first: number) { entities[$0]?.parent }) }

  mutating func freshName(_ prefix: String) -> String {
    nameCount += 1
    return "\(prefix)\(nameCount)"
  }

  /// The model; `nil` if the random choices are invalid.
  func model() -> ManagedObjectModel? {
    try? ManagedObjectModel(entities: numbers.compactMap { number in entities[number].map { description(number, $0) } })
  }

  private func description(_ number: Int, _ entity: Entity) -> EntityDescription {
    // A value that identifies instances independently of their keys.
    let identity =
      entity.parent == nil ? [AttributeDescription("uid", .integer64, isOptional: false)] : []
    return EntityDescription(
      entity.name, isAbstract: entity.isAbstract, superentityName: entity.parent.flatMap { entities[$0]?.name },
      renamingIdentifier: entity.oldName,
      attributes: identity
        + entity.attributes.map {
          AttributeDescription(
            $0.name, $0.type, isOptional: $0.isOptional, isTransient: $0.isTransient,
            defaultValue: $0.hasDefault ? RandomValue.standard($0.type) : nil,
            allowsExternalBinaryDataStorage: $0.isExternal && $0.type == .binaryData, renamingIdentifier: $0.oldName)
        },
      relationships: relationships.flatMap { descriptions($0, of: number) })
  }

  private func descriptions(_ relationship: Relationship, of number: Int) -> [RelationshipDescription] {
    let inverse = relationship.isItsOwnInverse ? relationship.end : relationship.inverse
    func make(_ end: End, to destination: Int, inverse: End?) -> RelationshipDescription {
      RelationshipDescription(
        end.name, to: entities[destination]?.name ?? "", inverse: inverse?.name, maxCount: end.isToMany ? 0 : 1,
        // A reflexive relationship without an inverse does not keep its order.
        isOrdered: end.isOrdered && end.isToMany && inverse != nil && !relationship.isItsOwnInverse,
        isOptional: end.isOptional, renamingIdentifier: end.oldName)
    }
    var found: [RelationshipDescription] = []
    if relationship.owner == number {
      found.append(make(relationship.end, to: relationship.destination, inverse: inverse))
    }
    if relationship.destination == number, !relationship.isItsOwnInverse, let inverse {
      found.append(make(inverse, to: relationship.owner, inverse: relationship.end))
    }
    return found
  }
}
