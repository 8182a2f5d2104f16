internal import Diagnostics

extension SampleFile {
  /// What the file says of the SQLite that wrote it, so that it does not depend on the SQLite that did: 3.40.1.
  private static let libraryVersion: UInt32 = 3_040_001

  /// Sets the parts of a database's header that are not decided by its contents (sqlite.org/fileformat.html, 1.3).
  ///
  /// Bytes 18 and 19 tell whether the database has a write-ahead log (2) or not (1). Bytes 96 to 99 are the version of
  /// the library that wrote last. Bytes 92 to 95 say for which change that is so; they follow from the contents.
  func settleHeader(usesWriteAheadLog: Bool) throws(MigrationError) {
    var header = try read(100, at: 0)
    guard header.count == 100 else { throw MigrationError(.inputOutput) }
    header[18] = usesWriteAheadLog ? 2 : 1
    header[19] = header[18]
    header.replaceSubrange(96..<100, with: Self.libraryVersion.bigEndianBytes)
    try write(header)
  }
}

extension UInt32 {
  /// The four bytes, the most significant first, as SQLite's files have them.
  var bigEndianBytes: [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: self >> $0) }
  }
}
