import DataModel
import PersistentStore
import TestSupport

/// One side of a relationship: an entity and a relationship that it declares.
struct GraphEnd: Hashable {
  let entity: String
  let relationship: RelationshipDescription
}

/// Writes and reads the instances and links of a store by SQL of its own, with instances named by their attribute
/// `identity`.
struct GraphSQL {
  let schema: StoreSchema

  private func table(_ entity: String) -> String { quoted(schema.table(forEntityNamed: entity)?.name ?? "") }

  private func key(_ property: String, _ entity: String) -> String {
    quoted(schema.column(forProperty: property, ofEntityNamed: entity)?.name ?? "")
  }

  private func companion(
    _ content: EntityTable.Column.Content, _ property: String, of entity: String, in tableOf: String
  ) -> String? {
    schema.table(forEntityNamed: tableOf)?.columns
      .first { $0.content == content && $0.propertyName == property && $0.entityName == entity }
      .map { quoted($0.name) }
  }

  private func quoted(_ name: String) -> String {
    "\"\(name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
  }

  /// The entity that declares the inverse of a relationship.
  private func inverseOwner(_ end: GraphEnd) -> String? {
    guard let inverse = end.relationship.inverseName else { return nil }
    var entity = schema.model.entity(named: end.relationship.destinationEntityName)
    while let current = entity {
      if current.ownRelationships.contains(where: { $0.name == inverse }) { return current.name }
      entity = current.superentityName.flatMap { schema.model.entity(named: $0) }
    }
    return nil
  }

  /// The join table of a relationship, with the columns of the keys of both sides and of the order.
  private func join(_ end: GraphEnd) -> (table: String, owner: String, destination: String, order: String?)? {
    guard let table = schema.joinTable(forRelationship: end.relationship.name, ofEntityNamed: end.entity) else {
      return nil
    }
    let isNaming = table.naming.entityName == end.entity && table.naming.relationshipName == end.relationship.name
    let (here, there) = isNaming ? (table.naming, table.inverse) : (table.inverse, table.naming)
    return (
      quoted(table.name), quoted(there.destinationColumn), quoted(here.destinationColumn),
      table.isReflexive ? nil : here.orderColumn.map(quoted)
    )
  }

  func insert(_ entity: String, key: Int64, values: [(attribute: String, literal: String)]) -> String {
    let columns = ["Z_PK", "Z_ENT", "Z_OPT"] + values.map { self.key($0.attribute, entity) }
    let literals = ["\(key)", "\(schema.entityNumber(entity))", "3"] + values.map(\.literal)
    return
      "INSERT INTO \(table(entity)) (\(columns.joined(separator: ", "))) VALUES (\(literals.joined(separator: ", ")))"
  }

  /// The statements that link an instance with the destination at a place.
  ///
  /// - Parameter place: A number that grows with the places of the destinations.
  func link(_ end: GraphEnd, _ owner: Int64, _ destination: Int64, destinationEntity: String, place: Int) -> [String] {
    let relationship = end.relationship
    let target = relationship.destinationEntityName
    if !relationship.isToMany {
      let entity = companion(.destinationEntity, relationship.name, of: end.entity, in: end.entity)
        .map { ", \($0) = \(schema.entityNumber(destinationEntity))" }
      return [
        """
        UPDATE \(table(end.entity)) SET \(key(relationship.name, end.entity)) = \(destination)\(entity ?? "") \
        WHERE Z_PK = \(owner)
        """
      ]
    }
    if let join = join(end) {
      let (columns, values) = ("\(join.owner), \(join.destination)", "\(owner), \(destination)")
      return ["INSERT OR IGNORE INTO \(join.table) (\(columns)) VALUES (\(values))"]
        + (join.order.map { order in
          [
            """
            UPDATE \(join.table) SET \(order) = \(place) \
            WHERE \(join.owner) = \(owner) AND \(join.destination) = \(destination)
            """
          ]
        } ?? [])
    }
    guard let inverse = relationship.inverseName, let holder = inverseOwner(end) else {
      let hidden = companion(.foreignKey, relationship.name, of: end.entity, in: target) ?? ""
      return ["UPDATE \(table(target)) SET \(hidden) = \(owner) WHERE Z_PK = \(destination)"]
    }
    return companion(.order, inverse, of: holder, in: holder)
      .map { ["UPDATE \(table(target)) SET \($0) = \(place) WHERE Z_PK = \(destination)"] } ?? []
  }

  /// All links of a side as `owner>destination`: by owners, then in their order if they have one.
  func links(_ end: GraphEnd, in path: String) throws -> [String] {
    let relationship = end.relationship
    let target = relationship.destinationEntityName
    let (owners, targets) = (table(end.entity), table(target))
    let (ownerID, targetID) = ("o.\(key("identity", end.entity))", "d.\(key("identity", target))")
    let from: String
    var order = targetID
    if !relationship.isToMany {
      let entity = companion(.destinationEntity, relationship.name, of: end.entity, in: end.entity)
        .map { " AND o.\($0) = d.Z_ENT" }
      from = "\(owners) o JOIN \(targets) d ON d.Z_PK = o.\(key(relationship.name, end.entity))\(entity ?? "")"
    } else if let join = join(end) {
      from = """
        \(join.table) j JOIN \(owners) o ON o.Z_PK = j.\(join.owner) JOIN \(targets) d ON d.Z_PK = j.\(join.destination)
        """
      order = join.order.map { "j.\($0)" } ?? order
    } else if let inverse = relationship.inverseName, let holder = inverseOwner(end) {
      from = "\(targets) d JOIN \(owners) o ON o.Z_PK = d.\(key(inverse, target))"
      order = companion(.order, inverse, of: holder, in: holder).map { "d.\($0)" } ?? order
    } else {
      let hidden = companion(.foreignKey, relationship.name, of: end.entity, in: target) ?? ""
      from = "\(targets) d JOIN \(owners) o ON o.Z_PK = d.\(hidden)"
    }
    return try Database.rows(
      "SELECT \(ownerID) || '>' || \(targetID) FROM \(from) ORDER BY \(ownerID), \(order)", in: path)
  }

  /// Each instance of an entity as a row of its identity and all its attributes' literals.
  func values(of entity: EntityDescription, in path: String) throws -> [String] {
    let columns = entity.attributes.filter { !$0.isTransient }.map { "quote(\(key($0.name, entity.name)))" }
    return try Database.rows(
      """
      SELECT \(columns.joined(separator: ", ")) FROM \(table(entity.name)) \
      WHERE Z_ENT = \(schema.entityNumber(entity.name)) ORDER BY \(key("identity", entity.name))
      """, in: path)
  }
}
