import Foundation
import TestSupport
import Testing

@Suite("Primary keys that Core Data does not make")
struct OddKeyTests {
  let folder: TemporaryFolder
  private let columns = "Z_ENT INTEGER, Z_OPT INTEGER, ZLASTPLAYEDAT, ZARTISTNAME, ZIMAGEURL, ZJSON, ZTITLE"

  init() throws { folder = try TemporaryFolder() }

  /// Makes a library whose track table has another primary key.
  private func library(_ key: String, _ changes: String = "") throws -> String {
    let library = try folder.library()
    try Database.run(
      """
      ALTER TABLE ZTRACK RENAME TO OLD; CREATE TABLE ZTRACK (\(key.replacing("COLUMNS", with: columns));
      INSERT INTO ZTRACK (Z_PK, Z_ENT, Z_OPT, ZLASTPLAYEDAT, ZARTISTNAME, ZIMAGEURL, ZJSON, ZTITLE) SELECT * FROM OLD;
      DROP TABLE OLD; \(changes)
      """, in: library)
    return library
  }

  @Test(arguments: [
    ("Z_PK INTEGER PRIMARY KEY DESC, COLUMNS)", "UPDATE ZTRACK SET Z_PK = NULL WHERE Z_PK = 2"),
    ("Z_PK VARCHAR PRIMARY KEY, COLUMNS)", ""), ("Z_PK INT PRIMARY KEY, COLUMNS)", ""),
    ("Z_PK PRIMARY KEY, COLUMNS) WITHOUT ROWID", "UPDATE ZTRACK SET Z_PK = 'x' || Z_PK"),
    ("Z_PK INTEGER PRIMARY KEY, COLUMNS) WITHOUT ROWID", ""),
    ("Z_PK INTEGER, COLUMNS)", "UPDATE ZTRACK SET Z_PK = 4 WHERE Z_PK = 5"),
    ("Z_PK REAL, COLUMNS)", "UPDATE ZTRACK SET Z_PK = Z_PK + 0.5"),
    ("Z_PK INTEGER, COLUMNS, PRIMARY KEY (Z_PK, Z_ENT))", ""),
    ("Z_PK INTEGER, other INTEGER PRIMARY KEY, COLUMNS)", ""),
  ])
  func `Rows that a migration would skip stop it`(key: String, changes: String) throws {
    let library = try library(key, changes)
    let before = try folder.snapshot()
    for more in [[], ["--strict"], ["--output", folder.file("New.sqlite")], ["--dry-run"]] {
      let result = try CommandRunner([library] + more).run()
      #expect(result.status == 65, "\(result)")
      #expect(result.stderr.contains("rows of 'ZTRACK' may have no key or share one, since 'Z_PK' is"), "\(result)")
      #expect(result.stderr.contains("create this table again with 'Z_PK INTEGER PRIMARY KEY'"))
      #expect(try folder.snapshot() == before)
    }
  }

  @Test(arguments: [
    "Z_PK INTEGER PRIMARY KEY AUTOINCREMENT, COLUMNS)", "z_pk integer NOT NULL PRIMARY KEY ASC, COLUMNS)",
    "Z_PK INTEGER, COLUMNS, PRIMARY KEY (Z_PK DESC))",
  ])
  func `Other spellings of the usual primary key are carried over`(key: String) throws {
    let library = try library(key)
    try successfully(library, "--verify")
    #expect(try Rows.migrated(library) == [TrackRow].fewMigrated)
  }

  @Test(arguments: [
    "UPDATE ZTRACK SET Z_PK = -Z_PK", "UPDATE ZTRACK SET Z_PK = Z_PK - 3",
    "UPDATE ZTRACK SET Z_PK = 9223372036854775802 + Z_PK",
    "UPDATE ZTRACK SET Z_PK = -9223372036854775808 WHERE Z_PK = 2",
    "UPDATE ZTRACK SET Z_PK = CASE Z_PK WHEN 1 THEN 9223372036854775807 ELSE -9223372036854775803 - Z_PK END",
    "UPDATE ZTRACK SET Z_ENT = 77", "UPDATE ZTRACK SET Z_ENT = NULL", "UPDATE ZTRACK SET Z_ENT = 'x'",
  ])
  func `Unusual keys and entity numbers lose no track`(changes: String) throws {
    let library = try folder.library()
    try Database.run(changes, in: library)
    try successfully(library, "--verify")
    #expect(try Database.value("SELECT count(*) FROM ZTRACK", in: library) == "5")
    #expect(try Database.isWhole(library))
  }

