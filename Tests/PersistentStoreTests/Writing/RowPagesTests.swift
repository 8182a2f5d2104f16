import DataModel
import MigrationDiagnostics
import SQLiteDatabase
import TestSupport
import Testing

@testable import PersistentStore

/// Tables that are filled with encoded rows, as SQLite itself finds them.
struct RowPagesTests {
  let folder: TemporaryFolder
  /// Rows of every kind of value, as SQLite has stored them.
  let source: Connection

  init() throws {
    folder = try TemporaryFolder()
    source = try Connection(path: folder.file("Source.sqlite"), access: .create)
    try source.execute(
      "CREATE TABLE ZTRACK (Z_PK INTEGER PRIMARY KEY, Z_OPT INTEGER, PLAYED TIMESTAMP, IMAGE VARCHAR, TITLE VARCHAR)")
  }

  private func add(_ rows: String) throws { try source.execute("INSERT INTO ZTRACK \(rows)") }

  /// Fills a table from the source, in batches of some rows, and returns the keys that were left to SQLite.
  private func fill(_ name: String, batch: Int, _ layout: FileLayout = .coreData) throws -> [Int64] {
    let writer = try StoreWriter(path: folder.file(name), schema: StoreSchema(TrackModels.v2), layout: layout)
    let table = try #require(writer.schema.table(forEntityNamed: "Track"))
    let pages = try #require(
      try RowPages(
        writer, table, entityNumber: 2, version: "Z_OPT",
        columns: ["ZLASTPLAYEDAT": "PLAYED", "ZIMAGEURL": "IMAGE", "ZTITLE": "TITLE"]))
    let names = pages.layout.columnNames.joined(separator: ", ")
    let statement = try source.prepare("SELECT Z_PK, \(names) FROM ZTRACK ORDER BY Z_PK")
    var cells = RowCells(pages.layout)
    var total = 0
    while try statement.step() {
      cells.append(statement.integer(0), statement, from: 1)
      total += 1
      guard total % batch == 0 else { continue }
      try pages.append(cells)
      cells = RowCells(pages.layout)
      // SQLite writes to other tables meanwhile.
      try writer.connection.execute("INSERT INTO ZARTIST (Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, hex(randomblob(500)))")
    }
    try pages.append(cells)
    try pages.finish()
    #expect(pages.count + pages.leftKeys.count == total)
    try writer.finish(metadata: .new(for: TrackModels.v2, uuid: "ID"))
    return pages.leftKeys
  }

  /// The rows as SQLite copies them, but for those that were left to it.
  private func expect(_ name: String, without left: [Int64] = []) throws {
    let path = folder.file(name)
    #expect(try Database.rows("PRAGMA integrity_check", in: path) == ["ok"])
    try source.execute(
      """
      DROP TABLE IF EXISTS EXPECTED;
      CREATE TABLE EXPECTED (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLASTPLAYEDAT TIMESTAMP,
        ZIMAGEURL VARCHAR, ZTITLE VARCHAR);
      INSERT INTO EXPECTED SELECT Z_PK, 2, Z_OPT, PLAYED, IMAGE, TITLE FROM ZTRACK
        WHERE Z_PK NOT IN (\(left.map(String.init).joined(separator: ", ")));
      """)
    let values = ["Z_PK", "Z_ENT", "Z_OPT", "ZLASTPLAYEDAT", "ZIMAGEURL", "ZTITLE"]
    let list = values.map { "typeof(\($0)), quote(\($0))" }.joined(separator: ", ")
    let expected = try Database.rows("SELECT \(list) FROM EXPECTED ORDER BY Z_PK", source)
    #expect(try Database.rows("SELECT \(list) FROM ZTRACK ORDER BY Z_PK", in: path) == expected)
  }

  @Test(arguments: [512, 1024, 4096, 65536] as [Int64], [0, 1, 2] as [Int64])
  func `Rows are written with every page size and vacuum mode`(pageSize: Int64, autoVacuum: Int64) throws {
    try add(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
      SELECT i * i, i, i / 8.0, CASE WHEN i % 3 THEN 'https://example.com/' || i END, hex(zeroblob(i % 90)) || 'é😀' FROM n
      """)
    let layout = FileLayout(pageSize: pageSize, autoVacuum: autoVacuum, encoding: "UTF-8")
    #expect(try fill("New.sqlite", batch: 97, layout) == [])
    try expect("New.sqlite")
    // SQLite can continue to use the table.
    try Database.run(
      """
      DELETE FROM ZTRACK WHERE Z_PK % 5 = 0; PRAGMA incremental_vacuum;
      INSERT INTO ZTRACK (Z_PK, ZTITLE) SELECT Z_PK + 100000000, hex(zeroblob(3000)) FROM ZTRACK LIMIT 300; VACUUM;
      """, in: folder.file("New.sqlite"))
    #expect(try Database.isWhole(folder.file("New.sqlite")))
  }

  @Test func `Numbers, texts and blobs of every size are what SQLite stores`() throws {
    let numbers =
      (0...62).flatMap { [Int64(1) << $0, -(Int64(1) << $0), (Int64(1) << $0) - 1] } + [.max, .min, 0, -1, 127, -128]
    for (key, number) in numbers.enumerated() { try add("VALUES (\(key + 1), \(number), \(number), NULL, '')") }
    try add(
      """
      VALUES (1000, NULL, 0.1, NULL, NULL), (1001, 1, 1e300, 'a' || char(0) || 'b', x'00ff'), (1002, 1, -0.5, x'', CAST(x'ff41' AS TEXT)),
        (9223372036854775807, 1, 5e-324, 'last', 'last'), (-9223372036854775808, 1, 1, 'first', 'first'), (-5, 1, NULL, '', ''),
        (2000, 1, 9007199254740993.5, hex(zeroblob(57)), hex(zeroblob(58))), (2001, 1, 9e18, '', hex(zeroblob(1900)))
      """)
    let left = try fill("New.sqlite", batch: 7)
    #expect(left == [])
    try expect("New.sqlite")
  }

  @Test func `What SQLite would convert, or put on an overflow page, is left to it`() throws {
    try source.execute("PRAGMA writable_schema = ON")
    try add(
      """
      VALUES (1, 'x', 1, 'kept', 'kept'), (2, 1, 'some day', '', ''), (3, 1, 2, '', hex(zeroblob(3000))), (4, 1, 2.5, 'kept', ''),
        (5, 1, 3, hex(zeroblob(600000)), ''), (6, 1, 4, NULL, NULL)
      """)
    let left = try fill("New.sqlite", batch: 2)
    #expect(left == [1, 2, 3, 5])
    try expect("New.sqlite", without: left)
  }

  @Test func `Records around the size of a page fit, or are left`() throws {
    for length in 4_000..<4_080 {
      try add("VALUES (\(length), 1, NULL, NULL, substr(hex(zeroblob(2100)), 1, \(length)))")
    }
    let left = try fill("New.sqlite", batch: 9)
    // A leaf keeps a record of 4,061 bytes to itself, 9 of which are its header and Z_ENT.
    #expect(left.first == 4_053 && left.count == 27)
    try expect("New.sqlite", without: left)
  }

  @Test func `Values that come from elsewhere are stored as SQLite stores them`() throws {
    let numbers: [Double] = [
      0, -0.0, 1, -1, 0.5, 1e300, -9.223372036854775808e18, 9.223372036854775e18, 9.3e18, .infinity,
      .leastNonzeroMagnitude,
    ]
    let texts: [[UInt8]?] =
      [nil, [], Array("é".utf8), [0x61, 0, 0xFF]] + (0..<7).map { Array(repeating: 0x78, count: $0 * 50) }
    let writer = try StoreWriter(
      path: folder.file("New.sqlite"), schema: StoreSchema(TrackModels.v2), layout: .coreData)
    let table = try #require(writer.schema.table(forEntityNamed: "Track"))
    let pages = try #require(
      try RowPages(
        writer, table, entityNumber: 2, version: "Z_OPT",
        columns: ["ZLASTPLAYEDAT": "PLAYED", "ZIMAGEURL": "IMAGE", "ZTITLE": "TITLE"]))
    let cells = RowCells(pages.layout)
    let insertion = try source.prepare("INSERT INTO ZTRACK (Z_PK, Z_OPT, PLAYED, TITLE) VALUES (?, 1, ?, ?)")
    for (key, (number, text)) in zip(Int64(1)..., zip(numbers, texts)) {
      try insertion.bind(key, at: 1)
      try insertion.bind(number, at: 2)
      if let text { try insertion.bind(textBytes: text, at: 3) } else { try insertion.bindNull(at: 3) }
      try insertion.run()
      let isIn = (text ?? []).withUnsafeBytes { bytes in
        // An empty array has no base address.
        let empty = UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: 1), count: 0)
        return cells.append(key) { column in
          switch pages.layout.columnNames[column] {
          case "Z_OPT": .integer(1)
          case "PLAYED": .real(number)
          case "TITLE": text == nil ? .null : .text(bytes.isEmpty ? empty : bytes)
          default: .text(UnsafeRawBufferPointer(start: nil, count: 0))
          }
        }
      }
      #expect(isIn)
    }
    let long = [UInt8](repeating: 0x78, count: 5000)
    #expect(!long.withUnsafeBytes { text in cells.append(100) { _ in .text(text) } }, "it is no number")
    #expect(!cells.append(100) { _ in .real(.nan) }, "SQLite has no such number")
    #expect(cells.leftKeys == [])
    try pages.append(cells)
    try pages.finish()
    try writer.finish(metadata: .new(for: TrackModels.v2, uuid: "ID"))
    try expect("New.sqlite")
  }

  @Test(arguments: [0, 1, 2, 50]) func `Few rows fit into the root page`(count: Int) throws {
    for key in 0..<count { try add("VALUES (\(key + 1), 1, 1.5, 'i', 't')") }
    #expect(try fill("New.sqlite", batch: 10) == [])
    try expect("New.sqlite")
  }

  @Test func `Keys that do not ascend are refused, and tables with rows or indexes are left to SQLite`() throws {
    let writer = try StoreWriter(
      path: folder.file("New.sqlite"), schema: StoreSchema(TrackModels.v2), layout: .coreData)
    let table = try #require(writer.schema.table(forEntityNamed: "Track"))
    func pages() throws -> RowPages? {
      try RowPages(writer, table, entityNumber: 2, version: "Z_OPT", columns: [:])
    }
    try add("VALUES (3, 1, NULL, NULL, NULL)")
    let statement = try source.prepare("SELECT Z_PK, Z_OPT FROM ZTRACK")
    #expect(try statement.step())
    let rows = try #require(try pages())
    for _ in 0..<2 {
      let cells = RowCells(rows.layout)
      cells.append(3, statement, from: 1)
      try rows.append(cells)
    }
    let error = #expect(throws: MigrationError.self) { try rows.finish() }
    #expect(error?.code == .damaged)

    let other = try StoreWriter(
      path: folder.file("Other.sqlite"), schema: StoreSchema(TrackModels.v2), layout: .coreData)
    try other.connection.execute("CREATE INDEX i ON ZTRACK (ZTITLE)")
    #expect(try RowPages(other, table, entityNumber: 2, version: "Z_OPT", columns: [:]) == nil)
    try other.connection.execute("DROP INDEX i; INSERT INTO ZTRACK (Z_PK) VALUES (1)")
    #expect(try RowPages(other, table, entityNumber: 2, version: "Z_OPT", columns: [:]) == nil)
  }
}
