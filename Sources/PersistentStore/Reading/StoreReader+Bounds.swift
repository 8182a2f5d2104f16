package import Diagnostics
internal import SQLite

extension StoreReader {
  /// The size in bytes up to which the rows of a store are counted as soon as it is opened.
  ///
  /// Larger ones would take a while, and a question about a few rows need not wait for it.
  static let sizeCountedWhenOpened: Int64 = 64 << 20

  /// Makes sure that there are not more rows than fit into the file, before somebody reads all of them.
  ///
  /// - Throws: `MigrationError`, with `damaged` when pages of the file lead to others again and again.
  package func requireBoundedTables() throws(MigrationError) {
    // Smaller ones have been counted.
    guard isLarge else { return }
    try reporting(path: file.path) { try connection.requireBoundedTables(file) }
  }

  private var isLarge: Bool { file.size + file.writeAheadLogSize > Self.sizeCountedWhenOpened }
}
