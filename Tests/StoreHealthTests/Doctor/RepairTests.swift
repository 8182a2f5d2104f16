import DataModel
import MigrationDiagnostics
import MigrationTesting
import PersistentStore
import SQLiteDatabase
import TestSupport
import Testing

@testable import StoreHealth

@Suite("The repair of a store")
struct RepairTests {
  @Test(arguments: Damage.all) func `A store is mended, left alone or refused`(damage: Damage) throws {
    let fixture = try HealthFixture()
    let healthy = try fixture.contents()
    try damage.make(fixture)
    let before = try fixture.folder.snapshot().contents
    let repair = StoreRepair(fixture.examination)
    switch damage.end {
    case .refused:
      let error = #expect(throws: MigrationError.self) { try repair.run() }
      #expect(error?.code == .damaged && error?.exitStatus == 65)
      #expect(error?.advice?.worded(\.swiftName).contains("'StoreSalvage'") == true)
      #expect(try fixture.folder.snapshot().contents == before)
    case .left:
      let outcome = try repair.run()
      #expect(outcome.after == nil && outcome.deeds == [] && outcome.backupPath == nil)
      #expect(try fixture.folder.snapshot().contents == before)
    case .repaired, .healed:
      let outcome = try repair.run()
      let remaining: [Finding.Code] = if case .repaired(let codes) = damage.end { codes } else { [] }
      #expect(outcome.after?.findings.map(\.code) == remaining, "\(outcome)")
      #expect(!outcome.deeds.isEmpty)
      #expect(Set(outcome.before.findings.map(\.code)) == damage.codes)
      if damage.end == .healed { #expect(try fixture.contents() == healthy) }
      #expect(try fixture.examination.run().findings.map(\.code) == remaining)
      #expect(try Database.isWhole(fixture.path))
      #expect(try fixture.folder.listing().filter { $0.contains("tracks-migrate") } == [])
    }
  }

  @Test func `The store as it was is kept with its external data files`() throws {
    let fixture = try HealthFixture("UPDATE Z_PRIMARYKEY SET Z_MAX = 1")
    let bytes = try Files.bytes(fixture.path)
    let outcome = try StoreRepair(fixture.examination).run()
    #expect(outcome.backupPath == fixture.path + ".unrepaired-backup")
    #expect(try Files.bytes(fixture.path + ".unrepaired-backup") == bytes)
    let folder = fixture.folder.file(".H.sqlite_SUPPORT/_EXTERNAL_DATA")
    #expect(try Files.listing(folder) == [HealthFixture.file])
  }

  @Test func `A missing column of a required attribute gets the default value of the model`() throws {
    let fixture = try HealthFixture("ALTER TABLE ZMEDIA DROP COLUMN ZCODE")
    let outcome = try StoreRepair(fixture.examination).run()
    #expect(outcome.deeds == ["added the column 'ZMEDIA.ZCODE' (values that it had before are not brought back)"])
    #expect(try Database.rows("SELECT DISTINCT ZCODE FROM ZMEDIA", in: fixture.path) == ["7"])
  }

  @Test func `A missing column of unique values is not filled with one value`() throws {
    let fixture = try HealthFixture()
    let model = TrackModels.model([
      EntityDescription(
        "Tag", uniquenessConstraints: [["code"]],
        attributes: [
          AttributeDescription("code", .integer32, isOptional: false, defaultValue: .integer(7)),
          AttributeDescription("name", .string),
        ])
    ])
    let path = fixture.folder.file("U.sqlite")
    try StoreFixture(model: model, rowCount: 5).write(to: path)
    try Database.run("DROP INDEX Z_Tag_UNIQUE_code; ALTER TABLE ZTAG DROP COLUMN ZCODE", in: path)
    let before = try Files.bytes(path)
    let outcome = try StoreRepair(StoreExamination(path: path, candidates: [])).run()
    #expect(outcome.before.findings.map(\.code) == [.missingColumn] && outcome.deeds == [], "\(outcome)")
    #expect(try Files.bytes(path) == before)
  }

  @Test func `A count is made again with its triggers`() throws {
    let fixture = try HealthFixture(
      "DROP TRIGGER Z_DA_ZMEDIA_Album_count_PARAMETER_DELETE; UPDATE ZALBUM SET ZCOUNT = 99")
    _ = try StoreRepair(fixture.examination).run()
    #expect(try Database.rows("SELECT ZCOUNT FROM ZALBUM ORDER BY Z_PK", in: fixture.path) == ["2", "1", "0"])
  }

  @Test func `The entity of a link whose destination is missing stays`() throws {
    let fixture = try HealthFixture(
      """
      UPDATE ZCOVER SET ZMEDIA = 99, Z3_MEDIA = 4 WHERE Z_PK = 2; UPDATE ZMEDIA SET ZCOVER = NULL WHERE Z_PK = 4;
      UPDATE ZCOVER SET Z3_MEDIA = 98 WHERE Z_PK = 1
      """)
    _ = try StoreRepair(fixture.examination).run()
    #expect(try Database.rows("SELECT ZMEDIA, Z3_MEDIA FROM ZCOVER", in: fixture.path) == ["1|3", "99|4", "NULL|NULL"])
  }

  @Test func `Links that more than one row could mean are left as they are`() throws {
    let fixture = try HealthFixture(
      "UPDATE ZCOVER SET ZMEDIA = NULL, Z3_MEDIA = NULL; UPDATE ZMEDIA SET ZCOVER = 1 WHERE Z_PK = 2")
    let outcome = try StoreRepair(fixture.examination).run()
    // The cover 2 is named by one row; the cover 1 by two.
    #expect(
      try Database.rows("SELECT ZMEDIA, Z3_MEDIA FROM ZCOVER", in: fixture.path) == ["NULL|NULL", "4|4", "NULL|NULL"])
    #expect(outcome.after?.findings.map(\.code) == [.contradictingLink])
  }

