public import Diagnostics
internal import SQLite

/// Adds instances of one entity to a new store, one after the other.
public final class InstanceInserter {
  private let statement: Statement
  private let path: String

  init(_ writer: StoreWriter, entity: String, properties: [String]) throws(MigrationError) {
    guard let table = writer.schema.table(forEntityNamed: entity) else {
      throw MigrationError(.invalidMappingModel, detail: "it creates '\(entity)', which the model does not have")
    }
    let columns = try writer.columnNames(of: properties, ofEntityNamed: entity)
    let names = (["Z_PK", "Z_ENT", "Z_OPT"] + columns).joined(separator: ", ")
    let values = ["?", "\(writer.schema.entityNumber(entity))", "1"] + columns.map { _ in "?" }
    path = writer.path
    statement = try reporting(path: writer.path) {
      try writer.connection.prepare(
        "INSERT INTO \(table.name.quotedIdentifier) (\(names)) VALUES (\(values.joined(separator: ", ")))")
    }
  }

  /// Adds an instance whose properties are all text; a buffer without base address is NULL.
  ///
  /// Nothing is copied.
  package func insert(primaryKey: Int64, texts: UnsafeRawBufferPointer...) throws(MigrationError) {
    do {
      try statement.bind(primaryKey, at: 1)
      _ = try statement.bindBorrowed(texts: texts, from: 2)
      try statement.run()
    } catch {
      throw MigrationError(error, path: path)
    }
  }

  /// Adds an instance.
  package func insert(primaryKey: Int64, values: [ColumnValue]) throws(MigrationError) {
    do {
      try statement.bind(primaryKey, at: 1)
      for (index, value) in zip(Int32(2)..., values) { try value.bind(to: statement, at: index) }
      try statement.run()
    } catch {
      throw MigrationError(error, path: path)
    }
  }
}

extension StoreWriter {
  /// Prepares to add instances of an entity, giving the named properties values.
  public func inserter(forEntityNamed entity: String, properties: [String]) throws(MigrationError) -> InstanceInserter {
    try InstanceInserter(self, entity: entity, properties: properties)
  }
}
