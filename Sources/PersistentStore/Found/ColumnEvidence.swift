internal import DataModel
internal import Diagnostics
internal import SQLite

/// Tells by the rows of a table which of its columns belongs to which of several properties of one name.
///
/// Entities beside each other in one table may have properties of the same name; their columns are `ZTEXT`, `ZTEXT1`…
/// In a store that was migrated in place, or that an old framework wrote, the numbers may be given out in another order
/// than in a fresh one. Which column is whose shows in the rows: an instance has values in its own entity's columns.
/// Where the rows tell nothing, the order of a fresh store is kept.
struct ColumnEvidence {
  let store: StoreReader
  let model: ManagedObjectModel
  let numbering: EntityNumbering
  let tableName: String

  /// Exchanges the names of columns where the rows say so.
  ///
  /// The table is read only if it has such columns.
  func correct(_ found: inout [Int: String], expected: [EntityTable.Column]) throws(MigrationError) {
    let places = found.keys.sorted().filter { !expected[$0].isHiddenKey(in: model) }
    let groups = Dictionary(grouping: places) { expected[$0].propertyName.uppercased() }
    for places in groups.values.filter({ $0.count > 1 }) {
      let names = places.map { found[$0] ?? "" }
      let owners = places.map { entityNumbers(below: expected[$0].entityName) }
      let order = Self.bestOrder(try values(ofEntities: owners, in: names))
      for (place, column) in zip(places, order) { found[place] = names[column] }
    }
  }

  /// How many instances of each owner have a value in each column.
  private func values(ofEntities owners: [Set<Int>], in columns: [String]) throws(MigrationError) -> [[Int64]] {
    let counts = columns.map { "count(\($0.quotedIdentifier))" }.joined(separator: ", ")
    return try reporting(path: store.file.path) {
      var values = owners.map { _ in columns.map { _ in Int64(0) } }
      let statement = try store.connection.prepare(
        "SELECT Z_ENT, \(counts) FROM \(tableName.quotedIdentifier) GROUP BY Z_ENT")
      while try statement.step() {
        let entity = Int(statement.integer(0))
        for (owner, entities) in owners.enumerated() where entities.contains(entity) {
          for column in columns.indices { values[owner][column] += statement.integer(column + 1) }
        }
      }
      return values
    }
  }

  /// For each owner a column, so that as many values as possible are in the columns of their owners.
  ///
  /// Beginning with the order of a fresh store, columns are exchanged while that brings more values to their owners; so
  /// it ends, and nothing is exchanged without a reason.
  static func bestOrder(_ values: [[Int64]]) -> [Int] {
    var order = Array(values.indices)
    var isImproved = true
    while isImproved {
      isImproved = false
      for first in order.indices {
        for second in order.indices.dropFirst(first + 1) {
          let now = values[first][order[first]] + values[second][order[second]]
          guard values[first][order[second]] + values[second][order[first]] > now else { continue }
          order.swapAt(first, second)
          isImproved = true
        }
      }
    }
    return order
  }

  private func entityNumbers(below entity: String) -> Set<Int> {
    Set(numbering.names.filter { model.lineage(of: $0).contains(entity) }.map { numbering[$0] })
  }
}
