import SQLiteDatabase
import TestSupport
import Testing

/// Healthy libraries with indexes that need a collation or a function of an app.
@Suite("Indexes that only an app can use")
struct AppIndexTests {
  private let folder: TemporaryFolder
  private let library: String

  /// Indexes as this program's SQLite makes them, and the words that make them an app's.
  struct Kind: Sendable, CustomTestStringConvertible {
    let statement: String
    let words: (own: String, app: String)
    var testDescription: String { statement }

    static let all = [
      Kind(statement: "CREATE INDEX app ON ZTRACK (ZTITLE COLLATE NOCASE)", words: ("NOCASE", "app_collation")),
      Kind(statement: "CREATE INDEX app ON ZARTIST (ZNAME COLLATE NOCASE, ZID)", words: ("NOCASE", "app_collation")),
      Kind(statement: "CREATE INDEX app ON ZTRACK (lower(ZTITLE))", words: ("lower", "app_function")),
      Kind(statement: "CREATE INDEX app ON ZARTIST (upper(ZNAME))", words: ("upper", "app_function")),
      Kind(
        statement: "CREATE INDEX app ON ZTRACK (ZTITLE) WHERE upper(ZTITLE) > 'A'", words: ("upper", "app_function")),
      Kind(
        statement: """
          CREATE TABLE app (a TEXT COLLATE NOCASE UNIQUE, b CHECK (abs(b) > 0));
          INSERT INTO app VALUES ('b', 1), ('A', 2), ('c', 3)
          """, words: ("NOCASE", "app_collation")),
    ]
  }

  init() throws {
    folder = try TemporaryFolder(isInMemory: true)
    library = try folder.library("Library.sqlite", .many(172))
    try Files.copy(library, to: folder.file("V1.sqlite"))
    try successfully(library, "--quiet", "--no-backup")
  }

  private func add(_ kind: Kind, to path: String) throws {
    try Database.run(kind.statement, in: path)
    try rename(kind.words.own, kind.words.app, in: path)
  }

