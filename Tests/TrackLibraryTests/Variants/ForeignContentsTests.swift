import DataModel
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing
import TrackLibrary

@Suite("Data outside the model") final class ForeignContentsTests {
  private let folder: TemporaryFolder
  private var path: String { folder.file("L.sqlite") }

  init() throws { folder = try TemporaryFolder() }

  private func write(_ sql: String, _ library: OwnModelLibrary = .required) throws {
    try library.write(to: path)
    try Database.run(sql, in: path)
  }

  private func strictDetail() throws -> String {
    var migration = LibraryMigration(path: path)
    migration.isStrict = true
    let before = try folder.snapshot()
    let error = #expect(throws: MigrationError.self) { try migration.run() }
    #expect(error?.code == .strictFindings)
    #expect(try folder.snapshot() == before)
    return error?.detail ?? ""
  }

  private static let appTable = """
    CREATE TABLE "App's settings" (key TEXT PRIMARY KEY, value);
    CREATE INDEX app_index ON "App's settings" (value);
    INSERT INTO "App's settings" VALUES ('theme', 'dark'), ('ünïcode', x'00FF');
    """

  @Test func `The app's own tables are kept and named`() throws {
    try write(Self.appTable)
    let before = try Database.rows("SELECT rowid, * FROM \"App's settings\"", in: path)
    let report = try migrated(LibraryMigration(path: path))
    #expect(report.keptCountByName == ["App's settings": 2])
    #expect(report.leftBehindCountByName.isEmpty && report.leftBehindReasonByName == nil)
    #expect(try Database.rows("SELECT rowid, * FROM \"App's settings\"", in: path) == before)
    #expect(try Database.rows("SELECT 1 FROM sqlite_schema WHERE name = 'app_index'", in: path) == ["1"])
    #expect(try MigrationReport.read(forLibraryAt: path) == report)
  }

  @Test func `A strict migration keeps the app's own tables too`() throws {
    try write(Self.appTable + "UPDATE ZTRACK SET ZJSON = \(OwnModelLibrary.json("A"));")
    var migration = LibraryMigration(path: path)
    migration.isStrict = true
    #expect(try migrated(migration).keptCountByName == ["App's settings": 2])
  }

