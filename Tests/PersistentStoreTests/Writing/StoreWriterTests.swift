import DataModel
import MigrationDiagnostics
import PersistentStore
import SQLiteDatabase
import TestSupport
import Testing

struct StoreWriterTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("New.sqlite")
  }

  private func writer(_ model: ManagedObjectModel = TrackModels.v2, _ layout: FileLayout = .coreData) throws
    -> StoreWriter
  {
    try StoreWriter(path: path, schema: StoreSchema(model), layout: layout)
  }

  @Test(arguments: [512, 4096, 65536], ["UTF-8", "UTF-16le", "UTF-16be"])
  func `A store has the requested layout`(pageSize: Int64, encoding: String) throws {
    let layout = FileLayout(pageSize: pageSize, autoVacuum: pageSize == 512 ? 0 : 2, encoding: encoding)
    try writer(TrackModels.v2, layout).finish(metadata: .new(for: TrackModels.v2, uuid: "ID"))
    let reader = try StoreReader(path: path)
    #expect(reader.layout == layout)
    #expect(reader.metadata == .new(for: TrackModels.v2, uuid: "ID"))
    #expect(reader.primaryKeys.map(\.entityName) == ["Artist", "Track"])
    #expect(
      try Database.rows("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL", in: path)
        == StoreSchema(TrackModels.v2).tableStatements + StoreSchema(TrackModels.v2).indexStatements
        + StoreSchema.fixedTableStatements)
    #expect(try Database.integrity(path) == ["ok"])
    #expect(try folder.listing() == ["New.sqlite"])
  }

  @Test func `Entities that share a table count their keys in the root's row`() throws {
    let model = TrackModels.model([
      EntityDescription("Base", attributes: [AttributeDescription("text", .string)]),
      EntityDescription("A", superentityName: "Base", attributes: [AttributeDescription("own", .string)]),
      EntityDescription("B", superentityName: "Base", attributes: [AttributeDescription("own", .string)]),
      EntityDescription("Zoo"),
    ])
    let writer = try writer(model)
    try writer.inserter(forEntityNamed: "A", properties: ["own", "text"]).insert(
      primaryKey: 7, values: [.text("a"), .text("t")])
    try writer.inserter(forEntityNamed: "B", properties: ["own"]).insert(primaryKey: 9, values: [.text("b")])
    try writer.finish(metadata: .new(for: model, uuid: "ID"), greatestKeys: ["Zoo": 40, "Base": 3, "A": 99])
    #expect(
      try Database.rows("SELECT * FROM Z_PRIMARYKEY ORDER BY 1", in: path)
        == ["1|Base|0|9", "2|A|1|0", "3|B|1|0", "4|Zoo|0|40"])
    #expect(
      try Database.rows("SELECT Z_PK, Z_ENT, Z_OPT, ZOWN, ZOWN1, ZTEXT FROM ZBASE ORDER BY 1", in: path)
        == ["7|2|1|a|NULL|t", "9|3|1|NULL|b|NULL"])
  }

  @Test func `Links are sorted and written once`() throws {
    let writer = try writer()
    let table = try #require(writer.schema.joinTables.first)
    var links = LinkList()
    for (first, second) in [(2, 1), (1, 2), (1, 1), (2, 1), (1, 2), (-1, 5)] as [(Int64, Int64)] {
      links.append(Link(first: first, second: second))
    }
    let written = try writer.insertLinks(links, into: table)
    #expect(written == 4)
    try writer.finish(metadata: .new(for: TrackModels.v2, uuid: "ID"))
    #expect(
      try Database.rows("SELECT rowid, * FROM Z_1TRACKS ORDER BY rowid", in: path)
        == ["1|-1|5", "2|1|1", "3|1|2", "4|2|1"])
  }

  @Test func `A duplicate key is a migration error`() throws {
    let inserter = try writer().inserter(forEntityNamed: "Artist", properties: [])
    try inserter.insert(primaryKey: 1, values: [])
    let error = try #require(throws: MigrationError.self) { try inserter.insert(primaryKey: 1, values: []) }
    #expect(error.code == .migrationFailed)
    // The inserter can still be used.
    #expect(throws: Never.self) { try inserter.insert(primaryKey: 2, values: []) }
  }

  @Test(arguments: ["delete", "wal", "live"])
  func `A source is attached and left unchanged`(journalMode: String) throws {
    let source = folder.file("Old.sqlite")
    var builder = TrackLibraryBuilder([TrackRow(1, title: "One", json: nil)])
    builder.journalMode = journalMode == "delete" ? "delete" : "wal"
    if journalMode == "live" { builder.rowsInLog = [TrackRow(2, title: "Two", json: nil)] }
    try builder.write(to: source)
    let before = try folder.snapshot()
    do {
      let reader = try StoreReader(path: source)
      let writer = try writer()
      try writer.attach(reader)
      let count = try writer.connection.integer("SELECT count(*) FROM \(StoreWriter.sourceDatabaseName).ZTRACK")
      #expect(count == (journalMode == "live" ? 2 : 1))
      try writer.finish(metadata: .new(for: TrackModels.v2, uuid: "ID"))
      try reader.close()
    }
    Files.remove(path)
    #expect(try folder.snapshot() == before)
  }

  @Test func `A full disk is reported as such`() throws {
    let error = try #require(throws: MigrationError.self) {
      let connection = try Connection(path: path, access: .create)
      try reporting(path: path) {
        try connection.execute("PRAGMA max_page_count = 3; CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(100000))")
      }
    }
    #expect(error.code == .diskFull)
    #expect(error.exitStatus == 75)
  }
}
