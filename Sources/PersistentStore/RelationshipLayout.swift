internal import DataModel

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

extension StoreSchema {
  /// Where a relationship lies, own or inherited; nowhere if it is transient.
  package func layout(ofRelationship name: String, ofEntityNamed entityName: String) -> RelationshipLayout? {
    guard let relationship = model.entity(named: entityName)?.relationship(named: name), !relationship.isTransient
    else { return nil }
    if !relationship.isToMany {
      guard let column = column(forProperty: name, ofEntityNamed: entityName) else { return nil }
      return .own(key: column.name, entity: companion(of: column, .destinationEntity, entityName)?.name)
    }
    if let table = joinTable(forRelationship: name, ofEntityNamed: entityName) {
      return .join(table, isNaming: isNaming(name, ofEntityNamed: entityName, in: table))
    }
    let destination = relationship.destinationEntityName
    guard let table = table(forEntityNamed: destination) else { return nil }
    if let inverse = relationship.inverseName {
      guard let column = column(forProperty: inverse, ofEntityNamed: destination) else { return nil }
      return .destination(
        table: table.name, key: column.name, order: companion(of: column, .order, destination)?.name)
    }
    let owners = model.lineage(of: entityName)
    let hidden = table.columns.first { column in
      column.content == .foreignKey && column.propertyName == name && owners.contains(column.entityName)
    }
    return hidden.map { .destination(table: table.name, key: $0.name, order: nil) }
  }

  /// The column that belongs to a foreign key: its entity column or its order column.
  private func companion(
    of key: EntityTable.Column, _ content: EntityTable.Column.Content, _ entityName: String
  ) -> EntityTable.Column? {
    table(forEntityNamed: entityName)?.columns.first { column in
      column.content == content && column.propertyName == key.propertyName && column.entityName == key.entityName
    }
  }
}
