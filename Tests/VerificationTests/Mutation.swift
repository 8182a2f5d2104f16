/// A change to a correct library and the expected differences.
struct Mutation: Sendable, CustomStringConvertible {
  let description: String
  let sql: String
  let differences: [String]

  init(_ description: String, _ sql: String, _ differences: String...) {
    self.description = description
    self.sql = sql
    self.differences = differences
  }

  static let all = links + artists + tracks + store + planted + coerced

  private static let links = [
    Mutation(
      "a link is gone", "DELETE FROM Z_1TRACKS WHERE Z_1ARTISTS = 2 AND Z_2TRACKS = 4",
      "missing-link Track 4 artists"),
    Mutation("a link is too many", "INSERT INTO Z_1TRACKS VALUES (3, 5)", "extra-link Track 5 artists"),
    Mutation("a link's track is not there", "INSERT INTO Z_1TRACKS VALUES (1, 99)", "dangling-link Track 99 artists"),
    Mutation("a link's artist is not there", "INSERT INTO Z_1TRACKS VALUES (77, 1)", "extra-link Track 1 artists"),
    Mutation(
      "a link leads to another artist", "UPDATE Z_1TRACKS SET Z_1ARTISTS = 1 WHERE Z_2TRACKS = 5",
      "extra-link Track 5 artists", "missing-link Track 5 artists"),
    Mutation(
      "an artist's last link is gone", "DELETE FROM Z_1TRACKS WHERE Z_1ARTISTS = 4",
      "missing-link Track 3 artists", "artist-without-track Artist 4"),
    Mutation(
      "a track without artists has one", "INSERT INTO Z_1TRACKS VALUES (4, 9)", "extra-link Track 9 artists"),
    Mutation(
      "all links of a track are gone", "DELETE FROM Z_1TRACKS WHERE Z_2TRACKS = 7",
      "missing-link Track 7 artists", "missing-link Track 7 artists"),
  ]

  private static let artists = [
    Mutation(
      "two ids are swapped",
      "UPDATE ZARTIST SET ZID = CASE ZID WHEN 'a' THEN 'b' ELSE 'a' END WHERE ZID IN ('a', 'b')",
      "value Artist 1 id", "value Artist 2 id"),
    Mutation("a later id was taken", "UPDATE ZARTIST SET ZID = 'z' WHERE Z_PK = 1", "value Artist 1 id"),
    Mutation("an image is gone", "UPDATE ZARTIST SET ZIMAGEURL = NULL WHERE Z_PK = 1", "value Artist 1 imageURL"),
    Mutation("no id became an empty one", "UPDATE ZARTIST SET ZID = '' WHERE Z_PK = 3", "value Artist 3 id"),
    Mutation("who is a name only has an id", "UPDATE ZARTIST SET ZID = 's' WHERE Z_PK = 4", "value Artist 4 id"),
    Mutation(
      "who is a name only has an image", "UPDATE ZARTIST SET ZIMAGEURL = 's' WHERE Z_PK = 4",
      "value Artist 4 imageURL"),
    Mutation(
      "a name is decomposed", "UPDATE ZARTIST SET ZNAME = 'Cafe' || char(769) WHERE Z_PK = 3",
      "missing-artist Artist", "missing-link Track 2 artists", "extra-link Track 2 artists", "extra-artist Artist 3"),
    Mutation(
      "a name is gone", "UPDATE ZARTIST SET ZNAME = NULL WHERE Z_PK = 4",
      "missing-artist Artist", "missing-link Track 3 artists", "extra-link Track 3 artists", "extra-artist Artist 4"),
    Mutation(
      "an artist is gone with his links",
      "DELETE FROM Z_1TRACKS WHERE Z_1ARTISTS = 4; DELETE FROM ZARTIST WHERE Z_PK = 4",
      "missing-artist Artist", "missing-link Track 3 artists"),
    Mutation(
      "an artist is gone without his links", "DELETE FROM ZARTIST WHERE Z_PK = 4",
      "missing-artist Artist", "missing-link Track 3 artists", "extra-link Track 3 artists"),
    Mutation(
      "an artist is there twice", "INSERT INTO ZARTIST (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (5000, 1, 1, 'Bob')",
      "primary-key Artist Z_MAX", "duplicate-artist Artist 5000"),
    Mutation(
      "an artist is nobody's", "INSERT INTO ZARTIST (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (0, 1, 1, 'New')",
      "extra-artist Artist 0", "artist-without-track Artist 0"),
    Mutation(
      "an artist has no name", "INSERT INTO ZARTIST (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (0, 1, 1, '')",
      "extra-artist Artist 0", "artist-without-track Artist 0"),
    Mutation("an artist has another version", "UPDATE ZARTIST SET Z_OPT = 2 WHERE Z_PK = 2", "value Artist 2 Z_OPT"),
    Mutation("an artist has no version", "UPDATE ZARTIST SET Z_OPT = NULL WHERE Z_PK = 2", "value Artist 2 Z_OPT"),
    Mutation(
      "an artist is of another entity", "UPDATE ZARTIST SET Z_ENT = 2 WHERE Z_PK = 2", "value Artist 2 Z_ENT"),
    Mutation("a name is bytes", "UPDATE ZARTIST SET ZNAME = CAST(ZNAME AS BLOB) WHERE Z_PK = 5", "value Artist 5 name"),
  ]

