import Foundation
import TestSupport
import Testing

@Suite("A library with a hostile schema")
struct WideSchemaTests {
  let folder: TemporaryFolder
  let library: String

  init() throws {
    folder = try TemporaryFolder(isInMemory: true)
    library = try folder.library()
  }

  private static let columns =
    "Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLASTPLAYEDAT TIMESTAMP, "
    + "ZARTISTNAME VARCHAR, ZIMAGEURL VARCHAR, ZJSON VARCHAR, ZTITLE VARCHAR"

  /// Returns the columns of a track, with more columns up to this number.
  private func columns(_ count: Int) -> String {
    Self.columns + (9...count).map { ", c\($0) VARCHAR" }.joined()
  }

  /// How often a migration of a library with an app's own tables searches all of its schema.
  private func searches(tables count: Int) throws -> Int {
    let path = try folder.library("\(count).sqlite")
    let tables = (0..<count).map { "CREATE TABLE own\($0) (a); CREATE INDEX byA\($0) ON own\($0) (a);" }
    try Database.run(tables.joined(), in: path)
    let result = try tracksMigrate(path, "-com.apple.CoreData.SQLDebug", "1")
    #expect(result.status == 0, "\(result)")
    #expect(try Database.rows("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'own%'", in: path) == ["\(count)"])
    return result.stderr.split(separator: "\n").count { $0.contains("sql: SELECT") && $0.contains("sqlite_schema") }
  }

  @Test func `Each table of an app's own is found without another search of the whole schema`() throws {
    #expect(try searches(tables: 2) == searches(tables: 40))
  }

  @Test func `A library with as many columns as SQLite allows is migrated`() throws {
    let rows = try Rows.tracks(library)
    try Database.run(
      """
      ALTER TABLE ZTRACK RENAME TO narrow; CREATE TABLE ZTRACK (\(columns(2000)));
      INSERT INTO ZTRACK SELECT *\(String(repeating: ", NULL", count: 1992)) FROM narrow;
      UPDATE ZTRACK SET c2000 = 'kept behind' WHERE Z_PK = 3; DROP TABLE narrow;
      CREATE TABLE own (\((1...2000).map { "d\($0)" }.joined(separator: ", "))); INSERT INTO own (d2000) VALUES (7)
      """, in: library)
    try successfully(library)
    #expect(try Rows.tracks(library) == rows)
    #expect(try Rows.migrated(library) == [TrackRow].fewMigrated)
    #expect(try Database.rows("SELECT d1, d2000 FROM own", in: library) == ["NULL|7"])
    #expect(try Files.text(library + ".migration.json").contains(#""ZTRACK.c2000" : 1"#))
    try successfully("verify", library, "--source", library + ".v1-backup")
  }

  @Test(arguments: [2001, 10_000, 40_000])
  func `A library with more columns than SQLite allows is reported as damaged`(count: Int) throws {
    try Database.run(
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = 'CREATE TABLE ZTRACK (\(columns(count)))' WHERE name = 'ZTRACK'
      """, in: library)
    try requireDamage()
  }

  @Test(arguments: ["name", "tbl_name", "sql"]) func `A NUL character in the schema is handled`(column: String) throws {
    try Database.run(
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET \(column) = substr(\(column), 1, 14) || char(0) || substr(\(column), 15)
      WHERE name = 'ZTRACK'
      """, in: library)
    try requireDamage(orSuccess: column != "sql")
  }

  private func requireDamage(orSuccess mayWork: Bool = false) throws {
    let before = try folder.snapshot()
    for arguments in [["info", library], [library, "--dry-run"], [library, "--output", folder.file("New.sqlite")]] {
      let result = try CommandRunner(arguments).run()
      if mayWork, result.status == 0 { continue }
      #expect(result.status == 65, "\(result)")
      #expect(result.stderr.hasPrefix("tracks-migrate: error: '\(library)' is "))
      #expect(result.stderr.count < 1000)
      #expect(try folder.snapshot() == before)
    }
  }

  @Test func `Tables and columns named like SQL statements are handled`() throws {
    let table = #""b'; DROP TABLE ""ZTRACK""; --""#
    try Database.run(
      """
      CREATE TABLE \(table) ("); DELETE FROM Z_METADATA; --", "a""b" TEXT, [;] INTEGER, `$x` BLOB, "🎵\u{1}\n" TEXT);
      INSERT INTO \(table) VALUES (1, 'two', 3, x'04', 'five');
      CREATE INDEX "i'; --" ON \(table) ("a""b", [;]);
      ALTER TABLE ZTRACK ADD COLUMN "z'; DROP TABLE ZTRACK; --" TEXT;
      UPDATE ZTRACK SET "z'; DROP TABLE ZTRACK; --" = 'left' WHERE Z_PK = 1
      """, in: library)
    let result = try successfully(library)
    #expect(try Rows.migrated(library) == [TrackRow].fewMigrated)
    #expect(try Database.rows("SELECT * FROM \(table)", in: library) == ["1|two|3|x'04'|five"])
    #expect(result.stderr.contains("ZTRACK.z'; DROP TABLE ZTRACK; --"))
    #expect(try Database.isWhole(library))
    try successfully("verify", library, "--source", library + ".v1-backup")
  }
}
