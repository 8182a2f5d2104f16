package import Diagnostics
package import SQLite

/// A connection to a store that is read, with what its readers must know.
///
/// Each thread has one of its own. All of them see the same state: `StoreWriter.attach` makes sure of it.
package struct SourceConnection {
  /// The connection.
  package let connection: Connection
  /// The store's path as the user named it, for messages.
  package let path: String
  /// The encoding of the database's text.
  package let encoding: String
}

extension StoreReader {
  /// The connection that this reader has.
  package var sourceConnection: SourceConnection {
    SourceConnection(connection: connection, path: file.path, encoding: layout.encoding)
  }

  /// Opens one more connection, for another thread.
  package func openConnection() throws(MigrationError) -> SourceConnection {
    try reporting(path: file.path) {
      let connection = try Connection(path: file.resolvedPath, access: access)
      connection.keepWriteAheadLogOnClose()
      try connection.keepFewPages()
      return SourceConnection(connection: connection, path: file.path, encoding: layout.encoding)
    }
  }
}
