internal import DataModel

/// The indexes of an entity's table, in the form that Core Data has written since framework version 866.
struct EntityTableIndexes {
  let table: String
  let entities: [EntityDescription]
  let columns: [EntityTable.Column]
  let byName: [String: EntityDescription]

  /// One for each foreign key, and one for the entity where there are several.
  var keyStatements: [String] {
    let keys = columns.filter { $0.content == .foreignKey }.map(\.name)
    return (keys + (entities.count > 1 && !omitsEntityIndex ? ["Z_ENT"] : [])).map { column in
      let index = "\(table)_\(column)_INDEX".schemaIdentifier
      return "CREATE INDEX \(index) ON \(table.schemaIdentifier) (\(column.schemaIdentifier))"
    }
  }

  /// The model's fetch indexes and uniqueness constraints.
  ///
  /// Each belongs to the entity that declares it.
  var fetchStatements: [String] {
    entities.flatMap { entity in
      entity.fetchIndexes.compactMap { statement($0, of: entity) }
        + entity.uniquenessConstraints.compactMap { statement($0, of: entity) }
    }
  }

  private var omitsEntityIndex: Bool {
    entities.first?.userInfo["_NSEntityOmitSubentityColumnIndex"] != nil
  }

  /// The statement of a fetch index; none for those that cannot be expressed here.
  ///
  /// An index only makes fetches quicker. So one with a predicate or an expression is left out: their formats are not
  /// SQL. One that only sorts by a to-one relationship is the foreign key's again, and Core Data leaves it out too.
  private func statement(_ index: FetchIndexDescription, of entity: EntityDescription) -> String? {
    guard index.partialIndexPredicate == nil, !index.elements.isEmpty else { return nil }
    var parts: [String] = []
    for element in index.elements {
      guard element.collationType == .binary, let name = columnName(element.subject, of: entity) else { return nil }
      if index.elements.count == 1, isForeignKey(name) { return nil }
      parts.append("\(name.schemaIdentifier) COLLATE BINARY \(element.isAscending ? "ASC" : "DESC")")
    }
    let name = "Z_\(entity.name)_\(index.name)".schemaIdentifier
    return "CREATE INDEX \(name) ON \(table.schemaIdentifier) (\(parts.joined(separator: ", ")))"
  }

  private func statement(_ constraint: [String], of entity: EntityDescription) -> String? {
    let keys = constraint.compactMap { columnName(.property($0), of: entity) }
    // Fewer columns would forbid more than the model does.
    guard keys.count == constraint.count, !keys.isEmpty else { return nil }
    let list = keys.map { "\($0.schemaIdentifier) COLLATE BINARY ASC" }.joined(separator: ", ")
    let index = "Z_\(entity.name)_UNIQUE_\(constraint.joined(separator: "_"))".schemaIdentifier
    return "CREATE UNIQUE INDEX \(index) ON \(table.schemaIdentifier) (\(list))"
  }

  private func isForeignKey(_ name: String) -> Bool {
    columns.contains { $0.name == name && $0.content == .foreignKey }
  }

  private func columnName(_ subject: FetchIndexSubject, of entity: EntityDescription) -> String? {
    switch subject {
    case .instance: return "Z_PK"
    case .entity: return "Z_ENT"
    case .expression: return nil
    case .property(let property):
      let lineage = byName.lineage(of: entity.name)
      return columns.first { column in
        switch column.content {
        case .attribute, .foreignKey: column.propertyName == property && lineage.contains(column.entityName)
        case .destinationEntity, .order: false
        }
      }?.name
    }
  }
}
