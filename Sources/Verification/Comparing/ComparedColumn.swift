internal import DataModel
internal import PersistentStore

/// A value of an entity's rows, and where it lies on both sides.
struct ComparedColumn {
  /// What a value is.
  enum Content {
    case attribute
    /// The key of a destination, of which the old row may say that it is in a table where it is not.
    case key(oldTable: String, inverse: Inverse?)
    /// The number of the destination's entity.
    case entity
    /// The place among the destinations.
    case order
  }

  /// The destination's key that leads back, of a relationship that is one-to-one.
  struct Inverse {
    let table: String
    let column: String
  }

  /// The attribute or relationship.
  let property: String
  /// The column of the old library.
  let old: String
  /// The column of the new one.
  let new: String
  let content: Content

  /// What the rows of an entity have on both sides: its attributes, and everything about relationships in its table.
  ///
  /// Derived attributes are left out: the store itself computes them.
  static func all(of entity: EntityDescription, old: StoreSide, new: StoreSide) -> [ComparedColumn] {
    let attributes = entity.attributes.filter { !$0.isTransient && !$0.isDerived }.compactMap { attribute in
      old.schema.column(forProperty: attribute.name, ofEntityNamed: entity.name).flatMap { oldColumn in
        new.schema.column(forProperty: attribute.name, ofEntityNamed: entity.name).map { newColumn in
          ComparedColumn(
            property: attribute.name, old: oldColumn.name, new: newColumn.name, content: .attribute)
        }
      }
    }
    guard let oldTable = old.schema.table(forEntityNamed: entity.name),
      let newTable = new.schema.table(forEntityNamed: entity.name)
    else { return attributes }
    let relationships = newTable.columns.compactMap { column -> ComparedColumn? in
      let counterpart = oldTable.columns.first {
        $0.entityName == column.entityName && $0.propertyName == column.propertyName && $0.content == column.content
      }
      guard let counterpart, let content = content(of: column, in: old) else { return nil }
      return ComparedColumn(
        property: column.propertyName, old: counterpart.name, new: column.name, content: content)
    }
    return attributes + relationships
  }

  private static func content(of column: EntityTable.Column, in old: StoreSide) -> Content? {
    switch column.content {
    case .attribute: return nil
    case .destinationEntity: return .entity
    case .order: return .order
    case .foreignKey:
      let model = old.schema.model
      let relationship = model.entity(named: column.entityName)?.relationship(named: column.propertyName)
      guard let relationship else { return nil }
      // The key of a to-many relationship without an inverse lies with the destination, and is that of its owner.
      let destination = relationship.isToMany ? column.entityName : relationship.destinationEntityName
      guard let table = old.schema.table(forEntityNamed: destination) else { return nil }
      var inverse: Inverse?
      if let name = relationship.inverseName,
        model.entity(named: destination)?.relationship(named: name)?.isToMany == false,
        let back = old.schema.column(forProperty: name, ofEntityNamed: destination)
      {
        inverse = Inverse(table: table.name, column: back.name)
      }
      return .key(oldTable: table.name, inverse: inverse)
    }
  }
}
