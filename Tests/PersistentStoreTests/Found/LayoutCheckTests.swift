import DataModel
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

@Suite("The tables of a store that is current")
struct LayoutCheckTests {
  private static let model = TrackModels.model([
    EntityDescription(
      "Media", uniquenessConstraints: [["title", "album"]], attributes: text("title"),
      relationships: [one("album", "Album", "media"), many("tags", "Tag", "media")],
      fetchIndexes: [FetchIndexDescription("byTitle", properties: ["title"])]),
    EntityDescription("Song", superentityName: "Media", attributes: text("key")),
    EntityDescription("Album", relationships: [many("media", "Media", "album"), one("best", "Media")]),
    EntityDescription("Tag", attributes: text("name"), relationships: [many("media", "Media", "tags")]),
  ])

  /// A store with the copy of its model that Core Data keeps.
  private func store(_ changes: String = "", model: ManagedObjectModel = model) throws -> StoreFixture {
    let cache = VersionHash(bytes: try model.modelCache())
    return try StoreFixture(model, "INSERT INTO Z_MODELCACHE VALUES (x'\(cache)')", changes)
  }

  private func fault(_ changes: String) throws -> String? {
    let store = try store(changes)
    let reader = try store.reader()
    do throws(MigrationError) {
      try reader.requireLayout(of: Self.model)
      return nil
    } catch {
      #expect(error.code == .damaged)
      #expect(error.subject.path == store.path)
      return error.detail
    }
  }

  @Test func `A fresh store has the layout of its model`() throws {
    #expect(try fault("") == nil)
  }

  @Test func `Every table, column and index of a fresh store is missed when it is dropped`() throws {
    let fresh = try store()
    let names = try Database.rows(
      """
      SELECT type || ' ' || name FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT IN ('Z_METADATA', 'Z_MODELCACHE')
      """, in: fresh.path)
    #expect(names.count == 11)
    for name in names where name != "table Z_PRIMARYKEY" {
      let dropped = String(name.split(separator: " ")[1])
      let fault = try #require(try fault("DROP \(name)"), "\(name) was not missed")
      #expect(fault.contains("'\(dropped)'"))
    }
    for table in StoreSchema(Self.model).tables {
      for column in table.columns.map(\.name) {
        // SQLite does not drop a column that an index has.
        let isIndexed = "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql LIKE '%\(column)%'"
        let indexes = try Database.rows(isIndexed, in: fresh.path).map { "DROP INDEX \($0);" }.joined()
        let fault = try #require(try fault("\(indexes) ALTER TABLE \(table.name) DROP COLUMN \(column)"), "\(column)")
        #expect(fault.contains("'\(column)'"))
      }
    }
  }

  @Test func `A join table without its primary key is found`() throws {
    let fault = try fault(
      "CREATE TABLE x AS SELECT * FROM Z_2TAGS; DROP TABLE Z_2TAGS; ALTER TABLE x RENAME TO Z_2TAGS")
    #expect(fault?.contains("has no primary key (Z_2MEDIA, Z_4TAGS)") == true, "\(fault ?? "nothing")")
  }

  @Test(arguments: [
    // What migrations in place and earlier frameworks leave or make.
    "DROP INDEX ZMEDIA_ZALBUM_INDEX; CREATE INDEX old_name ON ZMEDIA (ZALBUM, ZTITLE)",
    "DROP INDEX Z_Media_UNIQUE_title_album; CREATE UNIQUE INDEX other ON ZMEDIA (ZALBUM, ZTITLE)",
    "CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY); ALTER TABLE ZMEDIA ADD COLUMN ZOLD VARCHAR",
    "CREATE INDEX stale ON ZTAG (ZNAME); CREATE VIRTUAL TABLE Z_RT_Media_x USING rtree(Z_PK, a, b)",
    // The store keeps no copy of its model: nothing says that it was made with the fetch index.
    "DELETE FROM Z_MODELCACHE; DROP INDEX Z_Media_byTitle", "DROP TABLE Z_MODELCACHE; DROP INDEX Z_Media_byTitle",
  ])
  func `A healthy store of another age passes`(changes: String) throws {
    #expect(try fault(changes) == nil)
  }

  @Test(arguments: [
    // It finds only a part of the rows.
    "DROP INDEX ZMEDIA_ZALBUM_INDEX; CREATE INDEX ZMEDIA_ZALBUM_INDEX ON ZMEDIA (ZALBUM) WHERE ZALBUM > 1",
    "DROP INDEX ZMEDIA_ZALBUM_INDEX; CREATE INDEX ZMEDIA_ZALBUM_INDEX ON ZMEDIA (ZTITLE, ZALBUM)",
    "DROP INDEX Z_Media_UNIQUE_title_album; CREATE INDEX Z_Media_UNIQUE_title_album ON ZMEDIA (ZTITLE, ZALBUM)",
    "DROP INDEX Z_Media_UNIQUE_title_album; CREATE UNIQUE INDEX Z_Media_UNIQUE_title_album ON ZMEDIA (ZTITLE)",
  ])
  func `An index of the same name that does less does not count`(changes: String) throws {
    #expect(try fault(changes)?.hasPrefix("it lacks the index 'Z") == true)
  }

  @Test func `Indexes that a model got without a new version are not missed`() throws {
    let fewer = TrackModels.model(
      Self.model.entities.map { $0.name == "Media" ? Self.withoutFetchIndexes($0) : $0 })
    #expect(fewer.entityVersionHashesByName == Self.model.entityVersionHashesByName)
    let store = try store(model: fewer)
    try store.reader().requireLayout(of: Self.model)
  }

  private static func withoutFetchIndexes(_ entity: EntityDescription) -> EntityDescription {
    EntityDescription(
      entity.name, uniquenessConstraints: entity.uniquenessConstraints, attributes: entity.ownAttributes,
      relationships: entity.ownRelationships)
  }

  @Test func `All missing indexes are named, with the statements that make them`() throws {
    let store = try store("DROP INDEX ZALBUM_ZBEST_INDEX; DROP INDEX ZMEDIA_Z_ENT_INDEX")
    let error = #expect(throws: MigrationError.self) { try store.reader().requireLayout(of: Self.model) }
    #expect(
      error?.detail
        == "it lacks the indexes 'ZALBUM_ZBEST_INDEX' of 'ZALBUM' (ZBEST), 'ZMEDIA_Z_ENT_INDEX' of 'ZMEDIA' (Z_ENT)")
    let advice = try #require(error?.advice?.worded(\.swiftName))
    let statements = try #require(advice.firstRange(of: "with: ")).upperBound
    try Database.run(String(advice[statements...]), in: store.path)
    try store.reader().requireLayout(of: Self.model)
  }
}
