package import SQLite

extension StoreWriter {
  /// The connection that the store is written with, for statements that work on all rows of a table at once.
  ///
  /// The store's own tables are in the schema `main`, and those of an attached source in `sourceDatabaseName`.
  package var bulkConnection: Connection { connection }

  /// The schema name under which `attach` makes the source known.
  package static var sourceDatabaseName: String { sourceSchema }
}
