import SQLiteDatabase
import TestSupport
import Testing

@Suite("The check of indexes without lookups") struct IndexCheckTests {
  private let folder: TemporaryFolder
  private var path: String { folder.file("store") }

  /// Values of all classes, among them whole numbers stored as real ones and the greatest integers.
  private static let values =
    "1, 1.5, -2.5, 2.0, 9223372036854775807, 9.3e18, -9223372036854775808, -1e300, NULL, '', 'a', 'A', 'ab', 'é', x'', x'00', x'61'"

  init() throws { folder = try TemporaryFolder() }

  private func make(_ index: String, encoding: String = "UTF-8") throws {
    let list = Self.values.split(separator: ", ").map { "(\($0))" }.joined(separator: ", ")
    try Database.run(
      """
      PRAGMA encoding = '\(encoding)';
      CREATE TABLE t (k INTEGER PRIMARY KEY, x, r REAL, y TEXT);
      INSERT INTO t (x, r, y) SELECT a.column1, a.column1, b.column1 FROM (VALUES \(list)) a, (VALUES \(list)) b;
      UPDATE t SET y = y || '-' || k WHERE k % 3 > 0;
      \(index)
      """, in: path)
  }

  private func problems() throws -> [String] {
    let connection = try Connection(path: path, access: .readOnly)
    return try connection.integrityProblems(limit: 1).problems
  }

  /// What `integrity_check` says.
  private func answer() throws -> String? {
    try Connection(path: path, access: .readOnly).text("PRAGMA integrity_check(1)")
  }

  /// Runs statements while SQLite does not know of the index `i`, so that it does not keep it.
  private func runWithoutIndex(_ statements: String) throws {
    try Database.run(
      """
      PRAGMA writable_schema = ON;
      CREATE TABLE hidden AS SELECT * FROM sqlite_schema WHERE name = 'i';
      DELETE FROM sqlite_schema WHERE name = 'i';
      """, in: path)
    try Database.run(
      """
      PRAGMA writable_schema = ON;
      \(statements);
      INSERT INTO sqlite_schema SELECT * FROM hidden;
      """, in: path)
    // A table of its own would be checked too.
    try Database.run("PRAGMA writable_schema = ON; DROP TABLE hidden", in: path)
  }

  @Test(arguments: [
    "CREATE INDEX i ON t (x)", "CREATE INDEX i ON t (r, x)", "CREATE INDEX i ON t (y, r); CREATE INDEX j ON t (x, y)",
    "CREATE UNIQUE INDEX i ON t (k, x)", "CREATE INDEX i ON t (x DESC)", "CREATE INDEX i ON t (y COLLATE NOCASE)",
    "CREATE INDEX i ON t (x) WHERE x > 1", "CREATE INDEX i ON t (length(y))",
    "CREATE TABLE w (a, b, PRIMARY KEY (b, a)) WITHOUT ROWID; INSERT INTO w SELECT k, 1 FROM t",
    "CREATE TABLE u (a, b, UNIQUE (a, b)); INSERT INTO u VALUES (NULL, 1), (NULL, 1), (1, NULL), (1, NULL)",
    "CREATE TABLE n (rowid, oid, _rowid_); CREATE INDEX i ON n (oid); INSERT INTO n SELECT x, y, k FROM t",
    "CREATE TABLE g (a, b AS (a + 1)); CREATE INDEX i ON g (b); INSERT INTO g SELECT k FROM t",
  ])
  func `A whole file has no problems`(index: String) throws {
    for encoding in ["UTF-8", "UTF-16le"] {
      try make(index, encoding: encoding)
      #expect(try problems() == [])
      #expect(try answer() == "ok")
      Files.remove(path)
    }
  }

  @Test(
    arguments: [
      "CREATE INDEX i ON t (x, y)", "CREATE UNIQUE INDEX i ON t (y, k)", "CREATE INDEX i ON t (x) WHERE x > 1",
      "CREATE INDEX i ON t (y COLLATE NOCASE, x)",
    ],
    [
      "INSERT INTO t (x, y) VALUES (7, 'new')", "DELETE FROM t WHERE k = (SELECT k FROM t WHERE x > 1 LIMIT 1)",
      "UPDATE t SET x = 8, y = 'other' WHERE k = (SELECT k FROM t WHERE x > 1 LIMIT 1)",
      "UPDATE t SET k = 9999 WHERE k = (SELECT k FROM t WHERE x > 1 LIMIT 1)",
    ])
  func `An index that lacks what its table has, or has more, is found`(index: String, change: String) throws {
    try make(index)
    try runWithoutIndex(change)
    #expect(try !problems().isEmpty)
  }

  @Test func `Two entries that exchanged their rows are found`() throws {
    try make("CREATE INDEX i ON t (k, x)")
    try runWithoutIndex("UPDATE t SET x = CASE k WHEN 1 THEN 'one' ELSE 'two' END WHERE k < 3")
    try #require(try answer() != "ok")
    #expect(try !problems().isEmpty)
  }

