internal import DataModel
internal import PersistentStore

extension VersionHashHints {
  /// What the columns of a store that no property explains say about the attributes that its entities had.
  init(columns findings: [ColumnFinding], schema: StoreSchema, otherModels: [ManagedObjectModel]) {
    var names: [String: Set<String>] = [:]
    for entity in ([schema.model] + otherModels).flatMap(\.entities) {
      for name in entity.ownAttributes.map(\.name) { names[name.uppercased(), default: []].insert(name) }
    }
    var columns: [String: [Column]] = [:]
    for finding in findings {
      guard case .unexplainedColumn(let column, let declaredType) = finding.kind else { continue }
      let capitals = String(column.uppercased().dropFirst())
      let known = names[capitals]?.sorted { $0.precedesByBytes($1) } ?? []
      // Most names of one word have no capitals.
      let guessed = known + [capitals.lowercased()].filter { !known.contains($0) }
      let types = AttributeType.allCases.filter { type in
        ![.undefined, .objectID, .composite].contains(type) && type.sqlType == declaredType.uppercased()
      }
      let table = schema.tables.first { $0.name == finding.tableName }
      for entity in table?.entityNames ?? [] {
        columns[entity, default: []].append(Column(names: guessed, types: types))
      }
    }
    var missing: [String: Set<String>] = [:]
    for finding in findings where finding.isMissingColumn {
      if let property = finding.propertyName { missing[finding.entityName, default: []].insert(property) }
    }
    self.init(otherModels: otherModels, columns: columns, propertiesWithoutColumn: missing)
  }
}

extension ColumnFinding {
  fileprivate var isMissingColumn: Bool { if case .missingColumn = kind { true } else { false } }
}
