internal import DataModel
internal import PersistentStore

/// The signs that the columns of a table are not in the order that they are taken to be in.
///
/// Where the definition of a table is lost, its columns are taken to be those of a new store. Migrations in place add columns
/// at the end, so that values of the same kind can be exchanged without a sign in most rows.
struct ColumnEvidence {
  private enum Rule {
    case required, external, uuid
  }

  /// The rules by the numbers of entities in the new store, with the places of columns.
  private var rules: [Int64: [(place: Int, rule: Rule)]] = [:]

  init(_ table: EntityTable, of schema: StoreSchema) {
    for name in table.entityNames {
      guard let entity = schema.model.entity(named: name) else { continue }
      rules[Int64(schema.entityNumber(name))] = entity.attributes.flatMap { attribute -> [(place: Int, rule: Rule)] in
        guard !attribute.isTransient, !attribute.isDerived,
          let column = schema.column(forProperty: attribute.name, ofEntityNamed: name)?.name,
          let place = table.columns.firstIndex(where: { $0.name == column })
        else { return [] }
        return Self.rules(of: attribute).map { (place, $0) }
      }
    }
  }

  private static func rules(of attribute: AttributeDescription) -> [Rule] {
    var rules: [Rule] = attribute.isOptional ? [] : [.required]
    if attribute.allowsExternalBinaryDataStorage { rules.append(.external) }
    if attribute.type == .uuid { rules.append(.uuid) }
    return rules
  }

  /// Whether a row has what no row can have if the columns are in that order.
  func isContradicted(by row: SalvagedRow) -> Bool {
    (rules[row.entityNumber] ?? []).contains { place, rule in
      switch (rule, row.values[place]) {
      case (.required, .null): true
      case (.external, .blob(let bytes)): ExternalValue(bytes) == nil
      case (.uuid, .blob(let bytes)): bytes.count != 16
      case (.external, .text), (.uuid, .text): true
      default: false
      }
    }
  }
}
