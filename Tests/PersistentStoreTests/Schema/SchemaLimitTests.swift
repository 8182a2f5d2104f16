import DataModel
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

@Suite("What SQLite cannot hold")
struct SchemaLimitTests {
  private func fault(_ entities: [EntityDescription]) throws -> String {
    let folder = try TemporaryFolder()
    let schema = StoreSchema(TrackModels.model(entities))
    let error = #expect(throws: MigrationError.self) {
      try StoreWriter(path: folder.file("New.sqlite"), schema: schema, layout: .coreData)
    }
    // Nothing has been done yet.
    #expect(try folder.listing().isEmpty)
    return error?.detail ?? ""
  }

  private func numbered(_ count: Int) -> [AttributeDescription] {
    (0..<count).map { AttributeDescription("a\($0)", .string) }
  }

  @Test func `A table may have two thousand columns`() throws {
    let folder = try TemporaryFolder()
    let model = TrackModels.model([EntityDescription("E", attributes: numbered(1997))])
    let writer = try StoreWriter(path: folder.file("New.sqlite"), schema: StoreSchema(model), layout: .coreData)
    try writer.finish(metadata: .new(for: model, uuid: "ID"))
    let reader = try StoreReader(path: folder.file("New.sqlite"))
    #expect(try StoreSchema(model, introspecting: reader).tables[0].columns.count == 1997)
  }

  @Test func `A table with more columns is refused before any work`() throws {
    // Those of all subentities count.
    let entities = [
      EntityDescription("E", attributes: numbered(1000)),
      EntityDescription("F", superentityName: "E", attributes: [AttributeDescription("x", .date)]),
      EntityDescription("G", superentityName: "E", attributes: (0..<997).map { AttributeDescription("b\($0)", .uuid) }),
    ]
    #expect(try fault(entities) == "its table would have 2001 columns, and SQLite's limit is 2000")
  }

  @Test(arguments: [
    (["Foo", "FOO"], "ZFOO"), (["_PRIMARYKEY"], "Z_PRIMARYKEY"), (["_metadata"], "Z_METADATA"),
  ])
  func `Two tables of one name are refused`(names: [String], table: String) throws {
    #expect(
      try fault(names.map { EntityDescription($0) }) == "the model asks for two tables or indexes named '\(table)'")
  }

  @Test func `Two different indexes of one name are refused`() throws {
    let same = FetchIndexDescription("i", properties: ["a"])
    #expect(
      try fault([
        EntityDescription(
          "E", attributes: text("a", "b"), fetchIndexes: [same, FetchIndexDescription("i", properties: ["b"])])
      ]) == "the model asks for two tables or indexes named 'Z_E_i'")
    let store = try StoreFixture([EntityDescription("E", attributes: text("a"), fetchIndexes: [same, same])])
    #expect(try Database.rows("SELECT count(*) FROM sqlite_schema WHERE name = 'Z_E_i'", in: store.path) == ["1"])
  }

  @Test func `Names that are too long or contain NUL are refused`() throws {
    let long = String(repeating: "n", count: 65_537)
    #expect(try fault([EntityDescription("E", attributes: text(long))]).contains("has 65538 bytes"))
    #expect(try fault([EntityDescription("E", attributes: text("a\0b"))]) == "a name contains a NUL")
  }
}
