import DataModel
import PersistentStore
import TestSupport
import Testing

@Suite("Tables in a store")
struct FoundTableTests {
  private static let model = TrackModels.model([
    EntityDescription("Song", renamingIdentifier: "Track", attributes: text("title")),
    EntityDescription("Live", superentityName: "Song"),
  ])

  private func store(_ changes: String) throws -> StoreFixture { try StoreFixture(Self.model, changes) }

  @Test(arguments: [
    "ALTER TABLE ZSONG RENAME TO ZTRACK",
    "ALTER TABLE ZSONG RENAME TO ZTUNE; UPDATE Z_PRIMARYKEY SET Z_NAME = 'Tune' WHERE Z_ENT = 1",
  ])
  func `A table may have the name from before its entity was renamed`(changes: String) throws {
    let schema = try store(changes).schema()
    #expect(schema.table(forEntityNamed: "Live")?.name.hasPrefix("ZT") == true)
    #expect(columns(schema, "Live", "title") == ["ZTITLE"])
  }

  @Test(arguments: [
    "DROP TABLE ZSONG",
    // Not a table of an entity.
    "DROP TABLE ZSONG; CREATE TABLE ZTRACK (Z_PK)",
    // Code of the file's author.
    "ALTER TABLE ZSONG RENAME TO x; CREATE VIEW ZSONG AS SELECT * FROM x",
    "DROP TABLE ZSONG; CREATE VIRTUAL TABLE ZSONG USING rtree(Z_PK, Z_ENT, Z_OPT)",
  ])
  func `A table of another name or kind is never accepted`(changes: String) throws {
    #expect(try store(changes).fault().hasPrefix("it has no table 'ZSONG' for the entity 'Song'"))
  }

  @Test func `The table of another entity is not mistaken for a renamed entity's`() throws {
    let model = TrackModels.model([
      EntityDescription("Song", renamingIdentifier: "Track"), EntityDescription("Track"),
    ])
    let store = try StoreFixture(model, "DROP TABLE ZSONG")
    #expect(try store.fault().hasPrefix("it has no table 'ZSONG'"))
  }

  @Test func `Tables named like SQLite's own functions do no harm`() throws {
    let store = try store(
      "CREATE TABLE pragma_table_info (name, hidden); INSERT INTO pragma_table_info VALUES ('x', 0)")
    #expect(columns(try store.schema(), "Song", "title") == ["ZTITLE"])
  }
}
