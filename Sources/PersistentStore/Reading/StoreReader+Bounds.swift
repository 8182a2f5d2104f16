package import Diagnostics
internal import SQLite
internal import SystemC

extension StoreReader {
  /// The size in bytes up to which the rows of a store are counted as soon as it is opened.
  ///
  /// Larger ones would take a while, and a question about a few rows need not wait for it.
  static let sizeCountedWhenOpened: Int64 = 64 << 20

  /// Makes sure that there are not more rows than fit into the file, before somebody reads all of them.
  ///
  /// - Parameter schema: Its tables of entities are not counted where they have its columns and no others: somebody who
  ///   copies their rows, and nothing else, meets a key twice before there are too many.
  /// - Throws: `MigrationError`, with `damaged` when pages of the file lead to others again and again.
  package func requireBoundedTables(except schema: StoreSchema? = nil) throws(MigrationError) {
    // Smaller ones have been counted.
    guard isLarge else { return }
    if watchesLongQuestions {
      connection.onProgress(every: 100_000) { EndRequest.isMade }
      watchesLongQuestions = false
    }
    let exceptions = try schema.map { (schema) throws(MigrationError) in try plainTables(of: schema) }
    try reporting(path: file.path) { try connection.requireBoundedTables(file, except: exceptions ?? []) }
  }

  /// Makes sure of the same once a question has taken a second, which then ends with `damaged`; and ends every question
  /// when a signal asks the process to end.
  package func requireBoundedTablesOfLongQuestions() {
    guard isLarge else { return connection.onProgress(every: 100_000) { EndRequest.isMade } }
    watchesLongQuestions = true
    var begin: ContinuousClock.Instant?
    var hasCounted = false
    connection.onProgress(every: 100_000) { [weak self] in
      guard let self, !EndRequest.isMade else { return EndRequest.isMade }
      let now = ContinuousClock.now
      guard !hasCounted, let start = begin, now - start > .seconds(1) else {
        begin = begin ?? now
        return connection.interruptionError != nil
      }
      hasCounted = true
      // SQLite does not let a connection work for two.
      do throws(MigrationError) {
        let other = try openConnection().connection
        try reporting(path: file.path) { try other.requireBoundedTables(file) }
      } catch let error where error.code == .damaged {
        connection.interruptionError = .damaged(error.detail ?? "", path: file.path)
      } catch {
        // Whoever asks will find out.
      }
      return connection.interruptionError != nil
    }
  }

  /// The tables that have the columns of the schema and no others.
  private func plainTables(of schema: StoreSchema) throws(MigrationError) -> Set<String> {
    let tables = try FoundTables(self)
    let plain = schema.tables.filter { table in
      // Rows of other entities are counted on the way, whatever their keys.
      guard table.entityNames.count == 1 else { return false }
      let known = Set((FoundColumns.fixed + table.columns.map(\.name)).map(\.sqlNameKey))
      return tables.columns(of: table.name).names.allSatisfy { known.contains($0.sqlNameKey) }
    }
    return Set(plain.map(\.name))
  }

  private var isLarge: Bool { file.sizeWithLog > Self.sizeCountedWhenOpened }
}