  @Test(arguments: [("NULL", "1"), ("1", "NULL"), ("NULL", "0"), ("NULL", "''")])
  func `NULL in place of a value is found`(entry: String, value: String) throws {
    try Database.run("CREATE TABLE t (x); INSERT INTO t VALUES (\(entry)); CREATE INDEX i ON t (x)", in: path)
    try runWithoutIndex("UPDATE t SET x = \(value)")
    try #require(try answer() != "ok")
    #expect(try !problems().isEmpty)
  }

  @Test func `NULL in the other column is found`() throws {
    try Database.run(
      "CREATE TABLE t (x, y); INSERT INTO t VALUES (NULL, 0); CREATE INDEX i ON t (x, y)", in: path)
    try runWithoutIndex("UPDATE t SET x = 0, y = NULL")
    try #require(try answer() != "ok")
    #expect(try !problems().isEmpty)
  }

  @Test func `A value that an index has twice is found if it must be unique`() throws {
    try make("CREATE INDEX i ON t (x)")
    #expect(try problems() == [])
    try Database.run(
      "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE UNIQUE INDEX i ON t (x)' WHERE name = 'i'",
      in: path)
    #expect(try problems() == ["non-unique entry in index i"])
  }

  @Test func `Entries in the order of another collation are found`() throws {
    try make("CREATE INDEX i ON t (y COLLATE NOCASE)")
    try Database.run(
      "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE INDEX i ON t (y)' WHERE name = 'i'", in: path
    )
    try #require(try answer() != "ok")
    #expect(try !problems().isEmpty)
  }

  @Test func `An index that only an app can check is named, and those beside it are checked`() throws {
    try make("CREATE INDEX i ON t (x, y); CREATE INDEX a ON t (y COLLATE NOCASE); CREATE INDEX f ON t (lower(y))")
    func rename(_ words: [(String, String)]) throws {
      for (old, new) in words {
        try Database.run(
          """
          PRAGMA writable_schema = ON;
          UPDATE sqlite_schema SET sql = replace(sql, '\(old)', '\(new)') WHERE name IN ('a', 'f')
          """, in: path)
      }
    }
    try rename([("NOCASE", "of_app"), ("lower", "app_function")])
    for accepts in [false, true] {
      let connection = try Connection(path: path, access: .readOnly)
      if accepts { connection.acceptUnknownCollations() }
      let answer = try connection.integrityProblems()
      #expect(answer.problems == [] && answer.uncheckedIndexes == ["a", "f"])
      #expect(try connection.unfitIndex() == nil)
      // What stood in for the app is gone.
      #expect(throws: SQLiteError.self) { _ = try connection.prepare("SELECT app_function(y) FROM t") }
      let copy = folder.file("copy")
      try Files.write([], to: copy)
      try connection.copy(toFile: copy)
      try Database.run(
        """
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = replace(replace(sql, 'of_app', 'NOCASE'), 'app_function', 'lower')
        """, in: copy)
      #expect(try Database.isWhole(copy))
      Files.remove(copy)
    }
    Files.remove(path)
    try make("CREATE INDEX i ON t (x, y); CREATE INDEX a ON t (y COLLATE NOCASE); CREATE INDEX f ON t (lower(y))")
    try runWithoutIndex("DELETE FROM t WHERE k = 5")
    try rename([("NOCASE", "of_app"), ("lower", "app_function")])
    let connection = try Connection(path: path, access: .readOnly)
    #expect(try !connection.integrityProblems().problems.isEmpty)
    #expect(try connection.unfitIndex()?.table == "t")
  }

  /// Whatever `integrity_check` finds, this finds, also in an index that has the primary key itself.
  @Test(arguments: ["", "; CREATE UNIQUE INDEX o ON t (y, k)"])
  func `Random damage is found as by SQLite`(other: String) throws {
    try make("CREATE INDEX i ON t (x, y); CREATE INDEX j ON t (y, r); CREATE INDEX l ON t (r)\(other)")
    let whole = try Files.bytes(path)
    var random = SeededGenerator(seed: 18)
    var foundCount = 0
    let rounds = Rounds.count(200)
    for _ in 0..<rounds {
      var bytes = whole
      // Mostly where pages have their headers and pointers to cells.
      let page = Int(random.next() % UInt64(whole.count / 4096)) * 4096
      bytes[page + Int(random.next() % (random.next() % 2 == 0 ? 64 : 4096))] = UInt8(truncatingIfNeeded: random.next())
      try Files.write(bytes, to: path)
      guard let expected = try? answer() else { continue }
      let found = try problems()
      #expect(found.isEmpty == (expected == "ok"), "\(expected)")
      if let problem = found.first {
        foundCount += 1
        #expect(expected.split(separator: "\n").contains { $0 == problem } || expected == "ok")
      }
    }
    #expect(foundCount > rounds / 10)
  }
}
