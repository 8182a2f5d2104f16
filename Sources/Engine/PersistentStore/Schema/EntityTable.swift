package import DataModel

/// The table that holds the instances of a root entity and of all its subentities.
package struct EntityTable: Sendable {
  /// A column after the first three of every table (`Z_PK`, `Z_ENT`, `Z_OPT`).
  package struct Column: Sendable, Hashable {
    /// The kind of value in a column.
    package enum Content: Sendable, Hashable {
      case attribute(AttributeType)
      /// The primary key of a to-one destination.
      case foreignKey
      /// The entity number of a to-one destination that has subentities.
      case destinationEntity
      /// The order key of an ordered relationship.
      case order
    }

    /// The name in the table.
    package let name: String
    /// The entity that declares the property.
    package let entityName: String
    /// The attribute or relationship.
    package let propertyName: String
    /// The kind of value.
    package let content: Content

    /// The part of the name that comes from the property; of an element of a composite attribute, from the element.
    var stem: String { propertyName.columnStem }

    /// The type as Core Data declares it.
    package var sqlType: String {
      guard case .attribute(let type) = content else { return AttributeType.ColumnType.integer.rawValue }
      return type.columnType.rawValue
    }
  }

  /// The name of the table.
  package let name: String
  /// The root entity and its descendants, in the order of the entity numbers in a new store.
  package let entityNames: [String]
  /// The columns, in the order of a new store's table.
  package let columns: [Column]
  /// The indexes of keys.
  let keyIndexes: [SchemaIndex]
  /// The indexes of the model, and those that keep values unique.
  let fetchIndexes: [SchemaIndex]

  /// The column of an attribute or to-one relationship.
  ///
  /// - Parameters:
  ///   - property: The name of the property.
  ///   - entities: The entities that may have declared it; `nil` for any.
  package func column(forProperty property: String, ofEntities entities: [String]? = nil) -> Column? {
    columns.first { $0.isValue && $0.propertyName == property && entities?.contains($0.entityName) != false }
  }

  /// The statement that creates the table, with Core Data's spacing.
  package var createStatement: String {
    let list =
      ["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER"]
      + columns.map { "\($0.name.schemaIdentifier) \($0.sqlType)" }
    return "CREATE TABLE \(name.schemaIdentifier) ( \(list.joined(separator: ", ")) )"
  }
}

extension String {
  /// The uppercase name of a property, or of the element at the end of a key path, as column names contain it.
  var columnStem: String { (split(separator: ".").last.map(String.init) ?? self).uppercased() }
}

// The order of columns follows stores that Core Data wrote. First come, for each entity in the order of their numbers, the
// integers, then the to-one keys, each followed by its entity column. Then come the order columns, then the other
// attributes, by groups of types, and in each group by entity. Names are sorted by bytes.
extension EntityTable {
  static func all(in model: ManagedObjectModel, numbering: EntityNumbering) -> [EntityTable] {
    let byName = model.entitiesByName
    let hiddenKeys = HiddenKeys(numbering.names.compactMap { byName[$0] })
    var tables: [(root: String, entities: [EntityDescription])] = []
    for entity in numbering.names.compactMap({ byName[$0] }) {
      // In pre-order, the entities of a table follow their root.
      if entity.superentityName == nil || tables.isEmpty {
        tables.append((entity.name, [entity]))
      } else {
        tables[tables.count - 1].entities.append(entity)
      }
    }
    return tables.map { table in
      EntityTable(
        root: table.root, entities: table.entities, byName: byName, numbering: numbering, hiddenKeys: hiddenKeys)
    }
  }

  private init(
    root: String, entities: [EntityDescription], byName: [String: EntityDescription], numbering: EntityNumbering,
    hiddenKeys: HiddenKeys
  ) {
    var names = UniqueNames(Set(FoundColumns.fixed))
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
      columns += hiddenKeys.columns(in: entity.name, numbering: numbering, names: &names)
    }
    columns += orderColumns
    for group in 1..<AttributeType.columnGroupCount {
      for entity in entities { columns += Self.attributeColumns(of: entity, group: group, names: &names) }
    }
    self.init(name: "Z" + root.uppercased(), entities: entities, columns: columns, byName: byName)
  }

  /// A table with these columns, and the indexes that Core Data makes of them.
  init(
    name: String, entities: [EntityDescription], columns: [Column], byName: [String: EntityDescription]
  ) {
    (self.name, self.columns) = (name, columns)
    entityNames = entities.map(\.name)
    let indexes = EntityTableIndexes(table: name, entities: entities, columns: columns, byName: byName)
    (keyIndexes, fetchIndexes) = (indexes.ofKeys, indexes.ofModel)
  }

  private static func attributeColumns(
    of entity: EntityDescription, group: Int, names: inout UniqueNames
  ) -> [Column] {
    entity.ownAttributes.filter { !$0.isTransient && $0.type.columnGroup == group }.map { attribute in
      Column(
        name: names.unique("Z" + attribute.name.columnStem), entityName: entity.name,
        propertyName: attribute.name, content: .attribute(attribute.type))
    }
  }
}

/// The keys of to-many relationships without an inverse, which are in the destination's table with their entity's number in
/// the name.
private struct HiddenKeys {
  /// The relationships with the entities that declare them, by their destinations.
  private var relationships: [String: [(source: String, name: String)]] = [:]

