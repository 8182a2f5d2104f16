public import DataModel

/// The table that holds the instances of a root entity and of all its subentities.
public struct EntityTable: Sendable {
  /// A column beyond the three that every table begins with (`Z_PK`, `Z_ENT`, `Z_OPT`).
  public struct Column: Sendable, Hashable {
    /// What a column holds.
    public enum Content: Sendable, Hashable {
      case attribute(AttributeType)
      /// The primary key of a to-one destination.
      case foreignKey
      /// The entity number of a to-one destination that has subentities.
      case destinationEntity
      /// The place among the instances of an ordered relationship.
      case order
    }

    /// The name in the table.
    public let name: String
    /// The entity that declares the property.
    public let entityName: String
    /// The attribute or relationship.
    public let propertyName: String
    /// What the column holds.
    public let content: Content

    /// The type as Core Data declares it.
    public var sqlType: String {
      guard case .attribute(let type) = content else { return "INTEGER" }
      return type.sqlType
    }
  }

  /// The name of the table.
  public let name: String
  /// The root entity and all below it, in the order of the entity numbers of a fresh store.
  public let entityNames: [String]
  /// The columns, in the order of a fresh store's table.
  public let columns: [Column]
  /// The statements that create the indexes of keys.
  let keyIndexStatements: [String]
  /// The statements that create the indexes that the model asks for, and those that keep values unique.
  let fetchIndexStatements: [String]

  /// The column of an attribute or to-one relationship.
  ///
  /// - Parameters:
  ///   - property: The name of the property.
  ///   - entities: The entities that may have declared it; without them, the first column of the property.
  public func column(forProperty property: String, ofEntities entities: [String]? = nil) -> Column? {
    columns.first { column in
      switch column.content {
      case .attribute, .foreignKey: column.propertyName == property && entities?.contains(column.entityName) != false
      case .destinationEntity, .order: false
      }
    }
  }

  /// The statement that creates the table, spaced as Core Data spaces it.
  public var createStatement: String {
    let list =
      ["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER"]
      + columns.map { "\($0.name.schemaIdentifier) \($0.sqlType)" }
    return "CREATE TABLE \(name.schemaIdentifier) ( \(list.joined(separator: ", ")) )"
  }
}

extension AttributeType {
  /// The type that Core Data declares for columns of this type.
  package var sqlType: String {
    switch self {
    case .undefined, .integer16, .integer32, .integer64, .boolean, .objectID: "INTEGER"
    case .decimal: "DECIMAL"
    case .double, .float: "FLOAT"
    case .string, .uri: "VARCHAR"
    case .date: "TIMESTAMP"
    case .binaryData, .uuid, .transformable, .composite: "BLOB"
    }
  }

  /// The place of columns of this type among the groups in which Core Data orders them.
  var columnGroup: Int {
    switch self {
    case .undefined, .integer16, .integer32, .integer64, .boolean, .objectID: 0
    case .double, .float, .date: 1
    case .decimal: 2
    case .string: 3
    case .uri: 4
    case .uuid: 5
    case .transformable, .composite: 6
    case .binaryData: 7
    }
  }
}
