package import MigrationDiagnostics
internal import SQLiteDatabase

// A table may be an app's own copy of a table of Core Data's, whose rules must not silently drop or replace rows
// (`ON CONFLICT IGNORE`): the statements say what to do instead.

/// Adds instances of one entity to a new store, one by one.
package final class InstanceInserter {
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
        "INSERT OR ABORT INTO \(table.name.quotedIdentifier) (\(names)) VALUES (\(values.joined(separator: ", ")))")
    }
  }

  /// Adds an instance whose properties are all text; a buffer without a base address is NULL.
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
  /// Prepares to add instances of an entity with values for these properties.
  package func inserter(forEntityNamed entity: String, properties: [String]) throws(MigrationError) -> InstanceInserter
  {
    try InstanceInserter(self, entity: entity, properties: properties)
  }
}

/// Updates instances of one entity in a new store.
package final class InstanceUpdater {
  private let statement: Statement
  private let path: String

  init(_ writer: StoreWriter, entity: String, properties: [String]) throws(MigrationError) {
    guard let table = writer.schema.table(forEntityNamed: entity) else {
      throw MigrationError(.invalidMappingModel, detail: "it changes '\(entity)', which the model does not have")
    }
    let assignments = try writer.columnNames(of: properties, ofEntityNamed: entity).map { "\($0) = ?" }
    path = writer.path
    statement = try reporting(path: writer.path) {
      try writer.connection.prepare(
        "UPDATE OR ABORT \(table.name.quotedIdentifier) SET \(assignments.joined(separator: ", ")) WHERE Z_PK = ?")
    }
  }

  /// Sets the properties of an instance, which are all text; a buffer without a base address is NULL.
  package func update(primaryKey: Int64, texts: UnsafeRawBufferPointer...) throws(MigrationError) {
    do {
      try statement.bind(primaryKey, at: statement.bindBorrowed(texts: texts, from: 1))
      try statement.run()
    } catch {
      throw MigrationError(error, path: path)
    }
  }
}

extension StoreWriter {
  /// Prepares to update these properties of instances of an entity.
  package func updater(forEntityNamed entity: String, properties: [String]) throws(MigrationError) -> InstanceUpdater {
    try InstanceUpdater(self, entity: entity, properties: properties)
  }

  /// The columns of properties, quoted.
  func columnNames(of properties: [String], ofEntityNamed entity: String) throws(MigrationError) -> [String] {
    try properties.map { property throws(MigrationError) in
      guard let column = schema.column(forProperty: property, ofEntityNamed: entity) else {
        throw MigrationError(.invalidMappingModel, detail: "'\(entity)' has no column for '\(property)'")
      }
      return column.name.quotedIdentifier
    }
  }
}
