internal import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase
internal import SystemC

/// A copy of a store in which findings are mended.
struct RepairedCopy {
  private let path: String
  private(set) var deeds: [String] = []
  /// The columns whose values were computed again, as `TABLE.COLUMN`.
  private(set) var computedColumns: Set<String> = []
  /// The new names of tables, by their names in the store.
  private(set) var newNames: [String: String] = [:]
  /// The work that was done, which is not done twice.
  private var done: Set<Repair> = []

  /// Copies a store, with new indexes in place of damaged ones.
  init(of store: StoreReader, at path: String, _ document: HealthDocument) throws(MigrationError) {
    self.path = path
    let repairs = document.repairable.compactMap(\.repair)
    var (indexes, isAll): (Set<String>, Bool) = ([], false)
    for repair in repairs {
      switch repair.work {
      case .indexes(let names?): indexes.formUnion(names)
      case .indexes(nil): isAll = true
      case .copying, .rollback: break
      case .statements: continue
      }
      note(repair)
    }
    store.connection.onProgress(every: 100_000) { EndRequest.isMade }
    defer { store.connection.onProgress(every: 0, nil) }
    let rebuilds = isAll || !indexes.isEmpty
    try reporting(path: path) {
      // Copied as they are: SQLite would read a damaged index in order to write it.
      try rebuilds ? store.connection.copyPages(toFile: path) : store.connection.copy(toFile: path)
    }
    if rebuilds {
      try change { (connection) throws(SQLiteError) in try connection.rebuildIndexes(isAll ? nil : indexes) }
    } else {
      try FileSystem.synchronize(path)
    }
  }

  private mutating func note(_ repair: Repair) {
    done.insert(repair)
    if !deeds.contains(repair.deed) { deeds.append(repair.deed) }
    computedColumns.formUnion(repair.computedColumns)
  }

  /// Mends what a document has found in the copy.
  ///
  /// - Returns: Whether there was anything to do.
  mutating func apply(_ document: HealthDocument) throws(MigrationError) -> Bool {
    let repairs = document.repairable.compactMap(\.repair).filter { !done.contains($0) }
    var statements: [String] = []
    for finding in document.repairable {
      if let table = finding.table, let name = finding.repair?.newName { newNames[table] = name }
    }
    for repair in repairs {
      switch repair.work {
      case .statements(let sql): statements.append(sql)
      case .indexes(let names): statements += remakingStatements(names)
      case .copying, .rollback: continue
      }
      note(repair)
    }
    guard !statements.isEmpty else { return false }
    try change { (connection) throws(SQLiteError) in
      try connection.execute("BEGIN")
      for sql in statements { try connection.execute(sql) }
      try connection.execute("COMMIT")
    }
    return true
  }

  private func remakingStatements(_ names: [String]?) -> [String] {
    names.map { $0.map { "REINDEX \($0.quotedIdentifier)" } } ?? ["REINDEX"]
  }

  /// Changes the copy, which is discarded on any failure: it needs no journal.
  private func change(_ work: (Connection) throws(SQLiteError) -> Void) throws(MigrationError) {
    try reporting(path: path) {
      let connection = try Connection(path: path, access: .create)
      try connection.execute("PRAGMA main.journal_mode = OFF; PRAGMA main.synchronous = OFF")
      connection.onProgress(every: 100_000) { EndRequest.isMade }
      do throws(SQLiteError) {
        try work(connection)
      } catch {
        guard error.missingAppCode != nil, let object = try connection.objectNeedingApp() else { throw error }
        throw MigrationError(repairNeeding: object, path: path)
      }
      connection.onProgress(every: 0, nil)
      try connection.close()
    }
    try FileSystem.synchronize(path)
  }
}

extension MigrationError {
  /// The error for a repair that SQLite can only do with code of the app.
  init(repairNeeding object: AppDependent, path: String) {
    self.init(
      .migrationFailed, path: path,
      detail: "its \(object.isIndex ? "index" : "table") '\(object.name)' needs the "
        + "\(object.needsCollation ? "collation" : "function") '\(object.need)', which only its app has, so this repair "
        + "cannot be made here")
    advice =
      object.isIndex
      ? "Nothing was changed. Drop the index in the program 'sqlite3' (DROP INDEX \(object.name.quotedIdentifier);), run "
        + "this again, and let the app make the index again."
      : "Nothing was changed. Restore it from a backup, or let its app run: REINDEX; VACUUM;"
  }
}
