internal import DataModel

// The order of columns follows stores that Apple's Core Data wrote. First, entity by entity in the order of their
// numbers: integers, then to-one keys, each followed by its entity column. Then the order columns. Then the other
// attributes, by groups of types and in each group entity by entity. Names are sorted by bytes.

extension EntityTable {
  static func all(in model: ManagedObjectModel, numbering: EntityNumbering) -> [EntityTable] {
    let byName = model.entitiesByName
    var tables: [(root: String, entities: [EntityDescription])] = []
    for entity in numbering.names.compactMap({ byName[$0] }) {
      // Pre-order: the entities of a table follow their root.
      if entity.superentityName == nil || tables.isEmpty {
        tables.append((entity.name, [entity]))
      } else {
        tables[tables.count - 1].entities.append(entity)
      }
    }
    return tables.map { table in
      EntityTable(root: table.root, entities: table.entities, byName: byName, numbering: numbering)
    }
  }

  private init(
    root: String, entities: [EntityDescription], byName: [String: EntityDescription], numbering: EntityNumbering
  ) {
    name = "Z" + root.uppercased()
    entityNames = entities.map(\.name)
    var names = UniqueNames()
    var columns: [Column] = []
    var orderColumns: [Column] = []

    for entity in entities {
      columns += Self.attributeColumns(of: entity, group: 0, names: &names)
      for relationship in entity.ownRelationships where !relationship.isToMany && !relationship.isTransient {
        let key = names.unique("Z" + relationship.name.uppercased())
        columns.append(
          Column(
            name: key, entityName: entity.name, propertyName: relationship.name, content: .foreignKey))
        let destination = byName[relationship.destinationEntityName]
        if destination?.subentityNames.isEmpty == false {
          columns.append(
            Column(
              name: names.unique("Z\(numbering[relationship.destinationEntityName])_\(key.dropFirst())"),
              entityName: entity.name, propertyName: relationship.name, content: .destinationEntity))
        }
        let inverse = relationship.inverseName.flatMap { destination?.relationship(named: $0) }
        if inverse?.isToMany == true, inverse?.isOrdered == true {
          orderColumns.append(
            Column(
              name: names.unique("Z_FOK_\(key.dropFirst())"), entityName: entity.name,
              propertyName: relationship.name, content: .order))
        }
      }
      columns += Self.hiddenKeyColumns(in: entity, byName: byName, numbering: numbering, names: &names)
    }
    columns += orderColumns
    for group in 1...7 {
      for entity in entities { columns += Self.attributeColumns(of: entity, group: group, names: &names) }
    }
    self.columns = columns
    let indexes = EntityTableIndexes(table: name, entities: entities, columns: columns, byName: byName)
    keyIndexStatements = indexes.keyStatements
    fetchIndexStatements = indexes.fetchStatements
  }

  private static func attributeColumns(
    of entity: EntityDescription, group: Int, names: inout UniqueNames
  ) -> [Column] {
    entity.ownAttributes.filter { !$0.isTransient && $0.type.columnGroup == group }.map { attribute in
      Column(
        name: names.unique("Z" + attribute.name.uppercased()), entityName: entity.name,
        propertyName: attribute.name, content: .attribute(attribute.type))
    }
  }

  /// A to-many relationship without inverse keeps its key in the destination's table, under a name with its own number.
  private static func hiddenKeyColumns(
    in entity: EntityDescription, byName: [String: EntityDescription], numbering: EntityNumbering,
    names: inout UniqueNames
  ) -> [Column] {
    numbering.names.compactMap { byName[$0] }.flatMap { source in
      source.ownRelationships.filter { relationship in
        relationship.destinationEntityName == entity.name && relationship.isToMany && !relationship.isTransient
          && relationship.inverseName == nil
      }.map { relationship in
        Column(
          name: names.unique("Z\(numbering[source.name])\(relationship.name.uppercased())"),
          entityName: source.name, propertyName: relationship.name, content: .foreignKey)
      }
    }
  }
}

/// Hands out names, each once: a name that is taken gets 1, 2, 3 … at its end.
struct UniqueNames {
  private var taken: Set<String> = ["Z_PK", "Z_ENT", "Z_OPT"]

  mutating func unique(_ name: String) -> String {
    if taken.insert(name).inserted { return name }
    var number = 1
    while !taken.insert("\(name)\(number)").inserted { number += 1 }
    return "\(name)\(number)"
  }
}
