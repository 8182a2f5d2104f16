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

  /// Writes the foreign keys of a relationship: in the rows of its own instances, or hidden in those of its destinations.
  private func writeKeys(_ index: Int, _ end: LinkStore.End) throws {
    let isInJoinTable = end.isToMany && end.inverse.map { links.ends[$0].isToMany } ?? false
    defer { if !isInJoinTable { links.forget(index) } }
    guard let description = end.description, let table = schema.table(forEntityNamed: end.key.entity) else { return }
    switch schema.layout(ofRelationship: description.name, ofEntityNamed: end.key.entity) {
    case .own(let key, let entity):
      let entityColumn = entity.map { ", \($0.quotedIdentifier) = ?3" } ?? ""
      let statement = try store.writer.connection.prepare(
        "UPDATE \(table.name.quotedIdentifier) SET \(key.quotedIdentifier) = ?1\(entityColumn) WHERE Z_PK = ?2")
      try links.one[index].forEach { owner, destination in
        guard !isDeleted(destination) else { return }
        try statement.bind(destination.primaryKey, at: 1)
        try statement.bind(owner, at: 2)
        if entity != nil { try statement.bind(Int64(destination.entityNumber), at: 3) }
        try statement.run()
      }
    case .destination(let table, let key, let order):
      if let order { try writeOrder(index, table, order) }
      // With an inverse, it is the inverse that writes the key.
      guard description.inverseName == nil else { return }
      let statement = try store.writer.connection.prepare(
        "UPDATE \(table.quotedIdentifier) SET \(key.quotedIdentifier) = ?1 WHERE Z_PK = ?2")
      try links.many[index].forEach { owner, destinations in
        for destination in destinations {
          try statement.bind(owner, at: 1)
          try statement.bind(destination.primaryKey, at: 2)
          try statement.run()
        }
      }
    case .join, nil: break
    }
  }

  /// Writes the places of the destinations of an ordered relationship into their rows.
  private func writeOrder(_ index: Int, _ table: String, _ column: String) throws {
    let statement = try store.writer.connection.prepare(
      "UPDATE \(table.quotedIdentifier) SET \(column.quotedIdentifier) = ?1 WHERE Z_PK = ?2")
    try links.many[index].forEach { _, destinations in
      for (place, destination) in destinations.enumerated() {
        try statement.bind(OrderKey.key(at: place), at: 1)
        try statement.bind(destination.primaryKey, at: 2)
        try statement.run()
      }
    }
  }

  private func writeJoinTables() throws {
    for table in schema.joinTables {
      guard let naming = links.endIndexes[table.naming.key], let inverse = links.endIndexes[table.inverse.key] else {
        continue
      }
      if table.isReflexive || table.naming.orderColumn == nil && table.inverse.orderColumn == nil {
        if inverse != naming { links.forget(inverse) }
        guard !links.many[naming].isEmpty else { continue }
        let buffer = try store.links(
          forRelationship: table.naming.relationshipName, ofEntityNamed: table.naming.entityName)
        links.many[naming].forEach { owner, destinations in
          for destination in destinations {
            buffer.append(namingInstance: owner, inverseInstance: destination.primaryKey)
          }
        }
      } else {
        try writeOrdered(table, naming, inverse)
      }
      links.forget(naming)
      links.forget(inverse)
    }
  }

  private func writeOrdered(_ table: JoinTable, _ naming: Int, _ inverse: Int) throws {
    /// The places of instances among the destinations of the other side.
    var places: [Link: Int64] = [:]
    if table.inverse.orderColumn != nil {
      links.many[inverse].forEach { owner, destinations in
        for (place, destination) in destinations.enumerated() {
          places[Link(first: destination.primaryKey, second: owner)] = OrderKey.key(at: place)
        }
      }
    }
    var rows: [OrderedLink] = []
    links.many[naming].forEach { owner, destinations in
      for (place, destination) in destinations.enumerated() {
        let link = Link(first: owner, second: destination.primaryKey)
        rows.append(
          OrderedLink(
            link: link, inverseOrder: places[link], namingOrder: OrderKey.key(at: place)))
      }
    }
    let count = try store.writer.insertOrderedLinks(rows, into: table)
    store.addLinkCount(count, of: table)
  }
}

extension JoinTable.Side {
  fileprivate var key: RelationshipKey { RelationshipKey(entity: entityName, name: relationshipName) }
}
