import DataModel
import Migration
import MigrationDiagnostics
import PersistentStore
import SQLiteDatabase
import TestSupport
import Testing

@Suite("Migrations of an app's store over several hops")
struct StoreMigrationTests {
  private static let notes = "SELECT Z_PK, ZTITLE, ZCOUNT FROM ZNOTE ORDER BY 1"
  private static let migrated = ["1|one|NULL", "2|zwölf \"12\" 😀|NULL", "9|NULL|NULL"]

  @Test func `A migration replaces the store, keeps the old one and leaves no intermediate files`() throws {
    let store = try AppStore(NoteVersions.all(), NoteVersions.rows)
    let before = try Files.bytes(store.path)
    let result = try store.result()
    #expect(try store.rows(Self.notes) == Self.migrated)
    #expect(try store.rows("SELECT Z_MAX FROM Z_PRIMARYKEY") == ["12"])
    #expect(try Database.integrity(store.path) == ["ok"])
    #expect(try store.names() == ["App.sqlite", "App.sqlite.V1-backup"])
    #expect(try Files.bytes(store.path + ".V1-backup") == before)
    #expect(result.steps.map(\.sourceName) == ["V1", "V2"])
    #expect(result.backupPath == store.path + ".V1-backup")
    #expect(result.rejectsPath == nil)
    #expect(
      (result.sourceSize, result.destinationSize) == (Int64(before.count), Int64(try Files.bytes(store.path).count)))
  }

  @Test func `A repeated migration has nothing to do and writes nothing`() throws {
    let store = try AppStore(NoteVersions.all(), NoteVersions.rows)
    _ = try store.result()
    let before = try store.snapshot()
    var migration = store.migration
    migration.outputPath = store.folder.file("New.sqlite")
    for migration in [migration, store.migration] {
      guard case .alreadyCurrent(let version) = try migration.run() else { throw MigrationError(.migrationFailed) }
      #expect(version.name == "V3")
    }
    #expect(try store.snapshot() == before)
  }

  @Test func `A migration to a new file keeps the store unchanged and always gives the same bytes`() throws {
    let store = try AppStore(NoteVersions.all(), NoteVersions.rows)
    let before = try store.snapshot()
    var migration = store.migration
    for name in ["A.sqlite", "B.sqlite"] {
      migration.outputPath = store.folder.file(name)
      #expect(try store.result(migration).backupPath == nil)
    }
    #expect(try store.names() == ["A.sqlite", "App.sqlite", "B.sqlite"])
    #expect(try Files.bytes(store.path) == before["App.sqlite"])
    #expect(try Files.bytes(store.folder.file("A.sqlite")) == Files.bytes(store.folder.file("B.sqlite")))
    #expect(try store.rows(Self.notes, in: store.folder.file("A.sqlite")) == Self.migrated)
  }

  @Test func `A migration without a backup keeps none`() throws {
    let store = try AppStore(NoteVersions.all(), NoteVersions.rows)
    var migration = store.migration
    migration.keepsBackup = false
    _ = try store.result(migration)
    #expect(try store.names() == ["App.sqlite"])
  }

  @Test func `A migration can stop at a given version and go back`() throws {
    let store = try AppStore(NoteVersions.all(), NoteVersions.rows)
    var migration = store.migration
    migration.destinationVersionName = "V2"
    _ = try store.result(migration)
    #expect(try store.rows("SELECT ZTITLE FROM ZNOTE WHERE Z_PK = 1") == ["one"])
    migration.destinationVersionName = "V3"
    _ = try store.result(migration)
    migration.destinationVersionName = "V2"
    _ = try store.result(migration)
    #expect(
      try store.names() == ["", ".V1-backup", ".V2-backup", ".V3-backup"].map { "App.sqlite\($0)" })
    migration.destinationVersionName = "V7"
    let error = try store.refusal(migration)
    #expect(error.code == .noMigrationPath)
    #expect(error.detail == "there is no version 'V7'; the versions are 'V1', 'V2', 'V3'")
  }

  @Test(arguments: [
    FileLayout(pageSize: 1024, autoVacuum: 0, encoding: "UTF-16be"),
    FileLayout(pageSize: 65536, autoVacuum: 1, encoding: "UTF-16le"),
  ])
  func `The file layout is kept`(layout: FileLayout) throws {
    let store = try AppStore(NoteVersions.all(), layout: layout, NoteVersions.rows)
    _ = try store.result()
    #expect(try store.rows(Self.notes) == Self.migrated)
    for (pragma, value) in [
      ("page_size", "\(layout.pageSize)"), ("auto_vacuum", "\(layout.autoVacuum)"), ("encoding", layout.encoding),
    ] {
      #expect(try store.rows("PRAGMA \(pragma)") == [value])
    }
  }

  @Test(arguments: [false, true]) func `Rows that are only in the write-ahead log are migrated`(isOutput: Bool) throws {
    let store = try AppStore(NoteVersions.all(), name: "Ein \"Name\" mit ü.store")
    // A connection that dies leaves its log; a copy of both files is the same.
    let live = store.folder.file("live")
    try Files.copy(store.path, to: live)
    let connection = try Connection(path: live, access: .readWrite, busyTimeout: 0)
    try connection.execute("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; \(NoteVersions.rows)")
    for suffix in ["", "-wal"] {
      Files.remove(store.path + suffix)
      try Files.copy(live + suffix, to: store.path + suffix)
    }
    try connection.close()
    for suffix in ["", "-wal", "-shm"] { Files.remove(live + suffix) }
    let log = try Files.bytes(store.path + "-wal")
    #expect(log.count > 1000)
    var migration = store.migration
    if isOutput { migration.outputPath = store.folder.file("New.sqlite") }
    let result = try store.result(migration)
    #expect(try store.rows(Self.notes, in: result.path) == Self.migrated)
    if isOutput {
      #expect(try Files.bytes(store.path + "-wal") == log)
    } else {
      #expect(!Files.exists(store.path + "-wal"))
      #expect(try store.rows("SELECT count(*) FROM ZNOTE", in: store.path + ".V1-backup") == ["3"])
    }
  }

  @Test func `A migration can start from a version that only the store contains`() throws {
    let versions = NoteVersions.all()
    let store = try AppStore(versions, NoteVersions.rows)
    var first = store.migration
    first.destinationVersionName = "V2"
    _ = try store.result(first)
    var migration = StoreMigration(path: store.path, versions: [store.versions[2]])
    let result = try store.result(migration)
    #expect(result.plan.source.name == MigrationPlanner.cachedVersionName)
    #expect(try store.rows(Self.notes) == Self.migrated)
    #expect(result.backupPath == store.path + ".old-backup")
    migration = StoreMigration(path: store.path + ".V1-backup", versions: [store.versions[2]])
    // The first store was written without a copy of its model.
    #expect(try store.refusal(migration).code == .unknownVersion)
  }

  @Test func `An unreadable copy of the model does not prevent a migration`() throws {
    let store = try AppStore(NoteVersions.all(), NoteVersions.rows)
    try Database.run(
      "CREATE TABLE IF NOT EXISTS Z_MODELCACHE (Z_CONTENT BLOB); DELETE FROM Z_MODELCACHE; "
        + "INSERT INTO Z_MODELCACHE VALUES (x'00FF00')", in: store.path)
    _ = try store.result()
    #expect(try store.rows(Self.notes) == Self.migrated)
  }
}
