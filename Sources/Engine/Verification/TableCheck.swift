internal import DataModel
internal import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase

/// Checks what the model does not cover: the app's own tables, rows of no entity, external data files.
package struct TableCheck {
  private let old: StoreSide
  private let new: StoreSide
  private let log: DifferenceLog
  /// The expected tables of the app's own, with the number of rows in each.
  private let tables: [(name: String, shape: TableShape, count: Int64)]

  /// - Parameters:
  ///   - explained: The tables and indexes that the migration has reported as not carried over.
  ///   - keepsAll: Whether all tables of the old store come along, with all of their indexes.
  package init(old: StoreSide, new: StoreSide, explained: Set<String>, keepsAll: Bool = false, log: DifferenceLog)
    throws
  {
    (self.old, self.new, self.log) = (old, new, log)
    let taken = Set(StoreCheck.statements(of: new.schema).compactMap(StoreCheck.name(in:)))
    // History is carried over as a whole or not at all.
    let keepsHistory = try new.reader.foreignContent(besides: new.schema).contains { $0.kind == .persistentHistory }
    tables = try old.reader.foreignContent(besides: old.schema)
      .filter { content in
        switch content.kind {
        case .app: true
        case .persistentHistory: keepsHistory || keepsAll
        case .cloudKitMirror, .spatialIndex: keepsAll
        case .column, .rows: false
        }
      }
      .filter { !explained.contains($0.name) }
      .map { content in
        var shape = try TableShape(content.name, in: old)
        shape.removeIndexes { !keepsAll && !$0.isPlain || explained.contains($0.name) || taken.contains($0.name) }
        return (content.name, shape, content.count)
      }
  }

  /// The names of these tables and of their indexes.
  package var appNames: Set<[UInt8]> {
    Set(tables.flatMap { [$0.name] + $0.shape.indexes.map(\.name) }.map { Array($0.utf8) })
  }

  /// The number of rows in each of these tables.
  package var rowCounts: [String: Int64] { Dictionary(tables.map { ($0.name, $0.count) }) { first, _ in first } }

  /// Compares the app's own tables, row by row.
  package func checkAppTables() throws {
    for table in tables {
      var shape = try TableShape(table.name, in: new)
      // Unexpected indexes have been reported.
      let names = Set(table.shape.indexes.map(\.name))
      shape.removeIndexes { $0.isOwn && !names.contains($0.name) }
      guard !shape.columns.isEmpty else {
        try log.add(.table) { ($0.entity, $0.expected) = (table.name, table.count.counting("row")) }
        continue
      }
      if let (expected, found) = shape.difference(from: table.shape) {
        try log.add(.schema) { ($0.entity, $0.expected, $0.found) = (table.name, expected, found) }
        if shape.columns.count != table.shape.columns.count { continue }
      }
      try compare(table.name)
    }
  }

  private func compare(_ table: String) throws {
    // Without an index, both are read in the order in which they are stored, which is that of their keys.
    let (first, second) = try rows(of: table)
    var number: Int64 = 0
    var (hasFirst, hasSecond) = (try first.step(), try second.step())
    while hasFirst && hasSecond {
      number += 1
      for column in 0..<first.columnCount
      where first.storageClass(column) != second.storageClass(column)
        || !StoredValue.areEqual(first, column, second, column)
      {
        try log.add(.table) {
          ($0.entity, $0.property, $0.detail) = (table, first.columnName(column), "row \(number) of the table")
          ($0.expected, $0.found) = (StoredValue.text(first, column), StoredValue.text(second, column))
        }
      }
      (hasFirst, hasSecond) = (try first.step(), try second.step())
    }
    guard hasFirst || hasSecond else { return }
    let counts = try [old, new].map { try $0.count(table).counting("row") }
    try log.add(.table) { ($0.entity, $0.expected, $0.found) = (table, counts[0], counts[1]) }
  }

  /// The rows on both sides, with their row ids first unless a column hides them or there is no room for another column.
  private func rows(of table: String) throws -> (Statement, Statement) {
    let columns = try old.connection.prepare("SELECT name FROM pragma_table_xinfo(\(table.quotedLiteral))")
    var names: Set<String> = []
    while try columns.step() { names.insert(columns.text(0)?.lowercased() ?? "") }
    let number = ["rowid", "_rowid_", "oid"].first { !names.contains($0) }
    func statements(_ list: String) throws(SQLiteError) -> (Statement, Statement) {
      let sql = "SELECT \(list) FROM \(table.quotedIdentifier) NOT INDEXED"
      return (try old.connection.prepare(sql), try new.connection.prepare(sql))
    }
    if let number, let both = try? statements("\(number), *") { return both }
    return try statements("*")
  }

  /// Looks for rows that are instances of no entity, which no other check sees.
  package func checkStrayRows() throws {
    for table in new.schema.tables where table.entityNames.count > 1 {
      let concrete = table.entityNames.filter { new.schema.model.entity(named: $0)?.isAbstract == false }
      let numbers = concrete.map { "\(new.schema.entityNumber($0))" }.joined(separator: ", ")
      let rows = try new.connection.prepare(
        "SELECT Z_PK, Z_ENT FROM \(table.name.quotedIdentifier) WHERE coalesce(Z_ENT, 0) NOT IN (\(numbers))")
      while try rows.step() {
        try log.add(.extraRow) {
          ($0.entity, $0.row, $0.property) = (table.name, rows.integer(0), "Z_ENT")
          $0.found = StoredValue.text(rows, 1)
        }
      }
    }
  }

  /// Compares the external data files that the new store names with those of the old one.
  ///
  /// A store that was replaced in place shares the folder of the old one, which may have files that no row names any more.
  package func checkFiles() throws {
    let before = ExternalDataFolder(ofStoreAt: old.reader.file.resolvedPath)
    let after = ExternalDataFolder(ofStoreAt: new.reader.file.resolvedPath)
    guard before.path != after.path else { return }
    var names: Set<String> = []
    for file in try new.reader.externalFiles(in: new.schema) {
      names.insert(file.fileName)
      if try before.contains(file.fileName) { try compare(file, before, after) }
    }
    for name in try after.names() where try !names.contains(name) && !before.contains(name) {
      try log.add(.file) { $0.found = name }
    }
  }

  private func compare(
    _ file: StoreReader.ExternalFile, _ before: ExternalDataFolder, _ after: ExternalDataFolder
  ) throws {
    let isThere = try after.contains(file.fileName)
    if isThere, FileContents.areEqual(before.filePath(file.fileName), after.filePath(file.fileName)) { return }
    try log.add(.file) {
      ($0.entity, $0.row, $0.property) = (file.entityName, file.primaryKey, file.attributeName)
      ($0.expected, $0.found) = (file.fileName, isThere ? "a file with other contents" : nil)
    }
  }
}