  @Test func `Persistent history, mirroring tables and unknown columns are left behind`() throws {
    try write(
      """
      CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, ZAUTHOR VARCHAR); INSERT INTO ATRANSACTION VALUES (1, 'app');
      CREATE TABLE ANSCKDATABASEMETADATA (Z_PK INTEGER PRIMARY KEY);
      ALTER TABLE ZTRACK ADD COLUMN ZLOST INTEGER; UPDATE ZTRACK SET ZLOST = 1;
      """)
    #expect(
      try strictDetail()
        == "the new file would not have the data in ANSCKDATABASEMETADATA (0), ATRANSACTION (1), ZTRACK.ZLOST (2)")
    let report = try migrated(LibraryMigration(path: path))
    #expect(
      report.leftBehindCountByName == ["ATRANSACTION": 1, "ANSCKDATABASEMETADATA": 0, "ZTRACK.ZLOST": 2])
    #expect(
      report.leftBehindReasonByName == [
        "ATRANSACTION": "persistent-history", "ANSCKDATABASEMETADATA": "cloudkit-mirror",
        "ZTRACK.ZLOST": "not-in-model",
      ])
    #expect(report.keptCountByName == nil)
  }

  @Test func `Schema objects that would run code are left behind with a reason`() throws {
    try write(
      """
      UPDATE ZTRACK SET ZJSON = \(OwnModelLibrary.json("A"));
      CREATE TABLE checked (a CHECK (a > 0)); INSERT INTO checked VALUES (1), (2);
      CREATE TABLE plain (a); CREATE TRIGGER tripwire AFTER INSERT ON plain BEGIN DELETE FROM plain; END;
      CREATE TABLE ZARTIST (a);
      """)
    #expect(try strictDetail() == "'tripwire' cannot be carried over: it is a trigger, which would have to be run")
    try Database.run("DROP TRIGGER tripwire", in: path)
    #expect(
      try strictDetail()
        == "'ZARTIST' cannot be carried over: its name is taken by a table or index of the new version")
    try Database.run("CREATE TRIGGER tripwire AFTER INSERT ON plain BEGIN DELETE FROM plain; END", in: path)
    let report = try migrated(LibraryMigration(path: path))
    #expect(report.leftBehindCountByName == ["ZARTIST": 0, "checked": 2])
    #expect(
      report.leftBehindReasonByName == ["ZARTIST": "name-taken", "checked": "expression", "tripwire": "trigger"])
    #expect(report.keptCountByName == ["plain": 0])
  }

  @Test func `Rows of no entity are reported`() throws {
    try write(
      "INSERT INTO ZMEDIA (Z_PK, Z_ENT, ZTITLE) VALUES (50, 99, 'x'), (51, NULL, 'y'), (52, 2, 'abstract')", .inherited)
    #expect(try strictDetail() == "the new file would not have the data in ZMEDIA: rows of no entity (3)")
    let report = try migrated(LibraryMigration(path: path))
    #expect(report.leftBehindCountByName == ["ZMEDIA: rows of no entity": 3])
    #expect(report.leftBehindReasonByName == ["ZMEDIA: rows of no entity": "no-entity"])
  }

  @Test(arguments: ["'Foo'", "NULL", "'track'"])
  func `includes a number that is given to an entity of another name`(name: String) throws {
    try write("UPDATE ZTRACK SET ZJSON = \(OwnModelLibrary.json("A")); UPDATE Z_PRIMARYKEY SET Z_NAME = \(name)")
    #expect(try strictDetail() == "the new file would not have the data in Z_PRIMARYKEY: rows of no entity (1)")
    let report = try migrated(LibraryMigration(path: path))
    #expect(report.leftBehindCountByName == ["Z_PRIMARYKEY: rows of no entity": 1])
    #expect(report.leftBehindReasonByName == ["Z_PRIMARYKEY: rows of no entity": "no-entity"])
    #expect(try Database.rows("SELECT Z_NAME FROM Z_PRIMARYKEY", in: path) == ["Artist", "Track"])
  }

  @Test func `does not include the name that an entity had before it was renamed`() throws {
    let track = EntityDescription(
      "Track", renamingIdentifier: "Song",
      attributes: [OwnModelLibrary.text("artistName"), OwnModelLibrary.text("json")])
    try write("UPDATE Z_PRIMARYKEY SET Z_NAME = 'Song'", OwnModelLibrary("renamed", [track], []))
    var migration = LibraryMigration(path: path)
    migration.trackOptions.isStrict = true
    #expect(try migrated(migration).leftBehindCountByName.isEmpty)
  }

  @Test func `An index that the model loses stops a strict migration`() throws {
    let track = EntityDescription(
      "Track", attributes: [OwnModelLibrary.text("artistName"), OwnModelLibrary.text("json")],
      fetchIndexes: [FetchIndexDescription("byJSON", properties: ["json"])])
    try write("", OwnModelLibrary("indexed", [track], []))
    #expect(try strictDetail() == "the fetch index byJSON of Track is gone")
  }

  @Test(arguments: [nil, "New.sqlite"])
  func `External data files are kept`(output: String?) throws {
    let cover = AttributeDescription("cover", .binaryData, allowsExternalBinaryDataStorage: true)
    let name = "6D3A3F1E-0C55-4C6B-9F0E-1A2B3C4D5E6F"
    let value = "x'02\(name.utf8.map { String($0, radix: 16) }.joined())00'"
    let track = EntityDescription(
      "Track", attributes: [OwnModelLibrary.text("artistName"), OwnModelLibrary.text("json"), cover])
    try write(
      "INSERT INTO ZTRACK (Z_PK, Z_ENT, Z_OPT, ZCOVER) VALUES (1, 1, 1, \(value))",
      OwnModelLibrary("covers", [track], []))
    _ = try folder.makeFolder(".L_SUPPORT/_EXTERNAL_DATA")
    try Files.write("picture", to: folder.file(".L_SUPPORT/_EXTERNAL_DATA/\(name)"))
    var migration = LibraryMigration(path: path)
    migration.outputPath = output.map(folder.file)
    _ = try migrated(migration)
    let result = output ?? "L.sqlite"
    #expect(try Database.rows("SELECT ZCOVER = \(value) FROM ZTRACK", in: folder.file(result)) == ["1"])
    let folders = try folder.listing().filter { $0.hasSuffix("_SUPPORT") }
    #expect(folders.count == 2, "\(folders)")
    for support in folders {
      #expect(try Files.text(folder.file("\(support)/_EXTERNAL_DATA/\(name)")) == "picture")
    }
  }
}
