import DataModel
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

@Suite("Everything in which a store's tables differ from its model")
struct LayoutReportTests {
  private static let model = TrackModels.model([
    EntityDescription(
      "Media", uniquenessConstraints: [["title"]],
      attributes: text("title") + [
        AttributeDescription("code", .integer32, isOptional: false, defaultValue: .integer(-7)),
        AttributeDescription("ratio", .double, isOptional: false, defaultValue: .double(0.5)),
        AttributeDescription("word", .string, isOptional: false, defaultValue: .string("it's")),
        AttributeDescription("mark", .uuid, isOptional: false, defaultValue: .uuid(Array(0..<16))),
        AttributeDescription("must", .string, isOptional: false),
      ],
      relationships: [one("album", "Album", "media"), many("tags", "Tag", "media", isOrdered: true)]),
    EntityDescription("Song", superentityName: "Media", attributes: text("key")),
    EntityDescription(
      "Album", relationships: [many("media", "Media", "album", isOrdered: true), one("best", "Media")]),
    EntityDescription("Tag", attributes: text("name"), relationships: [many("media", "Media", "tags")]),
  ])

  private static let rows = """
    INSERT INTO ZMEDIA (Z_PK, Z_ENT, ZALBUM, ZMUST) VALUES (5, 3, 1, 'a');
    UPDATE Z_PRIMARYKEY SET Z_MAX = 5 WHERE Z_NAME = 'Media';
    """

  private func report(_ changes: String) throws -> LayoutReport {
    try StoreFixture(Self.model, changes).reader().layoutReport(of: Self.model)
  }

  @Test func `A fresh store has no faults`() throws {
    let report = try report("")
    #expect(report.faults == [] && report.schema != nil && report.uncheckedTriggers == [])
  }

  @Test func `All missing tables, columns and entities are reported, and their statements make the store whole`() throws
  {
    let store = try StoreFixture(
      Self.model,
      """
      DROP TABLE Z_2TAGS; DROP TABLE ZALBUM; ALTER TABLE ZMEDIA DROP COLUMN ZKEY; ALTER TABLE ZTAG DROP COLUMN ZNAME;
      ALTER TABLE ZMEDIA DROP COLUMN Z_FOK_ALBUM; DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag'
      """)
    let report = try store.reader().layoutReport(of: Self.model)
    #expect(report.schema == nil)
    #expect(
      report.faults.map { "\($0.kind) \($0.table) \($0.object ?? "-")" }.sorted() == [
        "absentColumn ZMEDIA ZKEY", "absentColumn ZMEDIA Z_FOK_ALBUM", "absentColumn ZTAG ZNAME",
        "absentEntity Z_PRIMARYKEY Tag", "absentTable ZALBUM -", "absentTable Z_2TAGS -",
      ])
    #expect(report.faults.allSatisfy { $0.isLossless && !$0.fact.contains("model is not its own") })
    for _ in 1...3 {
      for fault in try store.reader().layoutReport(of: Self.model).faults {
        try Database.run(try #require(fault.remedy, "\(fault)"), in: store.path)
      }
    }
    #expect(try store.reader().layoutReport(of: Self.model).faults == [])
    try store.reader().requireLayout(of: Self.model)
  }

  @Test(arguments: [
    ("CODE", "-7"), ("RATIO", "0.5"), ("WORD", "it's"), ("MARK", "x'000102030405060708090A0B0C0D0E0F'"),
  ])
  func `A required attribute gets its default value where there are rows`(column: String, value: String) throws {
    let store = try StoreFixture(Self.model, Self.rows + "ALTER TABLE ZMEDIA DROP COLUMN Z\(column)")
    let faults = try store.reader().layoutReport(of: Self.model).faults
    #expect(faults.count == 1)
    try Database.run(faults.first?.remedy ?? "", in: store.path)
    #expect(try Database.rows("SELECT Z\(column) FROM ZMEDIA", in: store.path) == [value])
  }

  @Test(arguments: [
    (rows + "ALTER TABLE ZMEDIA DROP COLUMN ZMUST", "ZMUST"),
    (rows + "ALTER TABLE ZMEDIA DROP COLUMN Z_FOK_ALBUM", "Z_FOK_ALBUM"),
    ("UPDATE Z_PRIMARYKEY SET Z_MAX = 4 WHERE Z_NAME = 'Tag'; DROP TABLE ZTAG", "4 keys had been given"),
    ("INSERT INTO Z_2TAGS VALUES (1, 1, 1); ALTER TABLE Z_2TAGS DROP COLUMN Z_FOK_4TAGS", "Z_FOK_4TAGS"),
  ])
  func `A part whose contents are lost has no remedy`(changes: String, word: String) throws {
    let faults = try report(changes).faults
    #expect(faults.count == 1 && faults[0].remedy == nil && faults[0].fact.contains(word), "\(faults)")
  }

  @Test func `A column that could be one of several is not made`() throws {
    let faults = try report(
      "ALTER TABLE ZMEDIA RENAME COLUMN Z_FOK_ALBUM TO Z_FOK_ALBUM1; ALTER TABLE ZMEDIA ADD COLUMN Z_FOK_ALBUM2"
    ).faults
    #expect(faults.map(\.kind) == [.unmatchedLayout])
    #expect(faults.first?.remedy == nil)
  }

  @Test(arguments: [
    ("ZTITLE", "INTEGER"), ("ZCODE", "VARCHAR"), ("ZRATIO", "BLOB"), ("ZALBUM", "VARCHAR"), ("Z_ENT", "TEXT"),
  ])
  func `A column with a type that converts values is reported`(column: String, type: String) throws {
    let store = try StoreFixture(Self.model)
    let sql = try #require(try Database.value("SELECT sql FROM sqlite_schema WHERE name = 'ZMEDIA'", in: store.path))
    let other = sql.replacing(try Regex("\\b\(column) \\w+"), with: "\(column) \(type)")
    try Database.run(
      "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = '\(other)' WHERE name = 'ZMEDIA'", in: store.path)
    let faults = try store.reader().layoutReport(of: Self.model).faults.filter {
      [.foreignColumnType, .convertingColumnType].contains($0.kind)
    }
    #expect(faults.map(\.object) == [column])
    // Text becomes a number; numbers are read from text as they were.
    #expect(faults.map(\.kind) == [column == "ZTITLE" ? .convertingColumnType : .foreignColumnType])
    #expect(faults.first?.remedy == nil)
  }

  @Test(arguments: [("ZTITLE", "TEXT"), ("ZCODE", "BIGINT"), ("ZRATIO", "DOUBLE PRECISION"), ("ZMARK", "BLOB(16)")])
  func `Other names of the same kind of type are no faults`(column: String, type: String) throws {
    let store = try StoreFixture(Self.model)
    let sql = try #require(try Database.value("SELECT sql FROM sqlite_schema WHERE name = 'ZMEDIA'", in: store.path))
    let other = sql.replacing(try Regex("\\b\(column) \\w+"), with: "\(column) \(type)")
    try #require(other != sql)
    try Database.run(
      "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = '\(other)' WHERE name = 'ZMEDIA'", in: store.path)
    #expect(try store.reader().layoutReport(of: Self.model).faults == [])
  }
}