/// The declaration of a table of the app's own as SQLite understands it, however it is written.
struct TableShape {
  /// One of its indexes, which may come from a constraint.
  struct Index {
    let name: String
    /// Whether it only sorts by columns, with SQLite's own collations.
    let isPlain: Bool
    /// Whether it was created by a statement rather than by a constraint.
    let isOwn: Bool
    /// Its declaration without the name.
    let declaration: String
  }

  /// The columns: name, type, default and so on; none if there is no such table.
  let columns: [String]
  /// The statement that creates it, without comments: everything else that it declares, such as checks and collations.
  let statement: String
  /// The foreign keys.
  let foreignKeys: [String]
  /// The greatest row id ever used, if SQLite keeps it.
  let greatestNumber: [String]
  /// The indexes, sorted by name.
  private(set) var indexes: [Index]

  init(_ table: String, in side: StoreSide) throws(SQLiteError) {
    let name = table.quotedIdentifier
    func rows(_ pragma: String) throws(SQLiteError) -> [[String]] {
      let statement = try side.connection.prepare("PRAGMA main.\(pragma)")
      var rows: [[String]] = []
      while try statement.step() { rows.append((0..<statement.columnCount).map { statement.text($0) ?? "NULL" }) }
      return rows
    }
    columns = try rows("table_xinfo(\(name))").map { Self.normalized($0) }
    let sql = "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = \(table.quotedLiteral)"
    statement = Self.normalized([Self.withoutRemarks(try side.connection.text(sql) ?? "")])
    foreignKeys = try rows("foreign_key_list(\(name))").map { Self.normalized($0) }
    let keepsNumbers = try side.connection.integer("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'") != nil
    let number = "SELECT seq FROM sqlite_sequence WHERE name = \(table.quotedLiteral)"
    greatestNumber = keepsNumbers ? [try side.connection.text(number)].compactMap { $0 } : []
    var indexes: [Index] = []
    // Columns: number, name, is unique, origin, is partial.
    for row in try rows("index_list(\(name))") {
      // Columns: place, column, its name, is descending, collation, is part of the key.
      let parts = try rows("index_xinfo(\(row[1].quotedIdentifier))")
      let isPlain =
        row[4] == "0"
        && parts.allSatisfy { $0[1] != "-2" && ["BINARY", "NOCASE", "RTRIM"].contains($0[4].uppercased()) }
      indexes.append(
        Index(
          name: row[1], isPlain: isPlain, isOwn: row[3] == "c",
          declaration: Self.normalized(row[2...] + parts.flatMap(\.self))))
    }
    self.indexes = indexes.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  mutating func removeIndexes(where isUnwanted: (Index) -> Bool) { indexes.removeAll(where: isUnwanted) }

  /// The first difference from another declaration.
  func difference(from expected: TableShape) -> (expected: String?, found: String?)? {
    let lists = [
      (expected.columns, columns), (expected.foreignKeys, foreignKeys), (expected.greatestNumber, greatestNumber),
      (expected.indexes.map(\.text), indexes.map(\.text)), ([expected.statement], [statement]),
    ]
    for (wanted, found) in lists where wanted != found {
      let place = zip(wanted, found).prefix { $0 == $1 }.count
      return (wanted.dropFirst(place).first, found.dropFirst(place).first)
    }
    return nil
  }

  /// A statement without comments.
  private static func withoutRemarks(_ sql: String) -> String {
    var (text, rest) = ([UInt8](), Array(sql.utf8)[...])
    func end(_ bytes: String) -> Int {
      let bytes = Array(bytes.utf8)
      return rest.indices.dropLast(bytes.count - 1).first { rest[$0...].starts(with: bytes) }
        .map { $0 + bytes.count } ?? rest.endIndex
    }
    while let byte = rest.popFirst() {
      switch (byte, rest.first) {
      case (UInt8(ascii: "-"), UInt8(ascii: "-")): rest = rest[end("\n")...]
      case (UInt8(ascii: "/"), UInt8(ascii: "*")): rest = rest[end("*/")...]
      case (UInt8(ascii: "'"), _), (UInt8(ascii: "\""), _), (UInt8(ascii: "`"), _), (UInt8(ascii: "["), _):
        let mark = byte == UInt8(ascii: "[") ? "]" : String(UnicodeScalar(byte))
        let end = end(mark)
        text += [byte] + rest[..<end]
        rest = rest[end...]
      default: text.append(byte)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Text without quotes, whitespace and case, which may vary.
  private static func normalized(_ cells: some Sequence<String>) -> String {
    cells.map { cell in
      cell.lowercased().filter { !$0.isWhitespace && !"\"'`[]".contains($0) }
    }.joined(separator: " ")
  }
}

extension TableShape.Index {
  var text: String { "\(name) \(declaration)" }
}
