internal import DataModel
public import Expressions
public import PersistentStore

/// Tells the predicate engine how Core Data keeps the properties of a model's entities.
public struct SchemaNaming: SQLNaming {
  /// How the store is laid out.
  public let schema: StoreSchema

  /// Creates the names of a store's layout.
  public init(_ schema: StoreSchema) {
    self.schema = schema
  }

  /// Whether the store keeps its text as UTF-8.
  public var keepsTextAsUTF8: Bool { schema.keepsTextAsUTF8 }

  /// The table of an entity.
  public func table(forEntityNamed name: String) -> SQLTable? {
    schema.table(forEntityNamed: name).map { SQLTable(entity: name, name: $0.name) }
  }

  /// How a property is kept, own or inherited.
  public func property(_ key: String, of entityName: String) -> SQLProperty? {
    guard let entity = schema.model.entity(named: entityName) else { return nil }
    if let attribute = entity.attribute(named: key),
      let column = schema.column(forProperty: key, ofEntityNamed: entityName)
    {
      // Data that may lie in a file is not what its column holds.
      let type = attribute.allowsExternalBinaryDataStorage ? .other : attribute.type.sqlValueType
      return .attribute(column: column.name, type: type)
    }
    guard let relationship = entity.relationship(named: key),
      let destination = table(forEntityNamed: relationship.destinationEntityName)
    else { return nil }
    if !relationship.isToMany {
      return schema.column(forProperty: key, ofEntityNamed: entityName)
        .map { .toOne(column: $0.name, destination: destination) }
    }
    return link(of: relationship, entityName: entityName).map { .toMany(destination: destination, link: $0) }
  }

  private func link(of relationship: RelationshipDescription, entityName: String) -> SQLLink? {
    if let table = schema.joinTable(forRelationship: relationship.name, ofEntityNamed: entityName) {
      let isNaming = schema.isNaming(relationship.name, ofEntityNamed: entityName, in: table)
      let (here, there) = isNaming ? (table.naming, table.inverse) : (table.inverse, table.naming)
      // A column is named after the relationship whose destinations it holds.
      return .joinTable(table.name, source: there.destinationColumn, destination: here.destinationColumn)
    }
    guard let inverse = relationship.inverseName else { return nil }
    return schema.column(forProperty: inverse, ofEntityNamed: relationship.destinationEntityName)
      .map { .inverse(column: $0.name) }
  }
}

extension AttributeType {
  /// What values of this type are in SQL.
  var sqlValueType: SQLValueType {
    switch self {
    case .boolean: .boolean
    case .integer16: .integer16
    case .integer32: .integer32
    case .integer64: .integer64
    case .double, .float: .real
    case .string: .string
    case .date: .date
    case .uuid: .uuid
    case .uri: .url
    case .binaryData: .data
    case .undefined, .decimal, .transformable, .objectID, .composite: .other
    }
  }
}
