import SQLiteDatabase
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

struct ConnectionTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: [
    "plain.sqlite", "with space.sqlite", "100%.sqlite", "%41.sqlite", "what?.sqlite", "a?mode=rwc", "a?immutable=1",
    "hash#tag.sqlite", "Bibliothèque 東京.sqlite", "quote'and\".sqlite", "back\\slash", "&=+;.sqlite", ":memory:",
    "file:x.sqlite", "new\nline", "~", "-rf",
  ])
  func `A path names one file literally`(name: String) throws {
    let path = folder.file(name)
    try Database.run("CREATE TABLE t (x); INSERT INTO t VALUES (7)", in: path)
    #expect(try folder.listing() == [name])
    #expect(try Database.rows("SELECT x FROM t", in: path) == ["7"])
    let connection = try Connection(path: path, access: .readOnly)
    #expect(try connection.integer("SELECT x FROM t") == 7)
    let other = try Connection(path: folder.file("other"), access: .create)
    try other.attachReadOnly(path: path, as: "source")
    #expect(try other.integer("SELECT x FROM source.t") == 7)
    #expect(try folder.listing() == [name, "other"].sorted())
  }

  @Test(arguments: [Connection.Access.readOnly, .immutable, .readWrite])
  func `Opening a missing file fails and creates nothing`(access: Connection.Access) throws {
    let error = #expect(throws: SQLiteError.self) {
      try Connection(path: folder.file("missing?mode=rwc"), access: access)
    }
    #expect(error?.code == SQLiteError.cannotOpen)
    #expect(error?.path == folder.file("missing?mode=rwc"))
    #expect(try folder.listing().isEmpty)
  }

  @Test(.timeLimit(.minutes(1)), arguments: ["", "-journal", "-wal"])
  func `A pipe in place of a file is refused without waiting`(suffix: String) throws {
    let path = folder.file("a.sqlite")
    try Database.run("CREATE TABLE t (x)\(suffix == "-wal" ? "; PRAGMA journal_mode = WAL" : "")", in: path)
    Files.remove(path + suffix)
    #expect(mkfifo(path + suffix, 0o600) == 0)
    let error = #expect(throws: SQLiteError.self) {
      try Connection(path: path, access: .readWrite).execute("INSERT INTO t VALUES (1)")
    }
    #expect(error?.code == SQLiteError.cannotOpen)
  }

  @Test func `Opening can fail ten thousand times without exhausting resources`() throws {
    for _ in 0..<10_000 {
      #expect(throws: SQLiteError.self) { try Connection(path: folder.file("missing"), access: .readOnly) }
    }
    // A file that opens but is not a database fails on first use.
    try Files.write("no database, but long enough to be read as a header", to: folder.file("garbage"))
    for _ in 0..<2_000 {
      let connection = try Connection(path: folder.file("garbage"), access: .readOnly)
      let error = #expect(throws: SQLiteError.self) { try connection.integer("SELECT count(*) FROM sqlite_schema") }
      #expect(error?.code == SQLiteError.notADatabase)
    }
  }

  @Test func `A folder cannot be opened`() throws {
    let error = #expect(throws: SQLiteError.self) { try Connection(path: folder.path, access: .create) }
    #expect(error?.code == SQLiteError.cannotOpen)
  }

  @Test(arguments: [Connection.Access.readOnly, .immutable])
  func `A read-only connection cannot write`(access: Connection.Access) throws {
    let path = folder.file("store")
    try Database.run("CREATE TABLE t (x)", in: path)
    let before = try folder.snapshot()
    let connection = try Connection(path: path, access: access)
    let error = #expect(throws: SQLiteError.self) { try connection.execute("INSERT INTO t VALUES (1)") }
    #expect(error?.code == SQLiteError.readOnly)
    #expect(error?.sql == "INSERT INTO t VALUES (1)")
    try connection.close()
    #expect(try folder.snapshot() == before)
  }

  @Test func `An attached source cannot be written to`() throws {
    let source = folder.file("source?mode=rwc")
    try Database.run("CREATE TABLE t (x)", in: source)
    let connection = try Connection(path: folder.file("main"), access: .create)
    try connection.attachReadOnly(path: source, as: "a \"quoted\" name")
    let error = #expect(throws: SQLiteError.self) {
      try connection.execute("INSERT INTO \"a \"\"quoted\"\" name\".t VALUES (1)")
    }
    #expect(error?.code == SQLiteError.readOnly)
  }

  @Test func `Attaching a missing file fails and creates nothing`() throws {
    let connection = try Connection(path: folder.file("main"), access: .create)
    try connection.execute("CREATE TABLE t (x)")
    let error = #expect(throws: SQLiteError.self) {
      try connection.attachReadOnly(path: folder.file("none"), as: "source")
    }
    #expect(error?.code == SQLiteError.cannotOpen)
    #expect(try folder.listing() == ["main"])
  }

  @Test func `A lock of another connection is reported as busy`() throws {
    let path = folder.file("store")
    try Database.run("CREATE TABLE t (x)", in: path)
    let writer = try Connection(path: path, access: .readWrite)
    try writer.execute("BEGIN EXCLUSIVE")
    let reader = try Connection(path: path, access: .readOnly)
    let error = #expect(throws: SQLiteError.self) { try reader.integer("SELECT count(*) FROM t") }
    #expect(error?.code == SQLiteError.busy)
    try writer.execute("COMMIT")
    #expect(try reader.integer("SELECT count(*) FROM t") == 0)
  }

  @Test func `Dropping a table that is being read is reported as locked`() throws {
    let connection = try Connection(path: folder.file("store"), access: .create)
    try connection.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1), (2)")
    let statement = try connection.prepare("SELECT x FROM t")
    #expect(try statement.step())
    let error = #expect(throws: SQLiteError.self) { try connection.execute("DROP TABLE t") }
    #expect(error?.code == SQLiteError.locked)
  }

  @Test func `Closing while a statement is in use fails, and succeeds afterwards`() throws {
    let connection = try Connection(path: folder.file("store"), access: .create)
    do {
      let statement = try connection.prepare("SELECT 1")
      let error = #expect(throws: SQLiteError.self) { try connection.close() }
      #expect(error?.code == SQLiteError.busy)
      #expect(try statement.step())
    }
    try connection.close()
    #expect(throws: SQLiteError.self) { try connection.execute("SELECT 1") }
    #expect(throws: SQLiteError.self) { try connection.prepare("SELECT 1") }
  }

  @Test func `A statement keeps its connection open`() throws {
    func statement() throws -> Statement {
      try Connection(path: folder.file("store"), access: .create).prepare("SELECT 7")
    }
    let statement = try statement()
    #expect(try statement.step())
    #expect(statement.integer(0) == 7)
  }

  @Test func `The progress callback stops a statement`() throws {
    let connection = try Connection(path: folder.file("store"), access: .create)
    let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
    var calls = 0
    connection.onProgress(every: 100) {
      calls += 1
      return calls == 3
    }
    let error = #expect(throws: SQLiteError.self) { try connection.integer(endless) }
    #expect(error?.code == SQLiteError.interrupted)
    #expect(calls == 3)
    connection.onProgress(every: 100, nil)
    #expect(try connection.integer(endless.replacing("FROM n)", with: "FROM n LIMIT 1000)")) == 1000)
    #expect(calls == 3)
  }

  @Test func `A write-ahead log is kept on request`() throws {
    let path = folder.file("store")
    try Database.run("PRAGMA journal_mode = wal; CREATE TABLE t (x)", in: path)
    #expect(try folder.listing() == ["store"])
    let main = try Files.bytes(path)
    let connection = try Connection(path: path, access: .readWrite)
    connection.keepWriteAheadLogOnClose()
    try connection.execute("INSERT INTO t VALUES (1)")
    try connection.close()
    #expect(try Files.bytes(path) == main)
    #expect(try !Files.bytes(path + "-wal").isEmpty)
  }

  @Test func `A connection reports that it is read-only`() throws {
    let path = folder.file("store")
    try Database.run("CREATE TABLE t (x)", in: path)
    #expect(try Connection(path: path, access: .readOnly).isReadOnly)
    #expect(try Connection(path: path, access: .readWrite).isReadOnly == false)
    try Files.setPermissions(0o444, of: path)
    try Privileges.asNobody {
      let connection = try Connection(path: path, access: .readWrite)
      #expect(connection.isReadOnly)
    }
  }
}
