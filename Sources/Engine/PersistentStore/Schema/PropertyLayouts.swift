package import DataModel

/// Finds where the properties of all entities of a store are; only this type knows which column holds which end of a
/// relationship.
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
  private var links: [Key: JoinTable.Links] = [:]

  init(_ model: ManagedObjectModel, tables: [EntityTable], joinTables: [JoinTable]) {
    lineages = model.lineages
    for table in tables {
      for name in table.entityNames { self.tables[name] = table }
      for column in table.columns {
        columns[Key(entity: column.entityName, property: column.propertyName), default: []].append(column)
      }
    }
    for table in joinTables {
      for end in [table.inverseLinks, table.namingLinks] {
        links[Key(entity: end.entityName, property: end.relationshipName)] = end
      }
    }
  }

  /// The table that holds the instances of an entity.
  package func table(forEntityNamed name: String) -> EntityTable? { tables[name] }

  /// The column of an attribute, own or inherited.
  package func column(forAttribute name: String, ofEntityNamed entity: String) -> EntityTable.Column? {
    column(name, entity) { if case .attribute = $0 { true } else { false } }
  }

  /// The links of a many-to-many relationship, own or inherited.
  package func links(ofRelationship name: String, ofEntityNamed entity: String) -> JoinTable.Links? {
    for owner in lineages[entity] ?? [] {
      if let found = links[Key(entity: owner, property: name)] { return found }
    }
    return nil
  }

  /// Returns the storage of a relationship, own or inherited; `nil` if it is transient.
  package func layout(
    of relationship: RelationshipDescription, ofEntityNamed entity: String
  ) -> RelationshipLayout? {
    guard !relationship.isTransient else { return nil }
    let name = relationship.name
    if !relationship.isToMany {
      return column(name, entity) { $0 == .foreignKey }.map { key in
        .own(
          key: key.name, entity: column(name, entity) { $0 == .destinationEntity }?.name,
          inverseOrder: column(name, entity) { $0 == .order }?.name)
      }
    }
    if let links = links(ofRelationship: name, ofEntityNamed: entity) { return .join(links) }
    guard let table = tables[relationship.destinationEntityName] else { return nil }
    guard let inverse = relationship.inverseName else {
      // A hidden column of the destination's table, with this side's name.
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

/// The storage of a relationship, from the point of view of the instances that have it.
package enum RelationshipLayout: Sendable, Hashable {
  /// In columns of the instance's own row: the destination's key, its entity number if the destination has subentities, and
  /// the order key of the inverse, if that is ordered.
  case own(key: String, entity: String?, inverseOrder: String?)
  /// In a column of the destinations' rows, either the inverse's or a hidden one, with the order of the destinations.
  case destination(table: String, key: String, order: String?)
  /// In a join table.
  case join(JoinTable.Links)
}
