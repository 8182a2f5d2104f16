import DataModel
import Foundation
import PersistentStore
import SQLiteDatabase
import TestSupport

/// Writes and reads graphs as rows and keys of a store with plain SQL.
struct GraphStore {
  let model: ManagedObjectModel
  let plain: PlainModel
  let schema: StoreSchema
  let layouts: PropertyLayouts
  let path: String

  init(_ path: String, _ model: ManagedObjectModel) {
    self.path = path
    self.model = model
    plain = PlainModel(model)
    schema = StoreSchema(model)
    layouts = schema.layouts
  }

  /// The folder of external data files.
  var dataFolder: URL {
    let file = URL(filePath: path)
    let name = ".\(file.deletingPathExtension().lastPathComponent)_SUPPORT/_EXTERNAL_DATA"
    return file.deletingLastPathComponent().appending(path: name)
  }

  /// Writes a graph.
  ///
  /// - Returns: The instances in primary key order.
  @discardableResult
  func write(_ graph: PlainGraph, layout: FileLayout, _ random: inout SeededGenerator) throws -> [Int64] {
    let writer = try StoreWriter(path: path, schema: schema, layout: layout)
    try writer.finish(metadata: .new(for: model, uuid: "6D3A3F1E-0C55-4C6B-9F0E-1A2B3C4D5E6F"))
    let connection = try Connection(path: path, access: .readWrite)
    try connection.execute("BEGIN")
    var keys: [Int64: Int64] = [:]
    var greatest: [String: Int64] = [:]
    for uid in graph.uids.shuffled(using: &random) {
      guard let object = graph.objects[uid], let table = layouts.table(forEntityNamed: object.entity) else { continue }
      greatest[table.name, default: 0] += Int64(random.number(1...3))
      keys[uid] = greatest[table.name]
      try insert(object, key: greatest[table.name] ?? 0, in: table, connection, &random)
    }
    for uid in graph.uids {
      guard let object = graph.objects[uid] else { continue }
      for (name, targets) in object.links.sorted(by: { $0.key < $1.key }) {
        try link(object, name, targets, keys, graph, connection)
      }
    }
    for table in schema.tables {
      let number = schema.entityNumber(table.entityNames[0])
      try connection.execute(
        "UPDATE Z_PRIMARYKEY SET Z_MAX = \(greatest[table.name] ?? 0) WHERE Z_ENT = \(number)")
    }
    try connection.execute("COMMIT")
    try connection.close()
    return graph.uids.sorted { (keys[$0] ?? 0, $0) < (keys[$1] ?? 0, $1) }
  }

  private func insert(
    _ object: PlainGraph.Object, key: Int64, in table: EntityTable, _ connection: Connection,
    _ random: inout SeededGenerator
  ) throws {
    var columns: [(name: String, value: Cell)] = [
      ("Z_PK", .integer(key)), ("Z_ENT", .integer(Int64(schema.entityNumber(object.entity)))), ("Z_OPT", .integer(1)),
    ]
    for (name, attribute) in (plain.entities[object.entity]?.attributes ?? [:]).sorted(by: { $0.key < $1.key }) {
      guard let column = layouts.column(forAttribute: name, ofEntityNamed: object.entity)?.name else { continue }
      var value = object.values[name] ?? .null
      if attribute.allowsExternalBinaryDataStorage, case .blob(let bytes) = value {
        value = .blob(random.chance(15) ? try writeFile(bytes, &random) : [1] + bytes)
      }
      columns.append((column, value))
    }
    let statement = try connection.prepare(
      """
      INSERT INTO \(table.name) (\(columns.map(\.name).joined(separator: ", "))) \
      VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))
      """)
    for (index, column) in zip(Int32(1)..., columns) { try column.value.bind(to: statement, at: index) }
    try statement.run()
  }

  private func writeFile(_ bytes: [UInt8], _ random: inout SeededGenerator) throws -> [UInt8] {
    let digits = (0..<12).map { _ in String(random.number(0...9)) }.joined()
    let name = "6D3A3F1E-0C55-4C6B-9F0E-\(digits)"
    try FileManager.default.createDirectory(at: dataFolder, withIntermediateDirectories: true)
    try Data(bytes).write(to: dataFolder.appending(path: name))
    return [2] + Array(name.utf8) + [0]
  }

  private func link(
    _ object: PlainGraph.Object, _ name: String, _ targets: [Int64], _ keys: [Int64: Int64], _ graph: PlainGraph,
    _ connection: Connection
  ) throws {
    guard let relationship = plain.entities[object.entity]?.relationships[name], let key = keys[object.uid],
      let layout = layouts.layout(of: relationship, ofEntityNamed: object.entity)
    else { return }
    for (place, target) in targets.enumerated() {
      guard let other = keys[target], let entity = graph.objects[target]?.entity else { continue }
      switch layout {
      case .own(let column, let entityColumn, _):
        let table = layouts.table(forEntityNamed: object.entity)?.name ?? ""
        let number = entityColumn.map { ", \($0) = \(schema.entityNumber(entity))" } ?? ""
        try connection.execute("UPDATE \(table) SET \(column) = \(other)\(number) WHERE Z_PK = \(key)")
      case .destination(let table, let column, let order):
        let settings = [
          order.map { "\($0) = \((place + 1) * 1024)" }, relationship.inverseName == nil ? "\(column) = \(key)" : nil,
        ]
        guard settings.contains(where: { $0 != nil }) else { continue }
        try connection.execute(
          "UPDATE \(table) SET \(settings.compactMap { $0 }.joined(separator: ", ")) WHERE Z_PK = \(other)")
      case .join(let links):
        let table = links.table
        guard links.isNaming || table.isReflexive else { continue }
        var columns = [table.naming.destinationColumn, table.inverse.destinationColumn]
        var values = ["\(other)", "\(key)"]
        let back = graph.objects[target]?.links[relationship.inverseName ?? ""]?.firstIndex(of: object.uid) ?? 0
        for (column, place) in [(table.naming.orderColumn, place), (table.inverse.orderColumn, back)] {
          guard let column else { continue }
          columns.append(column)
          values.append("\((place + 1) * 1024)")
        }
        try connection.execute(
          "INSERT OR IGNORE INTO \(table.name) (\(columns.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))"
        )
      }
    }
  }
}