  private static let tracks = [
    Mutation("a title has another byte", "UPDATE ZTRACK SET ZTITLE = 'Onf' WHERE Z_PK = 1", "value Track 1 title"),
    Mutation(
      "a title is decomposed", "UPDATE ZTRACK SET ZTITLE = 'Fu' || char(776) || 'nf' WHERE Z_PK = 5",
      "value Track 5 title"),
    Mutation("no title became an empty one", "UPDATE ZTRACK SET ZTITLE = '' WHERE Z_PK = 9", "value Track 9 title"),
    Mutation(
      "a title is bytes", "UPDATE ZTRACK SET ZTITLE = CAST(ZTITLE AS BLOB) WHERE Z_PK = 7", "value Track 7 title"),
    Mutation(
      "a date is a moment later", "UPDATE ZTRACK SET ZLASTPLAYEDAT = ZLASTPLAYEDAT + 0.0000002 WHERE Z_PK = 1",
      "value Track 1 lastPlayedAt"),
    Mutation("an image is gone", "UPDATE ZTRACK SET ZIMAGEURL = NULL WHERE Z_PK = 5", "value Track 5 imageURL"),
    Mutation("a version is another", "UPDATE ZTRACK SET Z_OPT = 2 WHERE Z_PK = 3", "value Track 3 Z_OPT"),
    Mutation("an entity is another", "UPDATE ZTRACK SET Z_ENT = 1 WHERE Z_PK = 2", "value Track 2 Z_ENT"),
    Mutation("the last track is gone", "DELETE FROM ZTRACK WHERE Z_PK = 9", "missing-row Track 9"),
    Mutation(
      "a track is gone", "DELETE FROM ZTRACK WHERE Z_PK = 1",
      "missing-row Track 1", "dangling-link Track 1 artists", "dangling-link Track 1 artists"),
    Mutation(
      "a track is new", "INSERT INTO ZTRACK (Z_PK, Z_ENT, Z_OPT) VALUES (6, 2, 1); INSERT INTO Z_1TRACKS VALUES (1, 6)",
      "extra-row Track 6", "extra-link Track 6 artists"),
    Mutation(
      "a track has another key", "UPDATE ZTRACK SET Z_PK = 10 WHERE Z_PK = 9",
      "missing-row Track 9", "extra-row Track 10"),
  ]

