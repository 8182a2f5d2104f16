internal import DataModel
internal import Expressions
internal import PersistentStore

/// How the source keeps the links of a relationship, seen from the rows that have it.
enum SourceLink: Hashable {
  /// A row is linked with itself.
  case itself
  /// The row holds the key of its destination, and its own place among the destinations of the inverse.
  case own(column: String, inversePlace: String?)
  /// The destination holds the key of the row, and its place.
  case inverse(column: String, place: String?)
  /// A table of pairs.
  case joinTable(String, source: String, destination: String, place: String?, inversePlace: String?)
  /// A table of pairs of a relationship that is its own inverse: each may be there once or both ways.
  case mutual(String, String, String)

  /// Finds out how a relationship is kept; `nil` where it is not.
  init?(_ relationship: RelationshipDescription, of entity: String, in schema: StoreSchema) {
    let model = schema.model
    if !relationship.isToMany {
      guard let column = schema.column(forProperty: relationship.name, ofEntityNamed: entity),
        let table = schema.table(forEntityNamed: entity)
      else { return nil }
      self = .own(column: column.name, inversePlace: table.companion(of: column, .order))
      return
    }
    if let table = schema.joinTable(forRelationship: relationship.name, ofEntityNamed: entity) {
      if table.isReflexive {
        self = .mutual(table.name, table.naming.destinationColumn, table.inverse.destinationColumn)
        return
      }
      let isNaming = schema.isNaming(relationship.name, ofEntityNamed: entity, in: table)
      let (here, there) = isNaming ? (table.naming, table.inverse) : (table.inverse, table.naming)
      // A column is named after the relationship whose destinations it holds.
      self = .joinTable(
        table.name, source: there.destinationColumn, destination: here.destinationColumn, place: here.orderColumn,
        inversePlace: there.orderColumn)
      return
    }
    guard let table = schema.table(forEntityNamed: relationship.destinationEntityName) else { return nil }
    // Without an inverse the destination keeps a key that its entity knows nothing of.
    let column =
      if let inverse = relationship.inverseName {
        schema.column(forProperty: inverse, ofEntityNamed: relationship.destinationEntityName)
      } else {
        table.column(forProperty: relationship.name, ofEntities: model.lineage(of: entity))
      }
    guard let column, column.content == .foreignKey else { return nil }
    self = .inverse(column: column.name, place: table.companion(of: column, .order))
  }

  /// The rows `o` and their destinations `r` of a pair of tables, for FROM.
  func rows(from source: String, to destination: String) -> SQLFragment {
    let (source, destination): (SQLFragment, SQLFragment) = (.sourceTable(source), .sourceTable(destination))
    return switch self {
    case .itself: "\(source) o JOIN \(destination) r ON r.Z_PK = o.Z_PK"
    case .own(let column, _): "\(source) o JOIN \(destination) r ON r.Z_PK = o.\(identifier: column)"
    // CROSS keeps the order of the loops: the keys are looked up in the table that has them for its primary keys.
    case .inverse(let column, _): "\(destination) r CROSS JOIN \(source) o ON o.Z_PK = r.\(identifier: column)"
    case .joinTable(let name, let from, let to, _, _):
      "\(.sourceTable(name)) j CROSS JOIN \(source) o ON o.Z_PK = j.\(identifier: from) CROSS JOIN \(destination) r ON r.Z_PK = j.\(identifier: to)"
    case .mutual(let name, let one, let other):
      "(SELECT \(identifier: one) AS a, \(identifier: other) AS b FROM \(.sourceTable(name)) UNION SELECT \(identifier: other), \(identifier: one) FROM \(.sourceTable(name))) j CROSS JOIN \(source) o ON o.Z_PK = j.a CROSS JOIN \(destination) r ON r.Z_PK = j.b"
    }
  }

  /// The place of the destination among those of its row.
  var place: SQLFragment {
    switch self {
    case .inverse(_, let place?): "r.\(identifier: place)"
    case .joinTable(_, _, _, let place?, _): "j.\(identifier: place)"
    default: "NULL"
    }
  }

  /// The place of the row among those of its destination.
  var inversePlace: SQLFragment {
    switch self {
    case .own(_, let place?): "o.\(identifier: place)"
    case .joinTable(_, _, _, _, let place?): "j.\(identifier: place)"
    default: "NULL"
    }
  }
}

extension EntityTable {
  /// The name of the column that goes with a foreign key: that of the destination's entity or that of the place.
  func companion(of key: Column, _ content: Column.Content) -> String? {
    columns.first {
      $0.content == content && $0.propertyName == key.propertyName && $0.entityName == key.entityName
    }?.name
  }
}
