import DataModel
import Foundation
import PersistentStore
import SQLiteDatabase

extension GraphStore {
  /// Reads all instances; `uids` returns the stable identifier for a table and a key.
  func read() throws -> PlainGraph {
    var graph = PlainGraph()
    let connection = try Connection(path: path, access: .readOnly)
    let entityNames = Dictionary(uniqueKeysWithValues: plain.names.map { (schema.entityNumber($0), $0) })
    var uids: [String: [Int64: Int64]] = [:]
    var keys: [Int64: Int64] = [:]
    for table in schema.tables {
      let uid = layouts.column(forAttribute: "uid", ofEntityNamed: table.entityNames[0])?.name ?? "Z_PK"
      for row in try Cell.rows("SELECT Z_PK, Z_ENT, \(uid) FROM \(table.name) ORDER BY 1", connection) {
        guard case .integer(let key) = row[0], case .integer(let number) = row[1], case .integer(let uid) = row[2],
          let name = entityNames[Int(number)], table.entityNames.contains(name), graph.objects[uid] == nil
        else { throw UnreadableRow(description: "\(table.name): \(row)") }
        uids[table.name, default: [:]][key] = uid
        keys[uid] = key
        graph.objects[uid] = PlainGraph.Object(entity: name, uid: uid)
      }
    }
    for uid in graph.uids {
      guard var object = graph.objects[uid], let key = keys[uid] else { continue }
      try readValues(of: &object, key, connection)
      try readLinks(of: &object, key, uids, graph, connection)
      graph.objects[uid] = object
    }
    return graph
  }

  struct UnreadableRow: Error, CustomStringConvertible { let description: String }

  private func readValues(of object: inout PlainGraph.Object, _ key: Int64, _ connection: Connection) throws {
    let attributes = (plain.entities[object.entity]?.attributes ?? [:]).sorted { $0.key < $1.key }
    let columns = attributes.map { layouts.column(forAttribute: $0.key, ofEntityNamed: object.entity)?.name ?? "NULL" }
    let table = layouts.table(forEntityNamed: object.entity)?.name ?? ""
    let row = try Cell.rows("SELECT \(columns.joined(separator: ", ")) FROM \(table) WHERE Z_PK = \(key)", connection)
    for ((name, attribute), value) in zip(attributes, row.first ?? []) {
      var value = value
      if attribute.allowsExternalBinaryDataStorage, case .blob(let bytes) = value {
        switch bytes.first {
        case 1?: value = .blob(Array(bytes.dropFirst()))
        case 2?:
          let file = String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
          value = .blob(Array(try Data(contentsOf: dataFolder.appending(path: file))))
        default: value = .text("data of no known form: \(bytes)")
        }
      }
      object.values[name] = value.normal(attribute.type)
    }
  }

  private func readLinks(
    of object: inout PlainGraph.Object, _ key: Int64, _ uids: [String: [Int64: Int64]], _ graph: PlainGraph,
    _ connection: Connection
  ) throws {
    for (name, relationship) in plain.entities[object.entity]?.relationships ?? [:] {
      guard let layout = layouts.layout(of: relationship, ofEntityNamed: object.entity),
        let target = layouts.table(forEntityNamed: relationship.destinationEntityName)?.name,
        let table = layouts.table(forEntityNamed: object.entity)?.name
      else { continue }
      let query: String
      switch layout {
      case .own(let column, let entity, _):
        query = "SELECT \(column), \(entity ?? "NULL") FROM \(table) WHERE Z_PK = \(key) AND \(column) IS NOT NULL"
      case .destination(let table, let column, let order):
        query = "SELECT Z_PK, NULL FROM \(table) WHERE \(column) = \(key) ORDER BY \(order ?? "Z_PK")"
      case .join(let links):
        let join = links.table
        let (here, there) = links.isNaming ? (join.naming, join.inverse) : (join.inverse, join.naming)
        let both =
          join.isReflexive
          ? " UNION SELECT \(there.destinationColumn), NULL FROM \(join.name) WHERE \(here.destinationColumn) = \(key)"
          : ""
        let order = here.orderColumn.map { " ORDER BY \($0)" } ?? ""
        query =
          "SELECT \(here.destinationColumn), NULL FROM \(join.name) WHERE \(there.destinationColumn) = \(key)\(both)\(order)"
      }
      for row in try Cell.rows(query, connection) {
        guard case .integer(let other) = row[0], let uid = uids[target]?[other] else {
          throw UnreadableRow(description: "\(object.entity)#\(object.uid).\(name) leads to nothing: \(row)")
        }
        if case .integer(let number) = row[1], Int(number) != schema.entityNumber(graph.objects[uid]?.entity ?? "") {
          throw UnreadableRow(description: "\(object.entity)#\(object.uid).\(name) names a wrong entity: \(row)")
        }
        object.links[name, default: []].append(uid)
      }
    }
  }
}