  @Test(arguments: [
    ("Z_PK INTEGER PRIMARY KEY DESC", "UPDATE ZNOTE SET Z_PK = NULL WHERE Z_PK = 7"),
    ("Z_PK VARCHAR", "UPDATE ZNOTE SET Z_PK = 'k' || Z_PK"), ("Z_PK INTEGER", "UPDATE ZNOTE SET Z_PK = 1"),
  ])
  func `Rows of an app's store that a migration would skip stop it`(key: String, changes: String) throws {
    let store = try SampleStore("Notes")
    let rest = try store.rows("SELECT name || ' ' || type FROM pragma_table_info('ZNOTE') WHERE name <> 'Z_PK'")
    try Database.run(
      """
      ALTER TABLE ZNOTE RENAME TO OLD; CREATE TABLE ZNOTE (\(([key] + rest).joined(separator: ", ")));
      INSERT INTO ZNOTE SELECT * FROM OLD; \(changes); DROP TABLE OLD
      """, in: store.path)
    let error = try store.refuse(65)
    #expect(error.contains("rows of 'ZNOTE' may have no key or share one, since 'Z_PK' is"), "\(error)")
    #expect(try store.refuse(65, "--to", "Notes 2", "--strict") == error)
  }

  @Test(arguments: [
    "Z_1ARTISTS INTEGER, Z_2TRACKS INTEGER", "Z_2TRACKS, Z_1ARTISTS", "Z_1ARTISTS TEXT, Z_2TRACKS TEXT",
  ])
  func `Join tables without a key carry each link over once and report dangling links`(columns: String) throws {
    let store = try folder.library()
    try successfully(store, "--no-backup", "-q")
    let model = try folder.makeFolder("T.xcdatamodeld")
    for (name, attribute) in [("A", ""), ("B", #"<attribute name="rating" optional="YES" attributeType="String"/>"#)] {
      let xml = try Files.text(SampleStore.data("Tracks/Tracks.xcdatamodeld/Tracks 2.xcdatamodel/contents"))
      _ = try folder.makeFolder("T.xcdatamodeld/\(name).xcdatamodel")
      try folder.write(
        Array(xml.replacing(#"<attribute name="title""#, with: attribute + #"<attribute name="title""#).utf8),
        to: "T.xcdatamodeld/\(name).xcdatamodel/contents")
    }
    let links = try Database.rows("SELECT Z_1ARTISTS, Z_2TRACKS FROM Z_1TRACKS ORDER BY 1, 2", in: store)
    try Database.run(
      """
      ALTER TABLE Z_1TRACKS RENAME TO OLD; CREATE TABLE Z_1TRACKS (\(columns));
      INSERT INTO Z_1TRACKS (Z_1ARTISTS, Z_2TRACKS) SELECT * FROM OLD UNION ALL SELECT * FROM OLD
        UNION ALL VALUES (NULL, 1), (1, NULL), (1, 999), (-3, 1), (x'31', 1);
      DROP TABLE OLD
      """, in: store)
    let result = try successfully(store, "--model", model, "--to", "B")
    #expect(try Database.rows("SELECT Z_1ARTISTS, Z_2TRACKS FROM Z_1TRACKS ORDER BY 1, 2", in: store) == links)
    #expect(result.stderr.contains("links left out: Artist.tracks: 2 instances refer to missing rows"), "\(result)")
    #expect(result.stderr.contains("links left out: Track.artists: 3 instances refer to missing rows"), "\(result)")
  }
}