  private func rename(_ words: String, _ others: String, in path: String) throws {
    try Database.run(
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(sql, '\(words)', '\(others)')
      WHERE sql LIKE 'CREATE INDEX app %' OR sql LIKE 'CREATE TABLE app %'
      """, in: path)
  }

  private static func commands(_ library: String) -> [[String]] {
    [
      ["stats", library, "--format", "csv"], ["info", library], ["artists", library, "--format", "csv"],
      ["tracks", library, "--format", "csv"], ["artist", library, "id-7", "--format", "json"],
      ["export", library], ["export", library, "--what", "links", "--format", "csv"],
      ["query", library, "Artist", "--format", "csv"], ["export", library, "--entity", "Track", "--format", "csv"],
      ["artists", "review", library], ["diff", library, library],
    ]
  }

  @Test(arguments: Rounds.some(2, of: Kind.all)) func `Readers do not call them damaged`(kind: Kind) throws {
    let before = try Self.commands(library).map { try CommandRunner($0, folder: folder.path).run().output }
    try add(kind, to: library)
    for (command, output) in zip(Self.commands(library), before) {
      let result = try CommandRunner(command, folder: folder.path).run()
      #expect(result.status == 0, "\(command) \(result)")
      guard command[0] != "info", command[0] != "stats" else { continue }
      #expect(result.output == output, "\(command)")
    }
    #expect(try CommandRunner(["report", library, "--output", "r.html"], folder: folder.path).run().status == 0)
  }

  @Test(arguments: Kind.all) func `Verify says which indexes it has not checked`(kind: Kind) throws {
    try add(kind, to: library)
    let result = try CommandRunner(["verify", library, "--source", "V1.sqlite"], folder: folder.path).run()
    #expect(result.status == 3 && !result.stdout.contains("damage"), "\(result)")
    let name = kind.statement.contains("TABLE") ? "sqlite_autoindex_app_1" : "app"
    #expect(
      result.stderr.contains(
        "Not checked: the index '\(name)', which needs a collation or function that only its app has"), "\(result)")
  }

  @Test(arguments: Rounds.some(2, of: Kind.all)) func `Damage beside them is found`(kind: Kind) throws {
    try add(kind, to: library)
    try LostWrite.make(
      in: library, ofRootOf: "Z_1TRACKS_Z_2TRACKS_INDEX",
      during: """
        WITH RECURSIVE n (k) AS (VALUES (1) UNION ALL SELECT k + 1 FROM n WHERE k < 20)
        INSERT OR IGNORE INTO Z_1TRACKS SELECT 100 + k, 1 FROM n
        """)
    for command in Self.commands(library) where command[0] != "diff" {
      #expect(try CommandRunner(command, folder: folder.path).run().status == 65, "\(command)")
    }
  }

  @Test(arguments: Kind.all) func `Commands that change artists or add tracks keep them, or say that they do not`(
    kind: Kind
  ) throws {
    try add(kind, to: library)
    let name = try #require(try Database.value("SELECT ZNAME FROM ZARTIST WHERE Z_PK = 1", in: library))
    try folder.write(
      Array(
        "decision\tartist\tid\tinto\tinto_id\ttracks\tevidence\nrename\t\(name)\tid-1\tOther name\t\t\t\n".utf8),
      to: "d")
    try Files.copy(library, to: folder.file("Other.sqlite"))
    let applied = try CommandRunner(["artists", "apply", library, "d"], folder: folder.path).run()
    #expect(applied.status == 0, "\(applied)")
    try folder.write(Array(#"{"title":"new","artists":["new"]}"#.utf8), to: "feed")
    let imported = try CommandRunner(["import", "feed", "Other.sqlite", "--verify"], folder: folder.path).run()
    #expect(imported.status == 0, "\(imported)")
    for (path, result) in [(library, applied), (folder.file("Other.sqlite"), imported)] {
      // As its app reads it: what is kept has the order of the app's collation.
      try rename(kind.words.app, kind.words.own, in: path)
      #expect(try Database.isWhole(path), "\(kind) \(result)")
      let isKept = try Database.value("SELECT 1 FROM sqlite_schema WHERE name = 'app'", in: path) != nil
      #expect(isKept || result.stderr.contains("the index 'app'") || result.stderr.contains(" app: "), "\(result)")
    }
  }

  @Test(arguments: Kind.all) func `A repair that would make them again names them, and changes nothing`(
    kind: Kind
  ) throws {
    try Database.run(
      """
      DROP INDEX Z_1TRACKS_Z_2TRACKS_INDEX;
      CREATE INDEX Z_1TRACKS_Z_2TRACKS_INDEX ON Z_1TRACKS (Z_1ARTISTS, Z_2TRACKS); PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(sql, 'Z_1ARTISTS, Z_2TRACKS', 'Z_2TRACKS, Z_1ARTISTS')
      WHERE name = 'Z_1TRACKS_Z_2TRACKS_INDEX'
      """, in: library)
    try add(kind, to: library)
    let before = try folder.snapshot()
    let result = try tracksMigrate("doctor", library, "--repair")
    #expect(result.status == 65 && result.stdout == "", "\(result)")
    let object = kind.statement.contains("TABLE") ? "table" : "index"
    #expect(result.stderr.contains("its \(object) 'app' needs the "), "\(result)")
    #expect(result.stderr.contains(" '\(kind.words.app)', which only its app has"), "\(result)")
    #expect(result.stderr.contains("Nothing was changed."), "\(result)")
    #expect(try folder.snapshot() == before)
    guard object == "index" else { return }
    // As the message says.
    #expect(result.stderr.contains(#"(DROP INDEX "app";)"#), "\(result)")
    try Database.run(#"DROP INDEX "app""#, in: library)
    try successfully("doctor", library, "--repair")
  }

  @Test func `A list of free pages is not repaired beside them`() throws {
    try Database.run("CREATE TABLE x AS SELECT randomblob(20000); DROP TABLE x", in: library)
    try add(Kind.all[0], to: library)
    var bytes = try Files.bytes(library)
    bytes[39] = 1
    try Files.write(bytes, to: library)
    let result = try tracksMigrate("doctor", library, "--repair")
    #expect(result.status == 65 && result.stderr.contains("its index 'app' needs the collation"), "\(result)")
  }

  @Test(arguments: [
    "CREATE TABLE app (a CHECK (abs(a) > 0)); INSERT INTO app VALUES (1)",
    "CREATE TABLE app (a, b AS (abs(a)) STORED); INSERT INTO app (a) VALUES (1)",
    "CREATE TABLE app (a, b AS (abs(a))); INSERT INTO app (a) VALUES (1)",
  ])
  func `A library with a rule or a column that only its app can compute is repaired`(statement: String) throws {
    try Database.run("UPDATE Z_PRIMARYKEY SET Z_MAX = 1", in: library)
    try add(Kind(statement: statement, words: ("abs", "app_function")), to: library)
    try successfully("doctor", library, "--repair")
    try rename("app_function", "abs", in: library)
    #expect(try Database.isWhole(library))
    #expect(try Database.rows("SELECT a FROM app", in: library) == ["1"])
  }

  @Test func `Without a backup, they are not dropped unless that is wanted`() throws {
    try Database.run("UPDATE ZARTIST SET ZNAME = 'First' WHERE Z_PK = 1", in: library)
    try add(Kind.all[1], to: library)
    try folder.write(Array("decision\tartist\tid\tinto\tinto_id\nrename\tFirst\t\tOther name\t\n".utf8), to: "d")
    let before = try folder.snapshot()
    let command = ["artists", "apply", library, "d", "--no-backup"]
    let refused = try CommandRunner(command, folder: folder.path).run()
    #expect(refused.status == 65, "\(refused)")
    #expect(
      refused.stderr.contains(
        "the decisions were not applied to '\(library)', because --no-backup would discard what it cannot keep: the index "
          + "'app' needs a collation or function that only its app has. Nothing was changed. Run without --no-backup"),
      "\(refused)")
    #expect(try folder.snapshot() == before)
    let forced = try CommandRunner(command + ["--force"], folder: folder.path).run()
    #expect(forced.status == 0 && forced.stderr.contains("Left behind: the index 'app'"), "\(forced)")
  }

  @Test(arguments: Kind.all) func `A migration names what it leaves behind of them`(kind: Kind) throws {
    guard !kind.statement.contains("ZARTIST") else { return }
    let old = folder.file("V1.sqlite")
    try add(kind, to: old)
    let result = try CommandRunner([old, "--verify"]).run()
    #expect(result.status == 0 && result.stderr.contains(" app: "), "\(result)")
    #expect(try Database.isWhole(old))
  }
}
