internal import DataModel
internal import PersistentStore
internal import SQLite

extension DestinationInstances {
  /// Writes what was changed, if it is much, and lets it go out of memory.
  func flushIfNeeded() throws {
    if changed.count >= Self.changedLimit || changedByteCount >= Self.changedByteLimit { try flush() }
  }

  /// Writes the values of what was changed; links are written at the end.
  func flush() throws {
    let objects = changed
    changed = []
    changedByteCount = 0
    for object in objects { try write(object) }
  }

  /// Writes everything, and releases what keeps the store open.
  func save() throws {
    try flush()
    for (index, end) in links.ends.enumerated() { try writeKeys(index, end) }
    try writeJoinTables()
    statements.removeAll()
  }

  private func write(_ object: ManagedObject) throws {
    let (layout, key) = (object.layout, object.objectID.primaryKey)
    let connection = store.writer.connection
    object.isChanged = false
    if object.isDeleted {
      guard object.isStored else { return }
      object.isStored = false
      let statement = try statements.statement(.delete, layout) { () throws(SQLiteError) in
        try connection.prepare("DELETE FROM \(layout.table.name.quotedIdentifier) WHERE Z_PK = ?")
      }
      try statement.bind(key, at: 1)
      return try statement.run()
    }
    let statement = try statements.statement(object.isStored ? .update : .insert, layout) { () throws(SQLiteError) in
      try connection.prepare(object.isStored ? layout.updateStatement : layout.insertStatement)
    }
    try statement.bind(key, at: layout.bindValues(of: object, to: statement))
    try statement.run()
    object.isStored = true
  }
}