  /// Finds the keys.
  ///
  /// - Parameter entities: All entities, in the order of their numbers.
  init(_ entities: [EntityDescription]) {
    for entity in entities {
      for relationship in entity.ownRelationships
      where relationship.isToMany && !relationship.isTransient && relationship.inverseName == nil {
        relationships[relationship.destinationEntityName, default: []].append((entity.name, relationship.name))
      }
    }
  }

  func columns(in entity: String, numbering: EntityNumbering, names: inout UniqueNames) -> [EntityTable.Column] {
    (relationships[entity] ?? []).map { source, name in
      EntityTable.Column(
        name: names.unique("Z\(numbering[source])\(name.uppercased())"), entityName: source, propertyName: name,
        content: .foreignKey)
    }
  }
}

/// The indexes of an entity's table, in the form that Core Data has written since framework version 866.
private struct EntityTableIndexes {
  let table: String
  let entities: [EntityDescription]
  let columns: [EntityTable.Column]
  let byName: [String: EntityDescription]

  /// One for each foreign key, and one for the entity if there are several.
  var ofKeys: [SchemaIndex] {
    let keys = columns.filter { $0.content == .foreignKey }.map(\.name)
    return (keys + (entities.count > 1 && !omitsEntityIndex ? ["Z_ENT"] : [])).map { column in
      SchemaIndex(name: "\(table)_\(column)_INDEX", table: table, columns: [column], purpose: .key)
    }
  }

  /// The model's fetch indexes and uniqueness constraints.
  ///
  /// Each belongs to the entity that declares it.
  var ofModel: [SchemaIndex] {
    entities.flatMap { entity in
      entity.fetchIndexes.compactMap { index($0, of: entity) }
        + entity.uniquenessConstraints.compactMap { index($0, of: entity) }
    }
  }

  private var omitsEntityIndex: Bool {
    entities.first?.userInfo["_NSEntityOmitSubentityColumnIndex"] != nil
  }

  /// A fetch index; `nil` if it cannot be expressed here.
  ///
  /// An index only makes fetches faster, so one with a predicate or an expression, which are not SQL, is left out. One that
  /// only sorts by a to-one relationship would duplicate the foreign key's, and Core Data leaves it out too.
  private func index(_ index: FetchIndexDescription, of entity: EntityDescription) -> SchemaIndex? {
    guard index.partialIndexPredicate == nil, !index.elements.isEmpty else { return nil }
    var parts: [(column: String, isDescending: Bool)] = []
    for element in index.elements {
      guard element.collationType == .binary, let names = columnNames(element.subject, of: entity) else { return nil }
      if index.elements.count == 1, names.count == 1, isForeignKey(names[0]) { return nil }
      parts += names.map { (column: $0, isDescending: !element.isAscending) }
    }
    return SchemaIndex(
      name: "Z_\(entity.name)_\(index.name)", table: table, columns: parts.map(\.column),
      isDescending: parts.map(\.isDescending), purpose: .fetching)
  }

  private func index(_ constraint: [String], of entity: EntityDescription) -> SchemaIndex? {
    let found = constraint.map { columnNames(.property($0), of: entity) }
    let keys = found.compactMap(\.self).flatMap(\.self)
    // Fewer columns would forbid more than the model does.
    guard !found.contains(nil), !keys.isEmpty else { return nil }
    return SchemaIndex(
      name: "Z_\(entity.name)_UNIQUE_\(constraint.joined(separator: "_"))", table: table, columns: keys,
      isDescending: keys.map { _ in false }, purpose: .uniqueness)
  }

  private func isForeignKey(_ name: String) -> Bool {
    columns.contains { $0.name == name && $0.content == .foreignKey }
  }

  /// The columns of what an index sorts by, which are several for a composite attribute; `nil` if one has no column.
  private func columnNames(_ subject: FetchIndexSubject, of entity: EntityDescription) -> [String]? {
    switch subject {
    case .instance: return ["Z_PK"]
    case .entity: return ["Z_ENT"]
    case .expression: return nil
    case .property(let name):
      let lineage = byName.lineage(of: entity.name)
      let properties = entity.indexedProperties(named: name)
      let names = properties.compactMap { property in
        columns.first { $0.isValue && $0.propertyName == property && lineage.contains($0.entityName) }?.name
      }
      return names.count == properties.count ? names : nil
    }
  }
}

/// An index that Core Data makes of a table.
struct SchemaIndex: Hashable {
  /// The reason for which Core Data makes an index.
  enum Purpose: Hashable {
    /// Follows a relationship, or finds the rows of one entity. Every store has it.
    case key
    /// Keeps values unique, which enters into the version hash.
    case uniqueness
    /// Makes fetches faster. It does not enter into the version hash, so a store need not be migrated for it.
    case fetching
  }

  /// The name of the index.
  let name: String
  /// The table.
  let table: String
  /// The columns, in their order.
  let columns: [String]
  /// Whether each column is in descending order; empty if the statement does not say.
  var isDescending: [Bool] = []
  let purpose: Purpose

  /// The statement that creates the index, with Core Data's spacing.
  var createStatement: String {
    let unique = purpose == .uniqueness ? "UNIQUE " : ""
    let parts = columns.enumerated().map { place, column in
      let order = isDescending.isEmpty ? "" : " COLLATE BINARY \(isDescending[place] ? "DESC" : "ASC")"
      return column.schemaIdentifier + order
    }
    let list = parts.joined(separator: ", ")
    return "CREATE \(unique)INDEX \(name.schemaIdentifier) ON \(table.schemaIdentifier) (\(list))"
  }
}
