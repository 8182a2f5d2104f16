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

  /// Makes a table again with another definition, its rows and its indexes as they were.
  private static func remaking(_ table: String, _ columns: String, _ indexes: String = "") -> String {
    "ALTER TABLE \(table) RENAME TO old; CREATE TABLE \(table) (\(columns)); DROP TABLE old; \(indexes)"
  }

  private static let tag = "Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER"
  private static let joined = "Z_2MEDIA INTEGER, Z_4TAGS INTEGER"
  private static let joinKey = "PRIMARY KEY (Z_2MEDIA, Z_4TAGS)"
  private static let joinIndex = "CREATE INDEX j ON Z_2TAGS (Z_4TAGS, Z_2MEDIA)"

  @Test(arguments: [
    (remaking("ZTAG", "\(tag), ZNAME VARCHAR, ZX VARCHAR NOT NULL"), "'ZX' (NOT NULL)"),
    (remaking("ZTAG", "\(tag), ZNAME VARCHAR, ZX VARCHAR NOT NULL DEFAULT NULL"), "'ZX' (NOT NULL)"),
    (remaking("Z_2TAGS", "\(joined), ZX INTEGER NOT NULL, \(joinKey)", joinIndex), "'Z_2TAGS' refuses rows without"),
    (remaking("ZTAG", "\(tag), ZNAME VARCHAR NOT NULL DEFAULT ''"), "'ZNAME' (NOT NULL), which the model allows"),
    (remaking("ZTAG", "\(tag), ZNAME VARCHAR, CHECK (Z_OPT < 2)"), "CHECK (Z_OPT < 2)"),
    (remaking("ZTAG", "\(tag), ZNAME VARCHAR CONSTRAINT c CHECK(length(\"zname\") > 3)"), "CHECK (length"),
    (remaking("ZTAG", "\(tag), ZNAME VARCHAR, ZX CHECK (ZX IS NOT NULL)"), "CHECK (ZX IS NOT NULL)"),
    (remaking("Z_2TAGS", "\(joined), \(joinKey), CHECK (Z_4TAGS > 9)", joinIndex), "CHECK (Z_4TAGS > 9)"),
    (remaking("ZTAG", "\(tag), ZNAME VARCHAR UNIQUE"), "(ZNAME), a constraint that the model does not have"),
    (remaking("Z_2TAGS", "\(joined) UNIQUE, \(joinKey)", joinIndex), "(Z_4TAGS), a constraint that the model does not"),
    ("CREATE UNIQUE INDEX u ON ZTAG (ZNAME) WHERE ZNAME > ''", "'u' (ZNAME)"),
    ("CREATE UNIQUE INDEX u ON ZTAG (lower(ZNAME))", "'u' (an expression)"),
    (
      "DROP INDEX Z_Media_UNIQUE_title_album; CREATE UNIQUE INDEX Z_Media_UNIQUE_title_album ON ZMEDIA (ZTITLE)",
      "'Z_Media_UNIQUE_title_album' (ZTITLE)"
    ),
    ("CREATE UNIQUE INDEX u ON ZMEDIA (ZTITLE, ZALBUM COLLATE NOCASE)", "compares text in another way"),
  ])
  func `A constraint that refuses what the model allows is found`(changes: String, fact: String) throws {
    let fault = try #require(try fault(changes))
    #expect(fault.contains(fact), "\(fault)")
  }

  @Test(arguments: [
    // New rows have NULL in an app's own columns, or their default.
    "ALTER TABLE ZTAG ADD COLUMN ZX VARCHAR NOT NULL DEFAULT 'a'", "ALTER TABLE ZTAG ADD COLUMN ZX CHECK (ZX > 3)",
    "ALTER TABLE ZTAG ADD COLUMN ZX; CREATE UNIQUE INDEX u ON ZTAG (ZX); CREATE UNIQUE INDEX v ON ZTAG (lower(ZX))",
    "ALTER TABLE ZTAG ADD COLUMN ZX; CREATE UNIQUE INDEX u ON ZTAG (ZNAME, ZX)",
    "CREATE UNIQUE INDEX u ON ZTAG (ZNAME, Z_PK); CREATE UNIQUE INDEX v ON ZMEDIA (ZTITLE, ZALBUM, ZKEY)",
    "CREATE TABLE APPOWN (a INTEGER NOT NULL UNIQUE, CHECK (a > 1))",
    remaking(
      "ZTAG", "Z_PK INTEGER PRIMARY KEY NOT NULL, Z_ENT INTEGER NOT NULL, Z_OPT INTEGER NOT NULL, ZNAME VARCHAR"),
    remaking("Z_2TAGS", "Z_2MEDIA INTEGER NOT NULL, Z_4TAGS INTEGER NOT NULL, \(joinKey)", joinIndex),
  ])
  func `A constraint that no new row violates passes`(changes: String) throws {
    #expect(try fault(changes) == nil)
  }

  @Test func `A required attribute's column may be NOT NULL only where all entities of the table have it`() throws {
    func fault(of entities: [EntityDescription]) throws -> String? {
      let model = TrackModels.model(entities)
      let store = try StoreFixture(
        model, Self.remaking("ZBASE", "\(Self.tag), ZCODE VARCHAR NOT NULL", "CREATE INDEX i ON ZBASE (Z_ENT)"))
      let reader = try store.reader()
      do throws(MigrationError) {
        try reader.requireLayout(of: model)
        return nil
      } catch {
        return error.detail
      }
    }
    let code = [AttributeDescription("code", .string, isOptional: false)]
    #expect(try fault(of: [EntityDescription("Base", attributes: code)]) == nil)
    let below = [EntityDescription("Base"), EntityDescription("Sub", superentityName: "Base", attributes: code)]
    #expect(try fault(of: below)?.contains("'ZCODE' (NOT NULL)") == true)
  }

  @Test func `A unique index with another collation is made again by the advice`() throws {
    let store = try store(
      """
      DROP INDEX Z_Media_UNIQUE_title_album;
      CREATE UNIQUE INDEX Z_Media_UNIQUE_title_album ON ZMEDIA (ZTITLE COLLATE NOCASE, ZALBUM)
      """)
    let error = #expect(throws: MigrationError.self) { try store.reader().requireLayout(of: Self.model) }
    #expect(error?.detail?.contains("compares text in another way") == true)
    try mend(store, error)
  }

  /// Runs the statements of an error's advice, after which the store has to be current.
  private func mend(_ store: StoreFixture, _ error: MigrationError?) throws {
    let advice = try #require(error?.advice?.worded(\.swiftName))
    let statements = try #require(advice.firstRange(of: "with: ")).upperBound
    try Database.run(String(advice[statements...]), in: store.path)
    try store.reader().requireLayout(of: Self.model)
  }

  private static let rows = """
    INSERT INTO ZTAG (Z_PK, Z_ENT) VALUES (7, 4); INSERT INTO ZMEDIA (Z_PK, Z_ENT) VALUES (5, 3);
    UPDATE Z_PRIMARYKEY SET Z_MAX = 7 WHERE Z_NAME = 'Tag'; UPDATE Z_PRIMARYKEY SET Z_MAX = 5 WHERE Z_NAME = 'Media';
    """

  @Test(arguments: [
    ("UPDATE Z_PRIMARYKEY SET Z_MAX = 6 WHERE Z_NAME = 'Tag'", "6 as the greatest key of 'Tag', and there is a row 7"),
    ("UPDATE Z_PRIMARYKEY SET Z_MAX = 0", "0 as the greatest key of 'Media'"),
    ("UPDATE Z_PRIMARYKEY SET Z_MAX = NULL WHERE Z_NAME = 'Album'", "has no greatest key (Z_MAX) for 'Album'"),
    ("UPDATE Z_PRIMARYKEY SET Z_MAX = 'x' WHERE Z_NAME = 'Tag'", "has no greatest key (Z_MAX) for 'Tag'"),
  ])
  func `A greatest key that is too small is found, and mended by the advice`(changes: String, fact: String) throws {
    let store = try store(Self.rows + changes)
    let error = #expect(throws: MigrationError.self) { try store.reader().requireLayout(of: Self.model) }
    #expect(error?.detail?.contains(fact) == true, "\(String(describing: error?.detail))")
    try mend(store, error)
  }

  @Test(arguments: [
    ("UPDATE Z_PRIMARYKEY SET Z_NAME = 'tag' WHERE Z_NAME = 'Tag'", "has 'tag' as the name of 'Tag'"),
    ("UPDATE Z_PRIMARYKEY SET Z_NAME = NULL WHERE Z_NAME = 'Tag'", "has '' as the name of 'Tag'"),
    ("UPDATE Z_PRIMARYKEY SET Z_NAME = 'Album' WHERE Z_NAME = 'Tag'", "has 'Album' as the name of 'Tag'"),
    (
      "UPDATE Z_PRIMARYKEY SET Z_ENT = 9 WHERE Z_NAME = 'Tag'",
      "rows of the entity 4, which 'Z_PRIMARYKEY' does not have"
    ),
    ("UPDATE ZTAG SET Z_ENT = 9", "rows of the entity 9, which 'Z_PRIMARYKEY' does not have"),
    // Not the first row.
    ("INSERT INTO ZTAG (Z_PK, Z_ENT) VALUES (-7, 4); UPDATE ZTAG SET Z_ENT = 9 WHERE Z_PK = 7", "rows of the entity 9"),
    ("UPDATE ZTAG SET Z_ENT = NULL", "its table 'ZTAG' has rows without an entity (Z_ENT)"),
  ])
  func `A wrong name or number of an entity is found, and mended by the advice`(changes: String, fact: String) throws {
    let store = try store(Self.rows + changes)
    let error = #expect(throws: MigrationError.self) { try store.reader().requireLayout(of: Self.model) }
    #expect(error?.detail?.contains(fact) == true, "\(String(describing: error?.detail))")
    try mend(store, error)
  }

  @Test(arguments: ["9", "NULL", "4"]) func `A wrong number in a table of several entities is found`(number: String)
    throws
  {
    let fault = try fault(Self.rows + "INSERT INTO ZMEDIA (Z_PK, Z_ENT) VALUES (3, 2), (4, \(number))")
    #expect(fault?.hasPrefix("its table 'ZMEDIA' has rows") == true, "\(fault ?? "nothing")")
  }

  @Test func `An earlier name of an entity may stay in a store that was migrated in place`() throws {
    #expect(try fault("UPDATE Z_PRIMARYKEY SET Z_NAME = 'Label' WHERE Z_NAME = 'Tag'") == nil)
  }

  // MARK: - Remarks

  private func remarks(_ changes: String) throws -> [String] {
    try store(Self.rows + changes).reader().requireLayout(of: Self.model)
  }

  private static func trigger(_ name: String, _ body: String) -> String {
    "CREATE TRIGGER \(name) BEFORE INSERT ON ztag BEGIN \(body); END"
  }

  @Test(arguments: [
    trigger("t", "SELECT RAISE(ABORT, 'no')"), trigger("t", "SELECT raise (IGNORE) WHERE NEW.ZNAME IS NULL"),
    "CREATE TRIGGER t AFTER DELETE ON Z_2TAGS BEGIN SELECT RAISE(FAIL, ''); END",
  ])
  func `A trigger that can refuse rows is named, with the statement that removes it`(change: String) throws {
    let found = try remarks(change)
    #expect(found.count == 1 && found[0].contains("the trigger 't' can refuse changes of"), "\(found)")
    #expect(found[0].hasSuffix("with: DROP TRIGGER \"t\";"))
  }

  @Test(arguments: [
    "UPDATE ZTAG SET Z_OPT = 2", "UPDATE OR IGNORE ztag SET Z_OPT = 2", "INSERT INTO Z_2TAGS VALUES (1, 1)",
    "REPLACE INTO Z_METADATA VALUES (1, '', NULL)", "DELETE FROM ZTAG", "INSERT INTO nosuch VALUES (1)",
    "DELETE FROM Z_2TAGS WHERE nosuch = 1",
  ])
  func `A trigger that changes rows of the model or fails is named`(statement: String) throws {
    let found = try remarks(Self.trigger("t", statement))
    #expect(found.count == 1 && found[0].contains("the trigger 't' of 'ztag' "), "\(found)")
    #expect(found[0].hasSuffix("with: DROP TRIGGER \"t\";"))
  }

  @Test(arguments: [
    trigger("t", "SELECT 'RAISE' WHERE (1)"), trigger("t", "SELECT ZNAME FROM ZTAG"),
    trigger("t", "SELECT NEW.ZNAME AS raise"),
    // Core Data's own.
    trigger("Z_DA_x", "SELECT RAISE(ABORT, 'no')"),
    "CREATE TABLE APPOWN (a); CREATE TRIGGER t BEFORE INSERT ON APPOWN BEGIN SELECT RAISE(ABORT, 'no'); END",
  ])
  func `Other triggers are not named`(change: String) throws {
    #expect(try remarks(change) == [])
  }

  @Test func `Keys that Core Data does not give are named`() throws {
    let found = try remarks(
      "INSERT INTO ZALBUM (Z_PK, Z_ENT) VALUES (-5, 1), (0, 1); INSERT INTO ZTAG (Z_PK, Z_ENT) VALUES (1, 4)")
    #expect(found.count == 1 && found[0].contains("the table 'ZALBUM'") && found[0].contains("the key -5"), "\(found)")
  }

  @Test(arguments: [("Media", "Song"), ("Tag", "Album"), ("Song", "Tag"), ("Media", "Tag")])
  func `Exchanged names of entities are found`(one: String, other: String) throws {
    #expect(try fault(Self.rows) == nil)
    let fault = try fault(
      Self.rows
        + """
        UPDATE Z_PRIMARYKEY SET Z_NAME = CASE Z_NAME WHEN '\(one)' THEN '\(other)' ELSE '\(one)' END
        WHERE Z_NAME IN ('\(one)', '\(other)')
        """)
    #expect(fault?.contains("'Z_PRIMARYKEY'") == true, "\(fault ?? "nothing")")
  }
}
