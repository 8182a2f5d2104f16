import SQLiteDatabase
import TestSupport
import Testing

/// Values bound to a statement are returned byte for byte.
struct ValueTests {
  private let folder: TemporaryFolder
  private let connection: Connection

  init() throws {
    folder = try TemporaryFolder()
    connection = try Connection(path: folder.file("store"), access: .create)
  }

  @Test(arguments: [
    "", "a", "\0", "before\0after", "\0\0\0", "é", "e\u{301}", "🎵", "line\nbreak", "'quoted' \"text\"",
    String(repeating: "東", count: 100_000),
  ])
  func `Text keeps every byte`(text: String) throws {
    let statement = try connection.prepare("SELECT ?1, typeof(?1), length(CAST(?1 AS BLOB))")
    try statement.bind(text, at: 1)
    #expect(try statement.step())
    #expect(Array((statement.text(0) ?? "no text").utf8) == Array(text.utf8))
    #expect(statement.text(1) == "text")
    #expect(statement.integer(2) == Int64(text.utf8.count))
    #expect(!statement.isNull(0))
  }

  @Test(arguments: [[], [0], [0, 0, 7], [0xFF, 0xFE, 0x00], Array(repeating: 0xAB, count: 70_000)] as [[UInt8]])
  func `A blob keeps every byte, and an empty one is not NULL`(bytes: [UInt8]) throws {
    let statement = try connection.prepare("SELECT ?1, typeof(?1)")
    try statement.bind(bytes, at: 1)
    #expect(try statement.step())
    #expect(statement.blob(0) == bytes)
    #expect(statement.text(1) == "blob")
    #expect(statement.storageClass(0) == .blob)
  }

  @Test func `A nil value is bound as NULL`() throws {
    let statement = try connection.prepare("SELECT ?1, ?2, ?3, ?4, ?5")
    try statement.bind(nil as Int64?, at: 1)
    try statement.bind(nil as Double?, at: 2)
    try statement.bind(nil as String?, at: 3)
    try statement.bind(nil as [UInt8]?, at: 4)
    try statement.bindNull(at: 5)
    #expect(try statement.step())
    for column in 0..<5 {
      #expect(statement.isNull(column))
      #expect(statement.storageClass(column) == .null)
      #expect(statement.text(column) == nil)
      #expect(statement.blob(column) == nil)
    }
  }

  @Test(arguments: [Int64.min, -1, 0, 1, .max])
  func `Integers keep all their bits`(integer: Int64) throws {
    let statement = try connection.prepare("SELECT ?")
    try statement.bind(integer, at: 1)
    #expect(try statement.step())
    #expect(statement.integer(0) == integer)
    #expect(statement.storageClass(0) == .integer)
  }

  @Test(arguments: [0.1, -0.0, .infinity, 1e300, Double.leastNonzeroMagnitude])
  func `Floating-point numbers keep all their bits`(number: Double) throws {
    let statement = try connection.prepare("SELECT ?")
    try statement.bind(number, at: 1)
    #expect(try statement.step())
    #expect(statement.real(0).bitPattern == number.bitPattern)
    #expect(statement.storageClass(0) == .real)
  }

  @Test func `Invalid UTF-8 is provided unchanged as bytes and repaired as a string`() throws {
    let statement = try connection.prepare("SELECT CAST(x'61FF62' AS TEXT)")
    #expect(try statement.step())
    #expect(statement.text(0) == "a\u{FFFD}b")
    #expect(statement.withText(0) { $0.map(Array.init) } == [0x61, 0xFF, 0x62])
  }

  @Test(arguments: ["UTF-16le", "UTF-16be"])
  func `Text in a UTF-16 database is converted, and a blob is not`(encoding: String) throws {
    try connection.execute("PRAGMA encoding = '\(encoding)'; CREATE TABLE t (x)")
    try connection.execute("INSERT INTO t VALUES ('é🎵'), (x'C3A9')")
    let statement = try connection.prepare("SELECT x FROM t")
    #expect(try statement.step())
    #expect(statement.withText(0) { $0.map(Array.init) } == Array("é🎵".utf8))
    #expect(try statement.step())
    #expect(statement.withText(0) { $0.map(Array.init) } == [0xC3, 0xA9])
    #expect(statement.text(0) == "é")
  }

  @Test func `Borrowed text is bound without a copy, and a missing address as NULL`() throws {
    let statement = try connection.prepare("SELECT ?1, ?2, ?3")
    let bytes = Array("a\0b".utf8)
    try bytes.withUnsafeBytes { buffer in
      try statement.bindBorrowed(text: buffer, at: 1)
      try statement.bindBorrowed(text: UnsafeRawBufferPointer(rebasing: buffer[1..<1]), at: 2)
      try statement.bindBorrowed(text: UnsafeRawBufferPointer(start: nil, count: 0), at: 3)
      #expect(try statement.step())
      #expect(statement.text(0) == "a\0b")
      #expect(statement.text(1) == "")
      #expect(statement.text(2) == nil)
    }
  }

  @Test func `Binding beyond the parameters throws an error`() throws {
    let statement = try connection.prepare("SELECT ?")
    #expect(throws: SQLiteError.self) { try statement.bind(1 as Int64?, at: 2) }
    #expect(throws: SQLiteError.self) { try statement.bind("x", at: 0) }
  }

  @Test func `Bound values are kept when a statement is reset`() throws {
    let statement = try connection.prepare("SELECT ?")
    try statement.bind("kept", at: 1)
    for _ in 0..<3 {
      #expect(try statement.step())
      #expect(statement.text(0) == "kept")
      #expect(try !statement.step())
      statement.reset()
    }
    #expect(statement.columnCount == 1)
    #expect(try connection.prepare("SELECT 1 AS 'a b'").columnName(0) == "a b")
  }

  @Test(arguments: ["", "  ", "-- nothing"])
  func `A statement without SQL throws an error`(sql: String) {
    #expect(throws: SQLiteError.self) { try connection.prepare(sql) }
  }

  @Test func `An error names the statement that failed`() throws {
    let error = #expect(throws: SQLiteError.self) { try connection.prepare("SELECT * FROM nowhere") }
    #expect(
      error?.description == """
        \(folder.file("store")): no such table: nowhere (SQLite code 1) while running: SELECT * FROM nowhere
        """)
  }

  @Test func `A constraint violation is reported by its code`() throws {
    try connection.execute("CREATE TABLE t (x INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)")
    let statement = try connection.prepare("INSERT INTO t VALUES (?)")
    try statement.bind(1 as Int64?, at: 1)
    let error = #expect(throws: SQLiteError.self) { try statement.run() }
    #expect(error?.code == SQLiteError.constraint)
    // The statement is ready to run again.
    try statement.bind(2 as Int64?, at: 1)
    try statement.run()
    #expect(connection.changes == 1)
    #expect(try connection.integer("SELECT count(*) FROM t") == 2)
  }

  @Test func `Single values are read, and missing ones are nil`() throws {
    #expect(try connection.integer("SELECT 7") == 7)
    #expect(try connection.integer("SELECT NULL") == nil)
    #expect(try connection.integer("SELECT 1 WHERE 0") == nil)
    #expect(try connection.text("SELECT 'x'") == "x")
    #expect(try connection.text("SELECT NULL") == nil)
    #expect(try connection.text("SELECT 1 WHERE 0") == nil)
  }
}
