internal import DataModel
public import Diagnostics
public import PersistentStore
internal import SQLite

/// Where the tables of a store are not as a model wants them.
public struct ColumnFinding: Sendable, Hashable {
  /// What is not as it should be.
  public enum Kind: Sendable, Hashable {
    /// There is no table for the entity and its subentities.
    case missingTable
    /// There is no column for the property.
    case missingColumn(String)
    /// No property explains the column; its type is as the table declares it.
    case unexplainedColumn(String, type: String)
  }

  /// The table.
  public let tableName: String
  /// The entity that declares the property, or else the root entity of the table.
  public let entityName: String
  /// The property without a column.
  public let propertyName: String?
  /// What is not as it should be.
  public let kind: Kind

  /// Compares the tables of a store with those that a model asks for.
  public static func all(in store: StoreReader, comparedWith schema: StoreSchema) throws(MigrationError) -> [Self] {
    try reporting(path: store.file.path) {
      try schema.tables.flatMap { table in
        let found = try columns(of: table.name, in: store.connection)
        return findings(table, found)
      }
    }
  }

  private static func findings(_ table: EntityTable, _ found: [(name: String, type: String)]) -> [Self] {
    guard let root = table.entityNames.first else { return [] }
    guard !found.isEmpty else {
      return [Self(tableName: table.name, entityName: root, propertyName: nil, kind: .missingTable)]
    }
    let foundNames = Set(found.map { $0.name.uppercased() })
    let missing = table.columns.filter { $0.isNamedAfterProperty && !foundNames.contains($0.name) }.map { column in
      Self(
        tableName: table.name, entityName: column.entityName, propertyName: column.propertyName,
        kind: .missingColumn(column.name))
    }
    let known = Set(table.columns.map(\.name) + ["Z_PK", "Z_ENT", "Z_OPT"])
    let unexplained = found.filter { !known.contains($0.name.uppercased()) && !isNumbered($0.name) }
    return missing
      + unexplained.map { column in
        Self(
          tableName: table.name, entityName: root, propertyName: nil,
          kind: .unexplainedColumn(column.name, type: column.type))
      }
  }

  /// Columns of orders and of entities have numbers in their names, which change from version to version.
  private static func isNumbered(_ name: String) -> Bool {
    let rest = name.uppercased().dropFirst()
    return rest.hasPrefix("_FOK_") || rest.first?.isNumber == true
  }

  /// The columns of a real table; none of a view, which would run SQL of the file's author.
  private static func columns(of table: String, in connection: Connection) throws -> [(name: String, type: String)] {
    guard try connection.hasPlainTable(table) else { return [] }
    // The pragma itself, not the function of its name: a table could bear that.
    let statement = try connection.prepare("PRAGMA main.table_info(\(table.quotedIdentifier))")
    var columns: [(name: String, type: String)] = []
    while try statement.step() {
      if let name = statement.text(1) { columns.append((name, statement.text(2) ?? "")) }
    }
    return columns
  }
}

extension EntityTable.Column {
  fileprivate var isNamedAfterProperty: Bool {
    switch content {
    case .attribute, .foreignKey: true
    case .destinationEntity, .order: false
    }
  }
}
