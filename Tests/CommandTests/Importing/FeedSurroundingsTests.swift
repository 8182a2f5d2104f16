import Foundation
import TestSupport
import Testing

@Suite("What an import keeps besides tracks and artists")
struct FeedSurroundingsTests {
  let folder: TemporaryFolder
  let library: String
  let feed: String

  init() throws {
    folder = try TemporaryFolder()
    library = try folder.migratedSample()
    feed = try folder.write(Array(#"{"title":"New","artists":["Brand new"]}"#.utf8), to: "feed.ndjson")
  }

  /// Everything that an app, Core Data or a tool may add to a file.
  private static let additions = """
    ALTER TABLE ZTRACK ADD COLUMN ZNOTES VARCHAR; UPDATE ZTRACK SET ZNOTES = 'note ' || Z_PK;
    ALTER TABLE ZARTIST ADD COLUMN ZRANK INTEGER DEFAULT 3;
    CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZENTITYPK INTEGER);
    INSERT INTO ACHANGE VALUES (7, 16001, 1, 5);
    INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 7);
    CREATE TABLE ANSCKRECORDMETADATA (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
    INSERT INTO ANSCKRECORDMETADATA VALUES (1, 16010, 1);
    CREATE TABLE MINE (name TEXT COLLATE NOCASE UNIQUE, value, CHECK (length(name) < 9)); INSERT INTO MINE VALUES ('a', x'00ff');
    CREATE INDEX MINE_VALUE ON MINE (value DESC) WHERE value IS NOT NULL;
    CREATE INDEX BY_TITLE ON ZTRACK (ZTITLE COLLATE NOCASE);
    CREATE INDEX BY_LOWER_TITLE ON ZTRACK (lower(ZTITLE)) WHERE ZNOTES IS NOT NULL;
    CREATE VIEW TITLES AS SELECT ZTITLE FROM ZTRACK;
    CREATE TRIGGER ON_MINE AFTER INSERT ON MINE BEGIN DELETE FROM MINE WHERE value = 1; END;
    DELETE FROM ZARTIST WHERE Z_PK = 1;
    INSERT INTO Z_METADATA VALUES (2, 'further', NULL);
    """

  /// All declarations, and the rows of what is not a track or an artist.
  private func surroundings(_ path: String) throws -> [String] {
    try Database.rows("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name", in: path)
      + Database.rows("SELECT Z_PK, ZNOTES FROM ZTRACK WHERE Z_PK <= 20 ORDER BY Z_PK", in: path)
      + Database.rows("SELECT Z_PK, ZRANK FROM ZARTIST WHERE ZNAME <> 'Brand new' ORDER BY Z_PK", in: path)
      + ["ACHANGE", "ANSCKRECORDMETADATA", "MINE", "Z_METADATA"].flatMap {
        try Database.rows("SELECT * FROM \($0) ORDER BY 1", in: path)
      }
      + Database.rows("SELECT * FROM Z_PRIMARYKEY WHERE Z_ENT > 16000", in: path)
      + Database.rows("SELECT * FROM Z_1TRACKS WHERE Z_2TRACKS <= 20 ORDER BY 1, 2", in: path)
  }

  @Test(arguments: [["--verify"], ["--strict", "--verify"], ["--no-backup", "--new-keys"]])
  func `All that the file held is still there, and named`(options: [String]) throws {
    try Database.run(Self.additions, in: library)
    let before = try surroundings(library)
    let stats = folder.file("stats.json")
    let result = try CommandRunner(["import", feed, library, "--stats", stats] + options).run()
    #expect(result.status == 0, "\(result)")
    #expect(try surroundings(library) == before)
    #expect(try Database.value("SELECT ZNOTES, ZTITLE FROM ZTRACK WHERE Z_PK = 21", in: library) == "NULL|New")
    #expect(try Database.isWhole(library))
    #expect(result.stderr.contains("ZTRACK.ZNOTES: 20 rows"), "\(result)")
    let counts = try JSONSerialization.jsonObject(with: Data(Files.bytes(stats))) as? [String: Any]
    #expect((counts?["kept_count_by_name"] as? [String: Int])?["ZTRACK.ZNOTES"] == 20)
    #expect((counts?["left_behind_reason_by_name"] as? [String: String])?.isEmpty == true)
  }

  @Test(
    arguments: [
      "UPDATE ZTRACK SET ZNOTES = 'x' WHERE Z_PK = 3", "DELETE FROM ACHANGE", "DROP TABLE ANSCKRECORDMETADATA",
      "DROP INDEX BY_LOWER_TITLE", "DROP VIEW TITLES", "DROP TRIGGER ON_MINE", "UPDATE MINE SET value = 2",
      "CREATE VIEW OTHER AS SELECT 1", "UPDATE ZARTIST SET ZRANK = 4 WHERE Z_PK = 2",
    ])
  func `Verification notices what is missing beside the tracks`(change: String) throws {
    try Database.run(Self.additions, in: library)
    try successfully("import", feed, library)
    let verify = ["verify", library, "--feed", feed, "--source", library + ".v2-backup"]
    #expect(try CommandRunner(verify).run().status == 0)
    try Database.run(change, in: library)
    let result = try CommandRunner(verify).run()
    #expect(result.status == 3, "\(result)")
  }

  /// A column of the app without which no row can be added.
  private static let requiredColumn = """
    CREATE TABLE OLD AS SELECT * FROM ZTRACK; DROP TABLE ZTRACK;
    CREATE TABLE ZTRACK (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLASTPLAYEDAT TIMESTAMP,
      ZIMAGEURL VARCHAR, ZTITLE VARCHAR, ZMUST VARCHAR NOT NULL);
    INSERT INTO ZTRACK SELECT *, 'must' FROM OLD; DROP TABLE OLD;
    """

  @Test(arguments: [
    ["--no-backup"], ["--no-backup", "--dry-run"], ["--strict"], ["--strict", "--no-backup", "--verify"],
  ])
  func `A feed that adds nothing needs no consent to lose what only the app can write`(options: [String]) throws {
    try Database.run(Self.requiredColumn, in: library)
    let known = try folder.write(Array(successfully("export", library).stdout.utf8), to: "known.ndjson")
    let before = try folder.snapshot()
    let result = try CommandRunner(["import", known, library] + options).run()
    #expect(
      result.status == 0 && result.stderr.contains("Already there: 20 tracks.") != options.contains("--dry-run"),
      "\(result)")
    #expect(try folder.snapshot() == before)
    let asked = try CommandRunner(["import", feed, library] + options).run()
    #expect(asked.status == 65 && asked.stderr.contains("ZTRACK.ZMUST (20). Nothing was changed."), "\(asked)")
    #expect(try folder.snapshot() == before)
  }

  @Test func `What only the app can write is left behind with its name, and refused by --strict`() throws {
    try Database.run(
      """
      \(Self.requiredColumn)
      CREATE VIEW TITLES AS SELECT ZTITLE FROM ZTRACK;
      DELETE FROM ZARTIST WHERE Z_PK = 1;
      """, in: library)
    let before = try folder.snapshot()
    let refused = try CommandRunner(["import", feed, library, "--strict"]).run()
    #expect(refused.status == 65 && refused.stderr.contains("ZTRACK.ZMUST (20)"), "\(refused)")
    #expect(try folder.snapshot() == before)
    #expect(refused.stderr.contains("the feed was not imported into '\(library)', because of --strict: "), "\(refused)")
    #expect(refused.stderr.contains("Run without --strict to import anyway"), "\(refused)")
    for options in [["--no-backup"], ["--no-backup", "--dry-run"]] {
      let asked = try CommandRunner(["import", feed, library] + options).run()
      #expect(asked.status == 65 && asked.stderr.contains("--no-backup would discard what it cannot keep"), "\(asked)")
      #expect(asked.stderr.contains("ZTRACK.ZMUST (20); 'TITLES' cannot be carried over: it is a view"), "\(asked)")
      #expect(asked.stderr.contains("or with --force to discard it."), "\(asked)")
    }
    #expect(try folder.snapshot() == before)
    let copy = folder.file("Copy.sqlite")
    try Files.copy(library, to: copy)
    let forced = try CommandRunner(["import", feed, copy, "--no-backup", "--force"]).run()
    #expect(forced.status == 0 && forced.stderr.contains("ZTRACK.ZMUST: 20 rows"), "\(forced)")
    #expect(try CommandRunner(["import", feed, copy, "--force"]).run().status == 64)
    let result = try CommandRunner(["import", feed, library, "--verify"]).run()
    #expect(result.status == 0, "\(result)")
    for name in ["ZTRACK.ZMUST: 20 rows", "TITLES: it is a view", "Track.artists: "] {
      #expect(result.stderr.contains(name), "\(result)")
    }
    #expect(result.stderr.contains("what it had, except what was left behind"), "\(result)")
  }

  @Test func `A trigger of a table that gets rows is kept, and named because it did not run`() throws {
    try Database.run(
      """
      CREATE TABLE COUNTS (n); INSERT INTO COUNTS VALUES (20);
      CREATE TRIGGER COUNTING AFTER INSERT ON ZTRACK BEGIN UPDATE COUNTS SET n = n + 1; END;
      """, in: library)
    let refused = try CommandRunner(["import", feed, library, "--strict"]).run()
    #expect(refused.status == 65 && refused.stderr.contains("the trigger 'COUNTING'"), "\(refused)")
    let stats = folder.file("stats.json")
    let result = try CommandRunner(["import", feed, library, "--stats", stats]).run()
    #expect(result.status == 0 && result.stderr.contains("warning: the trigger 'COUNTING' did not run"), "\(result)")
    let report = try JSONSerialization.jsonObject(with: Data(Files.bytes(stats))) as? [String: Any]
    #expect(report?["skipped_triggers"] as? [String] == ["COUNTING"])
    #expect(try Database.value("SELECT count(*) FROM sqlite_schema WHERE name = 'COUNTING'", in: library) == "1")
    #expect(try Database.value("SELECT n FROM COUNTS", in: library) == "20")
  }
}