  private static let store = [
    Mutation(
      "the greatest key of tracks is that of the rows", "UPDATE Z_PRIMARYKEY SET Z_MAX = 9 WHERE Z_NAME = 'Track'",
      "primary-key Track Z_MAX"),
    Mutation(
      "the greatest key of artists is too small", "UPDATE Z_PRIMARYKEY SET Z_MAX = 4 WHERE Z_NAME = 'Artist'",
      "primary-key Artist Z_MAX"),
    Mutation(
      "the greatest key of tracks is too great", "UPDATE Z_PRIMARYKEY SET Z_MAX = 21 WHERE Z_NAME = 'Track'",
      "primary-key Track Z_MAX"),
    Mutation(
      "the greatest key of artists is too great", "UPDATE Z_PRIMARYKEY SET Z_MAX = 6 WHERE Z_NAME = 'Artist'",
      "primary-key Artist Z_MAX"),
    Mutation("an entity is not numbered", "DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Artist'", "primary-key Artist"),
    Mutation(
      "an entity has another number", "UPDATE Z_PRIMARYKEY SET Z_ENT = 3 WHERE Z_NAME = 'Artist'",
      "primary-key Artist Z_ENT"),
    Mutation("the store is another", "UPDATE Z_METADATA SET Z_UUID = 'X'", "metadata Z_UUID"),
    Mutation("the model that it keeps is broken", "UPDATE Z_MODELCACHE SET Z_CONTENT = x'00'", "metadata Z_MODELCACHE"),
    Mutation("the model that it keeps is gone", "DELETE FROM Z_MODELCACHE", "metadata Z_MODELCACHE"),
    Mutation("the store has another version", "UPDATE Z_METADATA SET Z_VERSION = 2", "metadata Z_VERSION"),
    Mutation("the app's number is another", "PRAGMA user_version = 7", "metadata user_version"),
    Mutation("the app's mark is another", "PRAGMA application_id = 7", "metadata application_id"),
    Mutation("an index is gone", "DROP INDEX Z_1TRACKS_Z_2TRACKS_INDEX", "schema Z_1TRACKS_Z_2TRACKS_INDEX"),
    Mutation("a table is gone", "DROP TABLE ZARTIST", "schema ZARTIST"),
    Mutation("a column is new", "ALTER TABLE ZTRACK ADD ZRATING INTEGER", "schema ZTRACK"),
    Mutation("a value of the app's own is another", "UPDATE settings SET b = 'z' WHERE a = 2", "table settings b"),
    Mutation(
      "a whole number of the app's own is a real one", "UPDATE settings SET a = 1.0 WHERE a = 1", "table settings a"),
    Mutation("a row of the app's own is gone", "DELETE FROM settings WHERE a = 2", "table settings"),
    Mutation("a table of the app's own is gone", "DROP TABLE settings", "table settings"),
  ]
  private static let planted = [
    Mutation("an entity is too many", "INSERT INTO Z_PRIMARYKEY VALUES (9, 'Ghost', 0, 0)", "primary-key Ghost"),
    Mutation("an entity is there twice", "INSERT INTO Z_PRIMARYKEY VALUES (9, 'Track', 0, 20)", "primary-key Track"),
    Mutation(
      "metadata is there twice", "INSERT INTO Z_METADATA SELECT 2, Z_UUID, Z_PLIST FROM Z_METADATA",
      "metadata Z_METADATA"),
    Mutation(
      "metadata is there before", "INSERT INTO Z_METADATA SELECT 0, Z_UUID, Z_PLIST FROM Z_METADATA",
      "metadata Z_METADATA", "metadata Z_VERSION"),
    Mutation("a second model is kept", "INSERT INTO Z_MODELCACHE VALUES (x'00')", "metadata Z_MODELCACHE"),
    Mutation(
      "a trigger is planted", "CREATE TRIGGER t AFTER INSERT ON ZTRACK BEGIN DELETE FROM ZARTIST; END", "schema t"),
    Mutation(
      "a trigger has the name of a table", "CREATE TRIGGER ZARTIST AFTER INSERT ON ZTRACK BEGIN SELECT 1; END",
      "schema ZARTIST"),
    Mutation(
      "a trigger is on a table of the app's own",
      "CREATE TRIGGER settings AFTER INSERT ON settings BEGIN DELETE FROM ZARTIST; END", "schema settings"),
    Mutation("a view is planted", "CREATE VIEW v AS SELECT * FROM ZTRACK", "schema v"),
    Mutation("a table is planted", "CREATE TABLE p (a)", "schema p"),
    Mutation("a table is planted that looks like history", "CREATE TABLE ATRANSACTION (Z_PK)", "schema ATRANSACTION"),
    Mutation("an index is planted", "CREATE INDEX i ON ZTRACK (ZTITLE)", "schema i"),
    Mutation("an index of the app's own table is planted", "CREATE INDEX i ON settings (a)", "schema i"),
    Mutation("an index of the app's own table is gone", "DROP INDEX settings_b", "schema settings"),
    Mutation(
      "an index of the app's own table is another",
      "DROP INDEX settings_b; CREATE UNIQUE INDEX settings_b ON settings (b)", "schema settings"),
    Mutation(
      "a table of the app's own has another declaration",
      """
      ALTER TABLE settings RENAME TO former; DROP INDEX settings_b; CREATE TABLE settings (a INTEGER, b);
      CREATE INDEX settings_b ON settings (b); INSERT INTO settings SELECT * FROM former; DROP TABLE former
      """, "schema settings"),
    Mutation(
      "a table of the app's own has a column more", "ALTER TABLE settings ADD c", "schema settings"),
    Mutation("a table of the app's own compares in another way", declare("a, b COLLATE NOCASE"), "schema settings"),
    Mutation("a table of the app's own has a check", declare("a, b, CHECK (a > 0)"), "schema settings"),
    Mutation(
      "a row of the app's own has another number", "UPDATE settings SET rowid = 9 WHERE a = 2", "table settings rowid"),
    Mutation("statistics of SQLite's are planted", "ANALYZE", "schema sqlite_stat1"),
    Mutation(
      "a table of numbers is planted", "CREATE TABLE n (i INTEGER PRIMARY KEY AUTOINCREMENT); DROP TABLE n",
      "schema sqlite_sequence"),
  ]

