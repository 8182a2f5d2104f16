import DataModel
import PersistentStore
import TestSupport
import Testing

@Suite("Columns in a store")
struct FoundColumnTests {
  private static let entities = [
    EntityDescription(
      "Base", attributes: text("title"),
      relationships: [one("owner", "Base", "owned")]
        + [many("owned", "Base", "owner", isOrdered: true)]),
    EntityDescription("A", superentityName: "Base", attributes: text("text")),
    EntityDescription("B", superentityName: "Base", attributes: text("text")),
    EntityDescription("C", superentityName: "B"),
    EntityDescription("Person", relationships: [many("things", "Base")]),
  ]

  private func store(_ changes: String) throws -> StoreFixture { try StoreFixture(Self.entities, changes) }

  @Test(arguments: [
    ("ALTER TABLE ZBASE RENAME COLUMN ZTITLE TO zTitle", "zTitle"),
    ("ALTER TABLE ZBASE RENAME TO old; ALTER TABLE old RENAME TO zBase", "ZTITLE"),
    ("ALTER TABLE ZBASE ADD COLUMN ZTITLE1 VARCHAR", "ZTITLE"),
    ("ALTER TABLE ZBASE DROP COLUMN ZTITLE; ALTER TABLE ZBASE ADD COLUMN ZTITLE INTEGER", "ZTITLE"),
  ])
  func `Columns are found in any spelling and position`(changes: String, name: String) throws {
    #expect(columns(try store(changes).schema(), "C", "title") == [name])
  }

  @Test func `Columns with non-ASCII letters are found in either case`() throws {
    let store = try StoreFixture(
      [EntityDescription("E", attributes: text("größe", "ärger"))],
      "ALTER TABLE ZE RENAME COLUMN ZGRÖSSE TO ZGRößE; ALTER TABLE ZE RENAME COLUMN \"ZÄRGER\" TO \"ZäRGER\"")
    #expect(columns(try store.schema(), "E", "größe", "ärger") == ["ZGRößE", "ZäRGER"])
  }

  @Test func `The entity column of a destination may have any number or be missing`() throws {
    let name = { (schema: StoreSchema) in schema.tables[0].columns.first { $0.content == .destinationEntity }?.name }
    #expect(name(try store("ALTER TABLE ZBASE RENAME COLUMN Z1_OWNER TO Z77_OWNER").schema()) == "Z77_OWNER")
    let without = try store("ALTER TABLE ZBASE DROP COLUMN Z1_OWNER").schema()
    #expect(name(without) == nil)
    #expect(columns(without, "C", "owner") == ["ZOWNER"])
  }

  @Test func `The column of a relationship without an inverse may have any number`() throws {
    let schema = try store(
      "DROP INDEX ZBASE_Z5THINGS_INDEX; ALTER TABLE ZBASE RENAME COLUMN Z5THINGS TO Z2THINGS"
    ).schema()
    #expect(schema.tables[0].columns.first { $0.propertyName == "things" }?.name == "Z2THINGS")
  }

