package import Diagnostics
internal import SQLite

extension StoreWriter {
  /// Goes on with a copy of a store's file, to which it adds columns.
  ///
  /// The rows are not written again, which takes longer than all else in large stores. Where Core Data itself has added
  /// columns to a store, they stand at the end of their tables, too.
  ///
  /// - Parameters:
  ///   - path: The copy, of which nobody else knows.
  ///   - columns: What it lacks.
  package convenience init(copyAt path: String, adding columns: AddedColumns) throws(MigrationError) {
    try self.init(copyAt: path, schema: columns.destination)
    createdIndexes = Set(columns.source.indexStatements)
    try reporting(path: path) {
      for addition in columns.additions {
        let (name, type) = (addition.column.name.schemaIdentifier, addition.column.sqlType)
        try connection.execute("ALTER TABLE main.\(addition.table.quotedIdentifier) ADD COLUMN \(name) \(type)")
      }
    }
  }
}