  private static func declare(_ columns: String) -> String {
    """
    PRAGMA writable_schema = 1;
    UPDATE sqlite_schema SET sql = 'CREATE TABLE "settings" (\(columns))' WHERE type = 'table' AND name = 'settings'
    """
  }

  /// Values that look correct but have another type.
  private static let coerced =
    ["1.5", "'1x'", "x'31'"].flatMap { value in
      [
        Mutation(
          "an artist's entity is \(value)", "UPDATE ZARTIST SET Z_ENT = \(value) WHERE Z_PK = 2", "value Artist 2 Z_ENT"
        ),
        Mutation(
          "an artist's version is \(value)", "UPDATE ZARTIST SET Z_OPT = \(value) WHERE Z_PK = 2",
          "value Artist 2 Z_OPT"),
      ]
    }
    + ["2.5", "'2x'", "x'32'"].map { value in
      Mutation(
        "a track's entity is \(value)", "UPDATE ZTRACK SET Z_ENT = \(value) WHERE Z_PK = 2", "value Track 2 Z_ENT")
    }
    + ["NULL", "'abc'", "x'01'", "0.5"].map { value in
      Mutation(
        "a parent is \(value)", "UPDATE Z_PRIMARYKEY SET Z_SUPER = \(value) WHERE Z_NAME = 'Track'",
        "primary-key Track Z_SUPER")
    }
    + [
      Mutation(
        "a greatest key is text", "UPDATE Z_PRIMARYKEY SET Z_MAX = '20x' WHERE Z_NAME = 'Track'",
        "primary-key Track Z_MAX"),
      Mutation(
        "the name of an entity is bytes",
        "UPDATE Z_PRIMARYKEY SET Z_NAME = CAST(Z_NAME AS BLOB) WHERE Z_NAME = 'Track'",
        "primary-key Track", "primary-key x'547261636b'"),
      Mutation("the store's name is bytes", "UPDATE Z_METADATA SET Z_UUID = CAST(Z_UUID AS BLOB)", "metadata Z_UUID"),
      Mutation("metadata is text", "UPDATE Z_METADATA SET Z_PLIST = CAST(Z_PLIST AS TEXT)", "metadata Z_PLIST"),
      Mutation(
        "the model that it keeps is text", "UPDATE Z_MODELCACHE SET Z_CONTENT = CAST(Z_CONTENT AS TEXT)",
        "metadata Z_MODELCACHE"),
    ]
}
