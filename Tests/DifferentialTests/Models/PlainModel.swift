import DataModel

/// A model as plain dictionaries, with inheritance resolved in the simplest way.
struct PlainModel {
  struct Entity {
    let name: String
    let identifier: String
    let parent: String?
    let isAbstract: Bool
    /// The stored properties, own and inherited.
    var attributes: [String: AttributeDescription] = [:]
    var relationships: [String: RelationshipDescription] = [:]
  }

  private(set) var entities: [String: Entity] = [:]

  init(_ model: ManagedObjectModel) {
    let described = Dictionary(uniqueKeysWithValues: model.entities.map { ($0.name, $0) })
    for entity in model.entities {
      var plain = Entity(
        name: entity.name, identifier: entity.renamingIdentifier, parent: entity.superentityName,
        isAbstract: entity.isAbstract)
      var next: EntityDescription? = entity
      while let ancestor = next {
        for attribute in ancestor.ownAttributes where !attribute.isTransient {
          plain.attributes[attribute.name] = attribute
        }
        for relationship in ancestor.ownRelationships { plain.relationships[relationship.name] = relationship }
        next = ancestor.superentityName.flatMap { described[$0] }
      }
      entities[entity.name] = plain
    }
  }

  var names: [String] { entities.keys.sorted() }

  func lineage(_ name: String) -> [String] { Array(sequence(first: name) { entities[$0]?.parent }) }

  func root(_ name: String) -> String { lineage(name).last ?? name }

  /// Returns the entities that an instance of an entity may have.
  func family(_ name: String) -> [String] {
    names.filter { entities[$0]?.isAbstract == false && lineage($0).contains(name) }
  }

  /// Returns the inverse relationship.
  func inverse(of relationship: RelationshipDescription) -> RelationshipDescription? {
    relationship.inverseName.flatMap { entities[relationship.destinationEntityName]?.relationships[$0] }
  }
}

extension PlainModel: CustomStringConvertible {
  /// A description with everything that explains why two results differ.
  var description: String {
    names.compactMap { entities[$0] }.map { entity in
      let attributes = entity.attributes.values.sorted { $0.name < $1.name }.map {
        "\($0.name)(\($0.renamingIdentifier)): \($0.type.xmlName)\($0.isOptional ? "?" : "")"
          + ($0.defaultValue == nil ? "" : " = \(Cell($0.defaultValue))")
      }
      let relationships = entity.relationships.values.sorted { $0.name < $1.name }.map {
        "\($0.name)(\($0.renamingIdentifier)): \($0.isOrdered ? "ordered " : "")\($0.isToMany ? "[" : "")"
          + "\($0.destinationEntityName)\($0.isToMany ? "]" : "")\($0.isOptional ? "?" : "") / \($0.inverseName ?? "-")"
      }
      let parent = entity.parent.map { ": \($0)" } ?? ""
      return "\(entity.isAbstract ? "abstract " : "")\(entity.name)(\(entity.identifier))\(parent) "
        + "{ \((attributes + relationships).joined(separator: "; ")) }\n"
    }.joined()
  }
}
