import Foundation
import TestSupport
import Testing

@Suite("What the model has no place for")
struct ForeignContentTests {
  private let folder: TemporaryFolder
  private let library: String

  init() throws {
    folder = try TemporaryFolder()
    library = try folder.library()
    try Database.run(
      """
      CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, ZAUTHOR VARCHAR);
      INSERT INTO ATRANSACTION VALUES (1, 'app'), (2, 'app');
      ALTER TABLE ZTRACK ADD COLUMN ZRATING INTEGER;
      UPDATE ZTRACK SET ZRATING = 5 WHERE Z_PK = 1;
      PRAGMA user_version = 7; PRAGMA application_id = 99;
      """, in: library)
  }

  @Test func `is named in the summary and in the statistics`() throws {
    let result = try successfully(library)
    #expect(
      result.stderr.contains(
        "left behind                2  tables, columns or links that the new library does not have:"))
    #expect(result.stderr.contains("ATRANSACTION: 2 rows"))
    #expect(result.stderr.contains("ZTRACK.ZRATING: 1 row\n"))
    let report = try Files.text(library + ".migration.json")
    #expect(report.contains("\"ATRANSACTION\" : 2"))
    #expect(report.contains("\"ZTRACK.ZRATING\" : 1"))
    #expect(try Rows.migrated(library) == [TrackRow].fewMigrated)
  }

  @Test func `makes a strict migration fail, with nothing changed`() throws {
    let before = try folder.snapshot()
    let result = try tracksMigrate(library, "--strict")
    #expect(result.status == 65)
    #expect(result.stderr.contains("ATRANSACTION (2), ZTRACK.ZRATING (1)"))
    #expect(try folder.snapshot() == before)
  }

  @Test func `does not include the app's numbers in the header, which are kept`() throws {
    try successfully(library)
    #expect(try Database.rows("PRAGMA user_version", in: library) == ["7"])
    #expect(try Database.rows("PRAGMA application_id", in: library) == ["99"])
  }
}
