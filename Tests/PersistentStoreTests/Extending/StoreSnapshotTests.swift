import DataModel
import MigrationDiagnostics
import PersistentStore
import SQLiteDatabase
import TestSupport
import Testing

@Suite("A store that is copied")
struct StoreSnapshotTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("App.sqlite")
    let model = TrackModels.v1
    try StoreWriter(path: path, schema: StoreSchema(model), layout: .coreData).finish(
      metadata: .new(for: model, uuid: "ID"))
  }

  @Test(arguments: ["DELETE", "WAL"]) func `A copy without a log is identical byte for byte`(mode: String) throws {
    try Database.run("INSERT INTO ZTRACK (Z_PK, ZTITLE) VALUES (1, printf('%.*c', 700000, 'x'))", in: path)
    try Database.run("PRAGMA journal_mode = \(mode)", in: path)
    let reader = try StoreReader(path: path)
    let snapshot = try StoreSnapshot(reader)
    try snapshot.copy(to: folder.file("copy")) { false }.finish()
    #expect(try snapshot.isUnchanged())
    try snapshot.release()
    try reader.close()
    var expected = try Files.bytes(path)
    #expect(expected[18] == (mode == "WAL" ? 2 : 1))
    (expected[18], expected[19]) = (1, 1)
    #expect(try Files.bytes(folder.file("copy")) == expected)
  }

  @Test func `A copy is protected from writers that take locks`() throws {
    let reader = try StoreReader(path: path)
    let snapshot = try StoreSnapshot(reader)
    let change = "INSERT INTO ZTRACK (Z_PK) VALUES (9)"
    let other = try Connection(path: path, access: .readWrite)
    let error = #expect(throws: SQLiteError.self) { try other.execute(change) }
    #expect(error?.code == SQLiteError.busy)
    try snapshot.release()
    try other.execute(change)
    try reader.close()
  }

  @Test func `A change by a writer that takes no locks is detected`() throws {
    let reader = try StoreReader(path: path)
    let snapshot = try StoreSnapshot(reader)
    #expect(try snapshot.isUnchanged())
    var bytes = try Files.bytes(path)
    bytes[bytes.count - 1] ^= 1
    try Files.write(bytes, to: path)
    #expect(try !snapshot.isUnchanged())
    try snapshot.release()
    try reader.close()
  }

  @Test func `A canceled copy leaves an empty file`() throws {
    let reader = try StoreReader(path: path)
    let snapshot = try StoreSnapshot(reader)
    let copy = try snapshot.copy(to: folder.file("copy")) { true }
    let error = #expect(throws: MigrationError.self) { try copy.finish() }
    #expect(error?.code == .interrupted)
    let other = try snapshot.copy(to: folder.file("copy")) { false }
    try other.finish()
    #expect(try !Files.bytes(folder.file("copy")).isEmpty)
    try other.discard()
    #expect(try Files.bytes(folder.file("copy")).isEmpty)
    try snapshot.release()
    try reader.close()
  }

  @Test func `An impossible copy throws an error`() throws {
    let reader = try StoreReader(path: path)
    let snapshot = try StoreSnapshot(reader)
    let error = #expect(throws: MigrationError.self) {
      try snapshot.copy(to: folder.file("no folder/copy")) { false }.finish()
    }
    #expect(error?.code == .cannotCreate)
    try snapshot.release()
    try reader.close()
  }
}
