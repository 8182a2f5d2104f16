internal import DataModel
internal import Expressions
internal import PersistentStore

/// An entity with the places of its properties, made once so that instances need no search.
final class EntityLayout {
  let entity: EntityDescription
  /// The place among the layouts of the store.
  let place: Int
  /// `Z_ENT`.
  let number: Int32
  let table: EntityTable
  /// All attributes, transient ones included, in the order of an instance's values.
  let attributes: [Attribute]
  let attributeNames: [String]
  let relationships: [Relationship]
  /// `Z_PK`, `Z_ENT` and the columns of the attributes, in the order of an instance's values.
  let selectedColumns: SQLFragment
  /// The values of a new instance.
  let defaultValues: [AttributeValue?]
  private let attributeIndexes: [String: Int]
  private let relationshipIndexes: [String: Int]
  /// The numbers of the entity and all below it.
  let family: Set<Int32>

  struct Attribute {
    let description: AttributeDescription
    /// The column, or `nil` for what is not stored.
    let column: String?
    let type: AttributeType
    /// Whether the data may lie in a file beside the store.
    let isExternal: Bool
  }

  /// An object, since steps of plans and calls pass it on for every instance.
  final class Relationship {
    let description: RelationshipDescription
    let layout: RelationshipLayout?
    /// The place among the entity's relationships.
    let index: Int
    /// The place of this side among the links of the destination; see `LinkStore`.
    let end: Int?

    init(_ description: RelationshipDescription, layout: RelationshipLayout?, index: Int, end: Int?) {
      self.description = description
      self.layout = layout
      self.index = index
      self.end = end
    }
  }

  init?(
    _ entity: EntityDescription, place: Int, number: Int32, family: Set<Int32>, places: PropertyLayouts,
    ends: [RelationshipKey: Int]
  ) {
    guard let table = places.table(forEntityNamed: entity.name) else { return nil }
    self.entity = entity
    self.place = place
    self.table = table
    self.number = number
    self.family = family
    attributes = entity.attributes.map { attribute in
      Attribute(
        description: attribute,
        column: attribute.isTransient
          ? nil : places.column(forAttribute: attribute.name, ofEntityNamed: entity.name)?.name,
        type: attribute.type, isExternal: attribute.allowsExternalBinaryDataStorage)
    }
    attributeNames = entity.attributes.map(\.name)
    defaultValues = attributes.map(\.description.defaultValue)
    selectedColumns = attributes.reduce("Z_PK, Z_ENT") { columns, attribute in
      attribute.column.map { "\(columns), t0.\(identifier: $0)" } ?? "\(columns), NULL"
    }
    let lineage = places.lineages[entity.name] ?? [entity.name]
    relationships = entity.relationships.enumerated().map { index, relationship in
      Relationship(
        relationship, layout: places.layout(of: relationship, ofEntityNamed: entity.name), index: index,
        end: lineage.lazy.compactMap { ends[RelationshipKey(entity: $0, name: relationship.name)] }.first)
    }
    attributeIndexes = Dictionary(
      attributes.enumerated().map { ($1.description.name, $0) }, uniquingKeysWith: { first, _ in first })
    relationshipIndexes = Dictionary(
      relationships.enumerated().map { ($1.description.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The name of the entity that the table is named after.
  var rootEntityName: String { table.entityNames.first ?? entity.name }

  func attributeIndex(_ name: String) -> Int? { attributeIndexes[name] }

  /// The same for those who know the place in the entity as they have it: to look there costs less than a hash.
  func attributeIndex(_ name: String, expectedAt place: Int) -> Int? {
    place < attributeNames.count && attributeNames[place] == name ? place : attributeIndexes[name]
  }

  func relationship(_ name: String) -> Relationship? { relationshipIndexes[name].map { relationships[$0] } }
}

/// A relationship by the entity that declares it.
struct RelationshipKey: Hashable {
  let entity: String
  let name: String
}
