internal import DataModel
internal import PersistentStore
internal import SQLite

extension DestinationInstances {
  /// Writes the foreign keys of a relationship: in the rows of its own instances, or hidden in those of its destinations.
  func writeKeys(_ index: Int, _ end: LinkStore.End) throws {
    let isInJoinTable = end.isToMany && end.inverse.map { links.ends[$0].isToMany } ?? false
    defer { if !isInJoinTable { links.forget(index) } }
    guard let description = end.description, let owner = layouts[end.key.entity] else { return }
    let table = owner.table
    switch owner.relationship(description.name)?.layout {
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

  /// Writes the links of all many-to-many relationships.
  func writeJoinTables() throws {
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