  @Test func `Order columns are named after the key`() throws {
    let schema = try store("SELECT 1").schema()
    #expect(schema.tables[0].columns.first { $0.content == .order }?.name == "Z_FOK_OWNER")
    #expect(
      try store("ALTER TABLE ZBASE DROP COLUMN Z_FOK_OWNER").fault().hasPrefix(
        "its table 'ZBASE' has no column 'Z_FOK_OWNER' for the order of 'Base.owner'"))
  }

  @Test(arguments: [
    ("ALTER TABLE ZBASE DROP COLUMN ZTITLE", "'ZTITLE' for 'Base.title'"),
    // A column with a number is that of another property.
    ("ALTER TABLE ZBASE RENAME COLUMN ZTITLE TO ZTITLE7", "'ZTITLE' for 'Base.title'"),
    ("ALTER TABLE ZBASE DROP COLUMN ZTEXT1", "'ZTEXT1' for 'B.text'"),
    ("ALTER TABLE ZBASE DROP COLUMN Z_OPT", "no column 'Z_OPT'"),
    (
      "ALTER TABLE ZBASE DROP COLUMN ZTITLE; ALTER TABLE ZBASE ADD COLUMN ZTITLE AS (zeroblob(1000000000))",
      "'ZTITLE' for 'Base.title'"
    ),
    (
      "DROP INDEX ZBASE_Z5THINGS_INDEX; ALTER TABLE ZBASE RENAME COLUMN Z5THINGS TO Z2THINGS; "
        + "ALTER TABLE ZBASE ADD COLUMN Z3THINGS", "'Z2THINGS', 'Z3THINGS' could be meant for more than one"
    ),
  ])
  func `Missing columns are named`(changes: String, part: String) throws {
    let fault = try store(changes).fault()
    #expect(fault.contains(part))
    #expect(fault.contains("'ZBASE'"))
  }

  private static let rows = """
    INSERT INTO ZBASE (Z_PK, Z_ENT, ZTEXT, ZTEXT1) VALUES
    """

  @Test(arguments: [
    // As in a fresh store.
    ("(1, 2, 'a', NULL), (2, 3, NULL, 'b'), (3, 4, NULL, 'c')", ["ZTEXT", "ZTEXT1"]),
    // The other way round; C is a B.
    ("(1, 2, NULL, 'a'), (2, 4, 'c', NULL)", ["ZTEXT1", "ZTEXT"]),
    ("(2, 4, 'c', NULL)", ["ZTEXT1", "ZTEXT"]),
    // Missing rows and rows of other entities give no information.
    ("(1, 1, 'x', 'y')", ["ZTEXT", "ZTEXT1"]),
    ("(1, 2, NULL, NULL), (2, 77, 'x', NULL)", ["ZTEXT", "ZTEXT1"]),
    // Values that an attribute left in its first column when it moved down.
    ("(1, 2, 'a', NULL), (2, 3, 'b', 'b'), (3, 3, 'b', 'b')", ["ZTEXT", "ZTEXT1"]),
  ])
  func `Columns of properties with the same name are distinguished by their rows`(rows: String, expected: [String])
    throws
  {
    let schema = try store(Self.rows + rows).schema()
    #expect(columns(schema, "A", "text") + columns(schema, "C", "text") == expected)
  }

  @Test func `Columns of properties with the same name may have other numbers`() throws {
    let schema = try store("ALTER TABLE ZBASE RENAME COLUMN ZTEXT TO ZTEXT3").schema()
    #expect(columns(schema, "A", "text") + columns(schema, "B", "text") == ["ZTEXT3", "ZTEXT1"])
  }

  @Test func `of properties of one name keep their order where all have other numbers`() throws {
    let schema = try store(
      "ALTER TABLE ZBASE RENAME COLUMN ZTEXT TO ZTEXT12; ALTER TABLE ZBASE RENAME COLUMN ZTEXT1 TO ZTEXT3"
    ).schema()
    #expect(columns(schema, "A", "text") + columns(schema, "B", "text") == ["ZTEXT3", "ZTEXT12"])
  }

  @Test func `The column of a relationship without an inverse is not confused with an attribute's`() throws {
    let store = try StoreFixture(
      [
        EntityDescription("Base", attributes: text("things")),
        EntityDescription("Person", relationships: [many("things", "Base")]),
      ], "INSERT INTO ZBASE (Z_PK, Z_ENT, Z2THINGS) VALUES (1, 1, 7), (2, 1, 7)")
    #expect(try store.schema().tables[0].columns.map(\.name) == ["Z2THINGS", "ZTHINGS"])
  }

  @Test func `Key columns with the same name are matched together with their companion columns`() throws {
    let store = try StoreFixture(
      [
        EntityDescription("Base"),
        EntityDescription("A", superentityName: "Base", relationships: [one("to", "Base")]),
        EntityDescription("B", superentityName: "Base", relationships: [one("to", "Base")]),
      ],
      "INSERT INTO ZBASE (Z_PK, Z_ENT, ZTO, Z1_TO, ZTO1, Z1_TO1) VALUES (1, 2, NULL, NULL, 2, 3), (2, 3, 1, 2, NULL, 2)"
    )
    let found = try store.schema().tables[0].columns.map { "\($0.entityName) \($0.name)" }
    #expect(found == ["A ZTO1", "A Z1_TO1", "B ZTO", "B Z1_TO"])
  }

  @Test func `Columns of twenty properties with the same name are distinguished`() throws {
    let entities = (1...20).map { number in
      EntityDescription("E\(number < 10 ? "0" : "")\(number)", superentityName: "Base", attributes: text("v"))
    }
    // Entity 1 + n has its values in the column of entity 1 + (n * 7) % 20.
    let rows = (0..<20).map { number in
      let column = number * 7 % 20
      return "INSERT INTO ZBASE (Z_ENT, ZV\(column == 0 ? "" : "\(column)")) VALUES (\(number + 2), 'x')"
    }
    let store = try StoreFixture([EntityDescription("Base")] + entities, rows.joined(separator: ";"))
    let found = try store.schema().tables[0].columns.map(\.name)
    #expect(found == (0..<20).map { $0 * 7 % 20 == 0 ? "ZV" : "ZV\($0 * 7 % 20)" })
  }
}
