public import Diagnostics
internal import SQLite

extension StoreWriter {
  /// Attaches the store that rows are copied from, read-only, and makes sure that it and its reader see the same state.
  ///
  /// SQLite attaches only databases of the same text encoding, which is one more reason to keep the source's layout.
  ///
  /// - Throws: `MigrationError` with `changedMeanwhile` when another program writes to the source without a pause.
  public func attach(_ source: StoreReader) throws(MigrationError) { try attach(source, []) }

  /// Attaches the store that rows are copied from, read-only, and makes sure that it and all its readers see the same
  /// state.
  ///
  /// SQLite attaches only databases of the same text encoding, which is one more reason to keep the source's layout.
  ///
  /// - Parameters:
  ///   - source: The store.
  ///   - others: More connections to it.
  /// - Throws: `MigrationError` with `changedMeanwhile` when another program writes to the source without a pause.
  package func attach(_ source: StoreReader, _ others: [SourceConnection]) throws(MigrationError) {
    try reporting(path: source.file.path) {
      // ATTACH is not allowed inside a transaction.
      try connection.execute("COMMIT")
      try connection.attachReadOnly(
        path: source.file.resolvedPath, isImmutable: source.isImmutable, as: Self.sourceSchema)
      // Tables are copied from their beginning to their end.
      try connection.keepFewPages(ofSchema: Self.sourceSchema)
      for _ in 1...100 {
        // Each connection reads its own snapshot of the source. data_version tells whether anybody has committed between
        // the moment before the first of them and the last.
        let before = try connection.integer("PRAGMA \(Self.sourceSchema).data_version")
        let readers = [source.connection] + others.map(\.connection)
        for reader in readers {
          try reader.execute("BEGIN")
          _ = try reader.integer("SELECT count(*) FROM sqlite_schema")
        }
        try connection.execute("BEGIN")
        _ = try connection.integer("SELECT count(*) FROM \(Self.sourceSchema).sqlite_schema")
        if try connection.integer("PRAGMA \(Self.sourceSchema).data_version") == before { return }
        try connection.execute("COMMIT")
        for reader in readers { try reader.execute("COMMIT") }
      }
      throw MigrationError(.changedMeanwhile, path: source.file.path)
    }
  }
}
