/// The first hundred bytes of a SQLite file.
package struct DatabaseHeader: Sendable {
  /// Whether the file keeps its changes in a write-ahead log.
  package let usesWriteAheadLog: Bool

  /// Reads a header; `nil` when these are not the first bytes of a database.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count >= 100, bytes.starts(with: Array("SQLite format 3".utf8) + [0]) else { return nil }
    // Bytes 18 and 19: the file format write and read version; 2 means WAL (sqlite.org/fileformat.html).
    usesWriteAheadLog = bytes[18] == 2 || bytes[19] == 2
  }
}