  @Test func `Missing parts are made in several rounds`() throws {
    let fixture = try HealthFixture(
      """
      DELETE FROM ZZONE; DELETE FROM ZTAG; DROP TABLE Z_3TAGS; ALTER TABLE ZMEDIA DROP COLUMN ZKEY;
      DROP INDEX ZCOVER_ZMEDIA_INDEX; UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'Media';
      UPDATE ZCOVER SET ZMEDIA = NULL WHERE Z_PK = 1
      """)
    let outcome = try StoreRepair(fixture.examination).run()
    #expect(outcome.after?.findings == [])
    #expect(
      outcome.deeds.filter { $0.hasPrefix("made") || $0.hasPrefix("added") }.sorted() == [
        "added the column 'ZMEDIA.ZKEY' (values that it had before are not brought back)",
        "made the index 'ZCOVER_ZMEDIA_INDEX' of 'ZCOVER'",
        "made the index 'Z_3TAGS_Z_5TAGS_INDEX' of 'Z_3TAGS'", "made the table 'Z_3TAGS', which has no rows",
      ])
  }

  @Test func `A store that another program has open is refused`() throws {
    let fixture = try HealthFixture("UPDATE Z_PRIMARYKEY SET Z_MAX = 1")
    let other = try Connection(path: fixture.path, access: .readWrite)
    try other.execute("BEGIN IMMEDIATE")
    var repair = StoreRepair(fixture.examination)
    repair.examination.waiting = WaitPolicy(limit: .zero)
    let error = #expect(throws: MigrationError.self) { try repair.run() }
    #expect(error?.exitStatus == 75)
    try other.execute("ROLLBACK")
    #expect(try fixture.folder.listing() == [".H_SUPPORT", "H.sqlite"])
  }

  @Test(arguments: [
    "DELETE FROM ZTAG WHERE Z_PK = 1", "UPDATE ZTAG SET ZNAME = 'other' WHERE Z_PK = 1",
    "UPDATE ZMEDIA SET ZALBUM = NULL WHERE Z_PK = 1", "DELETE FROM Z_3TAGS WHERE Z_3MEDIA = 4",
    "UPDATE ZTAG SET Z_PK = 7 WHERE Z_PK = 1", "UPDATE ZMEDIA SET ZDATA = x'0142' WHERE Z_PK = 1",
  ])
  func `A copy that has lost something does not replace the store`(change: String) throws {
    let (fixture, copy, same) = (try HealthFixture(), try HealthFixture(change), try HealthFixture())
    let store = try StoreReader(path: fixture.path)
    let verification = RepairVerification(of: copy.path, madeFrom: store, computedColumns: [])
    let error = #expect(throws: MigrationError.self) { try verification.run() }
    #expect(error?.code == .verificationFailed)
    try RepairVerification(of: same.path, madeFrom: store, computedColumns: []).run()
  }
}
