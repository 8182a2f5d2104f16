internal import DataModel
internal import Diagnostics
internal import Expressions
internal import PersistentStore
internal import SQLite

// An app's store may have links to instances that are gone, from a bug or from SQL behind Core Data's back. Core Data
// takes them for none, and so do migrations. Whoever loses them is to know.

extension StoreValidator {
  /// The relationships with links that lead to nothing: those in rows of their own, then those of tables of links, then
  /// the hidden keys.
  func danglingLinks() throws(MigrationError) -> [ValidationFailure] {
    try reporting(path: path) {
      var found: [ValidationFailure] = []
      for table in schema.tables { found += try danglingKeys(in: table) }
      for table in schema.joinTables { found += try failures(of: table) }
      return found + (try hiddenKeyFailures())
    }
  }

  /// Tells which keys of to-one relationships in a table lead to nothing.
  private func danglingKeys(in table: EntityTable) throws(SQLiteError) -> [ValidationFailure] {
    let keys = table.columns.filter { $0.content == .foreignKey }.compactMap { column -> Key? in
      guard let entity = schema.model.entity(named: column.entityName),
        let relationship = entity.relationship(named: column.propertyName), !relationship.isToMany
      else { return nil }
      return Key(column: "d.\(identifier: column.name)", relationship: relationship, entity: entity.name)
    }
    var found: [ValidationFailure] = []
    for start in stride(from: 0, to: keys.count, by: Self.checksPerPass) {
      let pass = Array(keys[start..<min(start + Self.checksPerPass, keys.count)])
      for key in try doubtful(pass, in: table) {
        guard let number = destinationNumber(key.column, key.relationship.destinationEntityName) else { continue }
        found += try dangling(
          "\(.destinationTable(table.name)) d WHERE \(key.column) IS NOT NULL AND \(number) IS NULL", key: "d.Z_PK",
          key.relationship.name, key.entity)
      }
    }
    return found
  }

  /// The columns whose keys have to be looked for one by one.
  ///
  /// One look at all rows is enough nearly always: there are rows for all keys of a range, and no key is beyond it.
  private func doubtful(_ keys: [Key], in table: EntityTable) throws(SQLiteError) -> [Key] {
    let figures = keys.map { key -> SQLFragment in
      "count(\(key.column)) = sum((\(key.column) | 0) = \(key.column)), min(\(key.column)), max(\(key.column))"
    }
    let statement = try connection.prepare(
      fragment: "SELECT \(figures.joined(by: ", ")) FROM \(.destinationTable(table.name)) d")
    guard try statement.step() else { return [] }
    var ranges: [String: ClosedRange<Int64>?] = [:]
    var doubtful: [Key] = []
    for (index, key) in keys.enumerated() where !statement.isNull(3 * index) {
      let destination = key.relationship.destinationEntityName
      if ranges[destination] == nil { ranges[destination] = .some(try gaplessKeys(of: destination)) }
      let there = ranges[destination] ?? nil
      let isThere =
        statement.integer(3 * index) == 1 && there?.contains(statement.integer(3 * index + 1)) == true
        && there?.contains(statement.integer(3 * index + 2)) == true
      if !isThere { doubtful.append(key) }
    }
    return doubtful
  }
}

/// A column of keys.
private struct Key {
  let column: SQLFragment
  let relationship: RelationshipDescription
  let entity: String
}
