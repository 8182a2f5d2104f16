extension DestinationInstances {
  /// Writes what was changed, if it is much, and lets it go out of memory.
  ///
  /// It may still be on its way when this returns.
  func flushIfNeeded() throws {
    guard changed.count >= Self.changedLimit || changedByteCount >= Self.changedByteLimit else { return }
    try store.rows.write(takeChangedRows())
  }

  /// Writes the values of what was changed; links are written at the end.
  func flush() throws { try store.rows.writeNow(takeChangedRows()) }

  /// Writes everything, and releases what keeps the store open.
  func save() throws {
    try flush()
    for (index, end) in links.ends.enumerated() { try writeKeys(index, end) }
    try writeJoinTables()
    statements.removeAll()
    store.rows.close()
  }

  /// The rows of what was changed, which counts as written from now on.
  private func takeChangedRows() -> [ChangedRow] {
    let objects = changed
    changed = []
    changedByteCount = 0
    return objects.compactMap { object in
      object.isChanged = false
      let wasStored = object.isStored
      object.isStored = !object.isDeleted
      if object.isDeleted, !wasStored { return nil }
      return ChangedRow(
        change: object.isDeleted ? .deletion : wasStored ? .update : .insertion, layout: object.layout,
        primaryKey: object.objectID.primaryKey,
        values: StoredValues(attributes: object.attributeValues, externalFileNames: object.externalFileNames))
    }
  }
}
