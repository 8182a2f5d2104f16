import SQLiteDatabase
import TestSupport
import Testing

struct QuotingTests {
  @Test(arguments: [
    ("plain", "\"plain\""), ("", "\"\""), ("a\"b", "\"a\"\"b\""), ("\"", "\"\"\"\""), ("\"\"", "\"\"\"\"\"\""),
    ("it's", "\"it's\""), ("é東", "\"é東\""),
  ])
  func `Quotes in identifiers are doubled`(name: String, expected: String) {
    #expect(name.quotedIdentifier == expected)
  }

  @Test(arguments: [("plain", "'plain'"), ("", "''"), ("it's", "'it''s'"), ("''", "''''''"), ("\"", "'\"'")])
  func `Quotes in literals are doubled`(text: String, expected: String) {
    #expect(text.quotedLiteral == expected)
  }

  @Test(arguments: ["a\"b", "'; DROP TABLE t; --", "select", "a b", "\"", "[x]", "`x`", "é", "1", "a.b", "x\u{1F3B5}"])
  func `SQLite reads a quoted name as that name`(name: String) throws {
    let folder = try TemporaryFolder()
    let connection = try Connection(path: folder.file("store"), access: .create)
    try connection.execute("CREATE TABLE \(name.quotedIdentifier) (\(name.quotedIdentifier) TEXT)")
    try connection.execute("INSERT INTO \(name.quotedIdentifier) VALUES (\(name.quotedLiteral))")
    let sql = "SELECT \(name.quotedIdentifier) FROM \(name.quotedIdentifier)"
    #expect(try connection.text(sql) == name)
    #expect(try connection.text("SELECT name FROM sqlite_schema") == name)
    #expect(try folder.listing() == ["store"])
  }

  @Test func `A name with NUL is an error and is not shortened`() throws {
    let folder = try TemporaryFolder()
    let connection = try Connection(path: folder.file("store"), access: .create)
    #expect(throws: SQLiteError.self) { try connection.execute("CREATE TABLE \("a\0b".quotedIdentifier) (x)") }
    #expect(try connection.integer("SELECT count(*) FROM sqlite_schema") == 0)
  }

  @Test func `The quoted name of a missing column is an error and not text`() throws {
    let folder = try TemporaryFolder()
    let connection = try Connection(path: folder.file("store"), access: .create)
    try connection.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
    for sql in ["SELECT \"missing\" FROM t", "CREATE INDEX i ON t (\"missing\")"] {
      let error = #expect(throws: SQLiteError.self) { try connection.execute(sql) }
      #expect(error?.message.contains("no such column: missing") == true)
    }
  }
}
