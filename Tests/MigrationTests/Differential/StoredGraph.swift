import DataModel
import PersistentStore
import TestSupport

/// All that a store holds, with instances named by their entity and `uid` instead of their keys.
///
/// It is read column by column, by SQL of its own.
struct StoredGraph: Equatable {
  /// `E1#7.ZR0 = E2#9` and so on, sorted.
  private(set) var lines: [String] = []

  init(_ path: String, _ model: ManagedObjectModel) throws {
    let schema = StoreSchema(model)
    var names: [String: [String: String]] = [:]
    for table in schema.tables {
      let identity = schema.column(forProperty: "uid", ofEntityNamed: table.entityNames[0])?.name ?? "Z_PK"
      for row in try Database.rows("SELECT Z_PK, Z_ENT, \(identity) FROM \(table.name)", in: path) {
        let cells = row.split(separator: "|").map(String.init)
        let entity = table.entityNames.first { "\(schema.entityNumber($0))" == cells[1] } ?? "?\(cells[1])"
        names[table.name, default: [:]][cells[0]] = "\(entity)#\(cells[2])"
      }
    }
    for table in schema.tables { try read(table, schema, names, path) }
    for table in schema.joinTables { try read(table, schema, names, path) }
    lines.sort()
  }

  /// Without the values of some columns.
  mutating func forget(_ columns: Set<String>) {
    lines.removeAll { line in columns.contains { line.contains(".\($0) = ") } }
  }

  /// The difference between two graphs.
  func difference(_ other: StoredGraph) -> String {
    let (mine, others) = (Set(lines), Set(other.lines))
    return
      "only here: \(lines.filter { !others.contains($0) }), only there: \(other.lines.filter { !mine.contains($0) })"
  }

  private mutating func read(
    _ table: EntityTable, _ schema: StoreSchema, _ names: [String: [String: String]], _ path: String
  ) throws {
    for column in table.columns {
      var query = "quote(\(column.name))"
      var target: EntityTable?
      switch column.content {
      case .attribute: break
      case .foreignKey:
        let relationship = schema.model.entity(named: column.entityName)?.relationship(named: column.propertyName)
        // The hidden key of a to-many relationship leads to those that have it.
        let entity = relationship?.isToMany == true ? column.entityName : relationship?.destinationEntityName
        target = schema.table(forEntityNamed: entity ?? "")
      case .destinationEntity: break
      case .order:
        let key = table.columns.first {
          $0.content == .foreignKey && $0.propertyName == column.propertyName && $0.entityName == column.entityName
        }
        query =
          "CASE WHEN \(column.name) IS NOT NULL THEN rank() OVER (PARTITION BY \(key?.name ?? "1") ORDER BY \(column.name)) END"
      }
      for row in try Database.rows("SELECT Z_PK, \(query) FROM \(table.name)", in: path) {
        let cells = row.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard cells[1] != "NULL" else { continue }
        let name = names[table.name]?[cells[0]] ?? "?"
        let value = target.map { names[$0.name]?[cells[1]] ?? "nothing" } ?? cells[1]
        lines.append("\(name).\(column.name) = \(value)")
      }
    }
    lines += (names[table.name] ?? [:]).values
  }

  private mutating func read(
    _ table: JoinTable, _ schema: StoreSchema, _ names: [String: [String: String]], _ path: String
  ) throws {
    func tableName(_ entity: String) -> String { schema.table(forEntityNamed: entity)?.name ?? "" }
    let (owners, targets) = (tableName(table.naming.entityName), tableName(table.inverse.entityName))
    let (owner, target) = (table.inverse.destinationColumn, table.naming.destinationColumn)
    func rank(_ order: String?, _ by: String) -> String {
      order.map { "rank() OVER (PARTITION BY \(by) ORDER BY \($0)), \($0) IS NULL" } ?? "0"
    }
    let query =
      "\(owner), \(target), \(rank(table.naming.orderColumn, owner)), \(rank(table.inverse.orderColumn, target))"
    for row in try Database.rows("SELECT \(query) FROM \(table.name)", in: path) {
      let cells = row.split(separator: "|").map(String.init)
      let ends = [names[owners]?[cells[0]], names[targets]?[cells[1]]].map { $0 ?? "nothing" }
      lines.append("\(table.name): \(ends) \(cells.dropFirst(2))")
    }
  }
}
