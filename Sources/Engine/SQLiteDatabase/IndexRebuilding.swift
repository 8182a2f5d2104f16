extension Connection {
  /// Makes indexes of the main database again from their tables, whatever their pages contain.
  ///
  /// `REINDEX` and `DROP INDEX` read an index in order to free its pages, and fail where these are damaged. So the index is
  /// taken out of the schema, and `VACUUM` leaves its pages behind. An index that a constraint makes has to stay in the
  /// schema. The file must be one that is discarded if this fails.
  ///
  /// - Parameter names: The names of the indexes; `nil` for all.
  package func rebuildIndexes(_ names: Set<String>?) throws(SQLiteError) {
    var removed: [(name: String, sql: String)] = []
    var kept: [String] = []
    let list = try prepare(
      "SELECT name, sql FROM main.sqlite_schema WHERE type = 'index' AND rootpage > 0 ORDER BY rowid")
    while try list.step() {
      guard let name = list.text(0), names?.contains(name) ?? true else { continue }
      if let sql = list.text(1) { removed.append((name, sql)) } else { kept.append(name) }
    }
    list.reset()
    try execute("PRAGMA writable_schema = ON")
    for (name, _) in removed {
      try execute("DELETE FROM main.sqlite_schema WHERE type = 'index' AND name = \(name.quotedLiteral)")
    }
    try execute("PRAGMA writable_schema = RESET")
    try execute("VACUUM")
    for name in kept { try execute("REINDEX main.\(name.quotedIdentifier)") }
    for (_, sql) in removed { try execute(sql) }
  }
}
