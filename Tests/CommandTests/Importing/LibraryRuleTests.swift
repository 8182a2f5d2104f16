import TestSupport
import Testing

/// Constraints that an app has given the tables of tracks, artists and links.
@Suite("A rule of the library's own")
struct LibraryRuleTests {
  let folder: TemporaryFolder
  let library: String

  init() throws {
    folder = try TemporaryFolder(isInMemory: true)
    library = try folder.migratedSample()
  }

  /// Declares a table anew, with more words at its end.
  private static func declared(_ table: String, _ columns: String, _ words: String, _ index: String = "") -> String {
    """
    CREATE TABLE OLD AS SELECT * FROM \(table); DROP TABLE \(table);
    CREATE TABLE \(table) (\(columns), \(words)); INSERT INTO \(table) SELECT * FROM OLD; DROP TABLE OLD;
    \(index)
    """
  }

  private static let links = "Z_1ARTISTS INTEGER, Z_2TRACKS INTEGER, PRIMARY KEY (Z_1ARTISTS, Z_2TRACKS)"
  private static let linkIndex = "CREATE INDEX Z_1TRACKS_Z_2TRACKS_INDEX ON Z_1TRACKS (Z_2TRACKS, Z_1ARTISTS)"
  private static let tracks =
    "Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLASTPLAYEDAT TIMESTAMP, ZIMAGEURL VARCHAR, ZTITLE VARCHAR"

  /// Rules that the second line of the feed breaks.
  private static let rules = [
    ("CREATE UNIQUE INDEX own ON ZTRACK (ZTITLE) WHERE ZTITLE LIKE 'New%'", "UNIQUE constraint failed: ZTRACK.ZTITLE"),
    (
      "CREATE UNIQUE INDEX own ON ZTRACK (lower(ZTITLE)) WHERE ZTITLE LIKE 'New%'",
      "UNIQUE constraint failed: index 'own'"
    ),
    (
      "ALTER TABLE ZTRACK ADD COLUMN ZOWN INTEGER CHECK (ZTITLE <> 'New' OR ZIMAGEURL IS NULL)",
      "CHECK constraint failed: ZTITLE <> 'New' OR ZIMAGEURL IS NULL"
    ),
    (
      "ALTER TABLE ZARTIST ADD COLUMN ZOWN INTEGER CHECK (ZNAME <> 'Second')",
      "CHECK constraint failed: ZNAME <> 'Second'"
    ),
    (
      declared("Z_1TRACKS", links, "CONSTRAINT own CHECK (Z_2TRACKS <> 22)", linkIndex), "CHECK constraint failed: own"
    ),
    (
      declared("ZTRACK", tracks, "CONSTRAINT own UNIQUE (ZTITLE) ON CONFLICT REPLACE"),
      "UNIQUE constraint failed: ZTRACK.ZTITLE"
    ),
    (
      declared("ZTRACK", tracks, "CONSTRAINT own UNIQUE (ZTITLE) ON CONFLICT IGNORE"),
      "UNIQUE constraint failed: ZTRACK.ZTITLE"
    ),
  ]

  @Test(arguments: rules)
  func `A line that breaks it is named with the rule, and nothing is changed`(rule: String, text: String) throws {
    try Database.run(rule, in: library)
    let feed = try folder.write(
      Array(
        """
        {"title":"New","artists":["First"]}
        {"title":"New","imageURL":"i","artists":["Second"]}
        """.utf8), to: "feed.ndjson")
    let before = try folder.snapshot()
    let result = try tracksMigrate("import", feed, library)
    #expect(result.status == 65, "\(result)")
    #expect(
      result.stderr
        == "tracks-migrate: error: '\(feed)' cannot be imported: line 2: '\(library)' has a rule that does not allow it: \(text). "
        + "Nothing was changed. Correct the line, or remove the rule from the library, or import the feed into a new one.\n"
    )
    #expect(try folder.snapshot() == before)
  }

  @Test(arguments: rules)
  func `Lines that keep it are imported, with their links`(rule: String, text: String) throws {
    try Database.run(rule, in: library)
    let feed = try folder.write(Array(#"{"title":"New","artists":["First","Other"]}"#.utf8), to: "feed.ndjson")
    let result = try tracksMigrate("import", feed, library, "--verify")
    #expect(result.status == 0, "\(result)")
    #expect(try Database.value("SELECT count(*) FROM Z_1TRACKS WHERE Z_2TRACKS = 21", in: library) == "2")
    #expect(try Database.isWhole(library))
  }

  @Test(arguments: [
    (
      "rename", "Other", "CREATE UNIQUE INDEX own ON ZARTIST (length(ZNAME) > 0) WHERE ZNAME IN ('Other', 'Target')",
      "UNIQUE constraint failed"
    ),
    (
      "split", "Other | Another", "ALTER TABLE ZARTIST ADD COLUMN ZOWN CHECK (ZNAME <> 'Another')",
      "CHECK constraint failed"
    ),
    (
      "merge", "Target",
      declared("Z_1TRACKS", links, "CONSTRAINT own UNIQUE (Z_1ARTISTS) ON CONFLICT IGNORE", linkIndex),
      "UNIQUE constraint failed"
    ),
  ])
  func `A decision that breaks it is named with the rule, and nothing is changed`(
    kind: String, into: String, rule: String, text: String
  ) throws {
    // One track for each artist, so that the rules hold before.
    try Database.run(
      """
      DELETE FROM Z_1TRACKS WHERE rowid NOT IN (SELECT min(rowid) FROM Z_1TRACKS GROUP BY Z_1ARTISTS);
      UPDATE ZARTIST SET ZNAME = 'First', ZID = NULL WHERE Z_PK = 1; UPDATE ZARTIST SET ZNAME = 'Target' WHERE Z_PK = 2;
      """, in: library)
    try Database.run(rule, in: library)
    let decisions = try folder.write(
      Array("decision\tartist\tid\tinto\tinto_id\n\(kind)\tFirst\t\t\(into)\t\n".utf8), to: "decisions.tsv")
    let before = try folder.snapshot()
    let result = try tracksMigrate("artists", "apply", library, decisions)
    #expect(result.status == 65, "\(result)")
    #expect(
      result.stderr.contains("'\(library)': line 2 (\(kind) 'First') of the decisions breaks a rule of its table: "),
      "\(result)")
    #expect(result.stderr.contains(text), "\(result)")
    #expect(result.stderr.contains(". Nothing was changed. Correct the line, or remove the rule"), "\(result)")
    #expect(try folder.snapshot() == before)
  }
}
