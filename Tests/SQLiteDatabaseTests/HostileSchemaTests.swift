import SQLiteDatabase
import TestSupport
import Testing

/// A file's own SQL never runs.
struct HostileSchemaTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("hostile")
    try Database.run(
      """
      CREATE TABLE t (x); CREATE TABLE log (x); INSERT INTO t VALUES (1);
      CREATE VIEW v AS SELECT x FROM t;
      CREATE TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO log VALUES (new.x); END;
      """, in: path)
  }

  @Test(arguments: [Connection.Access.readOnly, .immutable, .readWrite, .create])
  func `A view cannot be read`(access: Connection.Access) throws {
    let connection = try Connection(path: path, access: access)
    let error = #expect(throws: SQLiteError.self) { try connection.integer("SELECT x FROM v") }
    #expect(error?.message == "access to view \"v\" prohibited")
    #expect(try connection.integer("SELECT x FROM t") == 1)
  }

  @Test(arguments: [Connection.Access.readWrite, .create])
  func `A trigger does not fire`(access: Connection.Access) throws {
    let connection = try Connection(path: path, access: access)
    try connection.execute("INSERT INTO t VALUES (2)")
    #expect(try connection.integer("SELECT count(*) FROM t") == 2)
    #expect(try connection.integer("SELECT count(*) FROM log") == 0)
  }

  @Test func `The schema of an untrusted file cannot be written`() throws {
    let connection = try Connection(path: path, access: .readWrite)
    #expect(throws: SQLiteError.self) {
      try connection.execute("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'x'")
    }
    #expect(try connection.text("PRAGMA journal_mode = OFF") != "off")
    #expect(try connection.integer("SELECT count(*) FROM t") == 1)
  }
}
