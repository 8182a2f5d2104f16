package import DataModel

/// Finds where the properties of all entities of a store lie.
///
/// It is made once for many properties: `StoreSchema` itself answers single questions, and searches for each.
package struct PropertyLayouts {
  private struct Key: Hashable {
    let entity: String
    let property: String
  }

  /// The names of an entity and all its ancestors, by its name.
  package let lineages: [String: [String]]
  private var tables: [String: EntityTable] = [:]
  /// The columns of attributes, foreign keys, entities and order, by the entity that declares the property.
  private var columns: [Key: [EntityTable.Column]] = [:]
  private var joins: [Key: (table: JoinTable, isNaming: Bool)] = [:]

  /// Looks through a schema.
  package init(_ schema: StoreSchema) {
    lineages = schema.model.lineages
    for table in schema.tables {
      for name in table.entityNames { tables[name] = table }
      for column in table.columns {
        columns[Key(entity: column.entityName, property: column.propertyName), default: []].append(column)
      }
    }
    for table in schema.joinTables {
      for (side, isNaming) in [(table.inverse, false), (table.naming, true)] {
        joins[Key(entity: side.entityName, property: side.relationshipName)] = (table, isNaming)
      }
    }
  }

  /// The table that holds the instances of an entity.
  package func table(forEntityNamed name: String) -> EntityTable? { tables[name] }

  /// The column of an attribute, own or inherited.
  package func column(forAttribute name: String, ofEntityNamed entity: String) -> EntityTable.Column? {
    column(name, entity) { if case .attribute = $0 { true } else { false } }
  }

  /// Where a relationship lies, own or inherited; nowhere if it is transient.
  package func layout(
    of relationship: RelationshipDescription, ofEntityNamed entity: String
  ) -> RelationshipLayout? {
    guard !relationship.isTransient else { return nil }
    let name = relationship.name
    if !relationship.isToMany {
      return column(name, entity) { $0 == .foreignKey }
        .map { .own(key: $0.name, entity: column(name, entity) { $0 == .destinationEntity }?.name) }
    }
    for owner in lineages[entity] ?? [] {
      if let join = joins[Key(entity: owner, property: name)] { return .join(join.table, isNaming: join.isNaming) }
    }
    guard let table = tables[relationship.destinationEntityName] else { return nil }
    guard let inverse = relationship.inverseName else {
      // Hidden among the columns of the destination, under this side's name.
      return column(name, entity) { $0 == .foreignKey }
        .map { .destination(table: table.name, key: $0.name, order: nil) }
    }
    let holder = relationship.inverseEntityName ?? relationship.destinationEntityName
    return column(inverse, holder) { $0 == .foreignKey }.map { key in
      .destination(table: table.name, key: key.name, order: column(inverse, holder) { $0 == .order }?.name)
    }
  }

  private func column(
    _ property: String, _ entity: String, where fits: (EntityTable.Column.Content) -> Bool
  ) -> EntityTable.Column? {
    for owner in lineages[entity] ?? [] {
      let found = columns[Key(entity: owner, property: property)]?.first { fits($0.content) }
      if let found { return found }
    }
    return nil
  }
}

/// Where a relationship lies in a store, seen from the instances that it leads away from.
package enum RelationshipLayout: Sendable, Hashable {
  /// In columns of the instance's own row: the destination's key, and its entity number where the destination has
  /// subentities.
  case own(key: String, entity: String?)
  /// In a column of the destinations' rows, that of the inverse or a hidden one, with the order of the destinations.
  case destination(table: String, key: String, order: String?)
  /// In a join table.
  case join(JoinTable, isNaming: Bool)
}
