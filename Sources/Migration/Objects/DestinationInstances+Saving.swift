internal import DataModel
internal import PersistentStore
internal import SQLite

extension DestinationInstances {
  /// Writes what was changed, if it is much, and lets it go out of memory.
  func flushIfNeeded() throws {
    if changed.count >= Self.changedLimit { try flush() }
  }

  /// Writes the values of what was changed; links are written at the end.
  func flush() throws {
    let objects = changed
    changed = []
    for object in objects { try write(object) }
  }

  /// Writes everything, and releases what keeps the store open.
  func save() throws {
    try flush()
    for (index, end) in links.ends.enumerated() { try writeKeys(index, end) }
    try writeJoinTables()
    statements = [:]
  }

  private func write(_ object: ManagedObject) throws {
    let (layout, key) = (object.layout, object.objectID.primaryKey)
    object.isChanged = false
    if object.isDeleted {
      guard object.isStored else { return }
      object.isStored = false
      let statement = try prepared("DELETE FROM \(layout.table.name.quotedIdentifier) WHERE Z_PK = ?")
      try statement.bind(key, at: 1)
      return try statement.run()
    }
    let statement = try object.isStored ? prepared(layout.updateStatement) : prepared(layout.insertStatement)
    var index: Int32 = 1
    for (attribute, value) in zip(layout.attributes, object.attributeValues) where attribute.column != nil {
      try ColumnValue(value, of: attribute.description).bind(to: statement, at: index)
      index += 1
    }
    try statement.bind(key, at: index)
    try statement.run()
    object.isStored = true
  }

  /// Writes the foreign keys of a relationship: in the rows of its own instances, or hidden in those of its destinations.
  private func writeKeys(_ index: Int, _ end: LinkStore.End) throws {
    guard let description = end.description, let table = schema.table(forEntityNamed: end.key.entity) else { return }
    switch schema.layout(ofRelationship: description.name, ofEntityNamed: end.key.entity) {
    case .own(let key, let entity):
      let entityColumn = entity.map { ", \($0.quotedIdentifier) = ?3" } ?? ""
      let statement = try prepared(
        "UPDATE \(table.name.quotedIdentifier) SET \(key.quotedIdentifier) = ?1\(entityColumn) WHERE Z_PK = ?2")
      for (owner, destination) in links.one[index].sorted(by: { $0.key < $1.key }) {
        try statement.bind(destination.primaryKey, at: 1)
        try statement.bind(owner, at: 2)
        if entity != nil { try statement.bind(Int64(destination.entityNumber), at: 3) }
        try statement.run()
      }
    case .destination(let table, let key, let order):
      if let order { try writeOrder(index, table, order) }
      // With an inverse, it is the inverse that writes the key.
      guard description.inverseName == nil else { return }
      let statement = try prepared(
        "UPDATE \(table.quotedIdentifier) SET \(key.quotedIdentifier) = ?1 WHERE Z_PK = ?2")
      for (owner, destinations) in links.many[index].sorted(by: { $0.key < $1.key }) {
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
    let statement = try prepared(
      "UPDATE \(table.quotedIdentifier) SET \(column.quotedIdentifier) = ?1 WHERE Z_PK = ?2")
    for (_, destinations) in links.many[index].sorted(by: { $0.key < $1.key }) {
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
      if table.naming.orderColumn == nil, table.inverse.orderColumn == nil {
        guard !links.many[naming].isEmpty else { continue }
        let buffer = try store.links(
          forRelationship: table.naming.relationshipName, ofEntityNamed: table.naming.entityName)
        for (owner, destinations) in links.many[naming] {
          for destination in destinations {
            buffer.append(namingInstance: owner, inverseInstance: destination.primaryKey)
          }
        }
      } else {
        try writeOrdered(table, naming, inverse)
      }
    }
  }

  private func writeOrdered(_ table: JoinTable, _ naming: Int, _ inverse: Int) throws {
    /// The places of instances among the destinations of the other side.
    var places: [Link: Int64] = [:]
    if table.inverse.orderColumn != nil {
      for (owner, destinations) in links.many[inverse] {
        for (place, destination) in destinations.enumerated() {
          places[Link(first: destination.primaryKey, second: owner)] = OrderKey.key(at: place)
        }
      }
    }
    var rows: [OrderedLink] = []
    for (owner, destinations) in links.many[naming] {
      for (place, destination) in destinations.enumerated() {
        let link = Link(first: owner, second: destination.primaryKey)
        rows.append(
          OrderedLink(
            link: table.isReflexive ? Link(first: link.second, second: link.first) : link,
            inverseOrder: places[link], namingOrder: OrderKey.key(at: place)))
      }
    }
    let count = try store.writer.insertOrderedLinks(rows, into: table)
    store.addLinkCount(count, of: table)
  }
}

extension JoinTable.Side {
  fileprivate var key: RelationshipKey { RelationshipKey(entity: entityName, name: relationshipName) }
}

extension EntityLayout {
  /// Inserts a row: the attributes' values, then the key.
  fileprivate var insertStatement: String {
    let columns = attributes.compactMap(\.column).map(\.quotedIdentifier) + ["Z_PK", "Z_ENT", "Z_OPT"]
    let values = columns.dropLast(2).map { _ in "?" } + ["\(number)", "1"]
    return """
      INSERT INTO \(table.name.quotedIdentifier) (\(columns.joined(separator: ", "))) \
      VALUES (\(values.joined(separator: ", ")))
      """
  }

  /// Updates a row: the attributes' values, then the key.
  fileprivate var updateStatement: String {
    // The last one changes nothing: there may be no attributes at all.
    let list = attributes.compactMap(\.column).map { "\($0.quotedIdentifier) = ?" } + ["Z_OPT = Z_OPT"]
    return "UPDATE \(table.name.quotedIdentifier) SET \(list.joined(separator: ", ")) WHERE Z_PK = ?"
  }
}

extension ColumnValue {
  /// The column's form of a value: data that may lie in a file begins with a byte that says that it does not.
  fileprivate init(_ value: AttributeValue?, of attribute: AttributeDescription) {
    if attribute.allowsExternalBinaryDataStorage, case .data(let bytes) = value {
      self = .blob([1] + bytes)
    } else {
      self.init(value)
    }
  }
}
