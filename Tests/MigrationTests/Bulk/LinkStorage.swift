import DataModel
import PersistentStore
import TestSupport

/// A link of a relationship, with the place of its destination where the relationship is ordered.
struct StoredLink: Hashable {
  let owner: Int
  let target: Int
  var place: Int?
}

/// Writes and reads the links of a relationship, written down once more from the format of Core Data's files.
struct LinkStorage {
  let schema: StoreSchema
  let entity: String
  let relationship: RelationshipDescription

  private func order(_ table: EntityTable?, _ property: String) -> String {
    table?.columns.first { $0.content == .order && $0.propertyName == property }?.name ?? "NULL"
  }

  /// The query of owner, target and place.
  private func query() throws -> String? {
    if !relationship.isToMany {
      guard let column = schema.column(forProperty: relationship.name, ofEntityNamed: entity),
        let table = schema.table(forEntityNamed: entity)
      else { return nil }
      return "SELECT Z_PK, \(column.name), NULL FROM \(table.name) WHERE \(column.name) IS NOT NULL"
    }
    if let table = schema.joinTable(forRelationship: relationship.name, ofEntityNamed: entity) {
      let isNaming = table.naming.relationshipName == relationship.name
      let (here, there) = isNaming ? (table.naming, table.inverse) : (table.inverse, table.naming)
      return
        "SELECT \(there.destinationColumn), \(here.destinationColumn), \(here.orderColumn ?? "NULL") FROM \(table.name)"
    }
    guard let table = schema.table(forEntityNamed: relationship.destinationEntityName),
      let column = table.columns.first(where: {
        $0.content == .foreignKey && $0.propertyName == relationship.inverseName ?? relationship.name
      })
    else { return nil }
    return
      "SELECT \(column.name), Z_PK, \(order(table, column.propertyName)) FROM \(table.name) WHERE \(column.name) IS NOT NULL"
  }

  func links(in writer: StoreWriter) throws -> Set<StoredLink> {
    guard let sql = try query() else { return [] }
    return Set(
      try Database.rows(sql, writer.connection).map { row in
        let values = row.split(separator: "|").map { Int($0) }
        return StoredLink(owner: values[0] ?? 0, target: values[1] ?? 0, place: values[2])
      })
  }

  /// The statements that write links, of an entity without subentities and from the side that keeps them.
  func statements(_ links: Set<StoredLink>) -> [String] {
    links.sorted { ($0.owner, $0.target) < ($1.owner, $1.target) }.compactMap { link in
      let place = link.place.map(String.init) ?? "NULL"
      if let table = schema.joinTable(forRelationship: relationship.name, ofEntityNamed: entity) {
        let isNaming = table.naming.relationshipName == relationship.name
        let (here, there) = isNaming ? (table.naming, table.inverse) : (table.inverse, table.naming)
        // The other side's places are written by the other side.
        return here.orderColumn.map {
          "INSERT INTO \(table.name) (\(there.destinationColumn), \(here.destinationColumn), \($0)) VALUES (\(link.owner), \(link.target), \(place)) ON CONFLICT DO UPDATE SET \($0) = excluded.\($0)"
        }
          ?? "INSERT INTO \(table.name) (\(there.destinationColumn), \(here.destinationColumn)) VALUES (\(link.owner), \(link.target)) ON CONFLICT DO NOTHING"
      }
      if relationship.isToMany {
        guard let table = schema.table(forEntityNamed: relationship.destinationEntityName),
          let column = table.columns.first(where: {
            $0.content == .foreignKey && $0.propertyName == relationship.inverseName ?? relationship.name
          })
        else { return nil }
        let order = order(table, column.propertyName)
        let setting = order == "NULL" ? "" : ", \(order) = \(place)"
        return "UPDATE \(table.name) SET \(column.name) = \(link.owner)\(setting) WHERE Z_PK = \(link.target)"
      }
      guard let column = schema.column(forProperty: relationship.name, ofEntityNamed: entity),
        let table = schema.table(forEntityNamed: entity)
      else { return nil }
      return "UPDATE \(table.name) SET \(column.name) = \(link.target) WHERE Z_PK = \(link.owner)"
    }
  }
}
