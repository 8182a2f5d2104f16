import DataModel
import PersistentStore
import TestSupport
import Testing

@Suite("Join tables in a store")
struct FoundJoinTableTests {
  private static let users = TrackModels.model([
    EntityDescription("A", relationships: [many("users", "U", "as")]),
    EntityDescription("B", relationships: [many("users", "U", "bs")]),
    EntityDescription("U", relationships: [many("as", "A", "users"), many("bs", "B", "users")]),
  ])

  /// A table's name, and where the keys of the destinations of a relationship are.
  private func place(_ schema: StoreSchema, _ entity: String, _ relationship: String) throws -> String {
    let links = try #require(schema.layouts.links(ofRelationship: relationship, ofEntityNamed: entity))
    return "\(links.table.name).\(links.destinationColumn)"
  }

  private func renamed(_ table: String, _ columns: [String: String], to name: String) -> String {
    columns.sorted { $0.key < $1.key }.map { "ALTER TABLE \(table) RENAME COLUMN \($0.key) TO \($0.value);" }.joined()
      + (name == table ? "SELECT 1" : "ALTER TABLE \(table) RENAME TO \(name);")
  }

  @Test func `A join table may be named from the other side`() throws {
    let schema = try StoreFixture(Self.users, renamed("Z_1USERS", [:], to: "Z_3AS")).schema()
    #expect(try place(schema, "A", "users") == "Z_3AS.Z_3USERS")
    #expect(try place(schema, "U", "as") == "Z_3AS.Z_1AS")
    #expect(schema.joinTables[0].naming.entityName == "U")
    #expect(try place(schema, "B", "users") == "Z_2USERS.Z_3USERS1")
  }

  @Test func `The numbers of a join table's columns may be exchanged`() throws {
    let schema = try StoreFixture(
      Self.users, renamed("Z_1USERS", ["Z_3USERS": "Z_3USERS1"], to: "Z_1USERS"),
      renamed("Z_2USERS", ["Z_3USERS1": "Z_3USERS"], to: "Z_2USERS")
    ).schema()
    #expect(try place(schema, "A", "users") == "Z_1USERS.Z_3USERS1")
    #expect(try place(schema, "B", "users") == "Z_2USERS.Z_3USERS")
  }

  @Test func `A join table may have the numbers of an earlier version`() throws {
    let schema = try StoreFixture(
      Self.users, renamed("Z_1USERS", ["Z_1AS": "Z_7AS", "Z_3USERS": "Z_9USERS"], to: "\"Z_7USERS\""),
      renamed("Z_2USERS", ["Z_2BS": "Z_1BS", "Z_3USERS1": "Z_2USERS"], to: "Z_1USERS")
    ).schema()
    #expect(try place(schema, "A", "users") == "Z_7USERS.Z_9USERS")
    #expect(try place(schema, "B", "users") == "Z_1USERS.Z_2USERS")
    #expect(try place(schema, "U", "bs") == "Z_1USERS.Z_1BS")
  }

  @Test(arguments: [
    "DROP TABLE Z_1USERS", "ALTER TABLE Z_1USERS RENAME COLUMN Z_1AS TO x",
    "ALTER TABLE Z_1USERS RENAME TO x; CREATE VIEW Z_1USERS AS SELECT * FROM x",
    // Two that could be meant.
    "ALTER TABLE Z_1USERS RENAME TO Z_5USERS; CREATE TABLE Z_6USERS (Z_6AS, Z_3USERS)",
  ])
  func `Missing join tables are named`(changes: String) throws {
    #expect(
      try StoreFixture(Self.users, changes).fault().hasPrefix(
        "it has no table such as 'Z_1USERS' for 'A.users' and 'U.as'"))
  }

  /// All numbers are those of a version without `A`, and every table has the columns of every relationship.
  @Test func `A join table is not guessed where another relationship's table would fit too`() throws {
    let store = try StoreFixture(
      [
        EntityDescription("A"), EntityDescription("B", relationships: [many("users", "U", "as")]),
        EntityDescription("C", relationships: [many("users", "V", "as")]),
        EntityDescription("U", relationships: [many("as", "B", "users")]),
        EntityDescription("V", relationships: [many("as", "C", "users")]),
      ],
      renamed("Z_2USERS", ["Z_2AS": "Z_1AS", "Z_4USERS": "Z_3USERS"], to: "Z_1USERS"),
      renamed("Z_3USERS", ["Z_3AS": "Z_2AS", "Z_5USERS": "Z_4USERS"], to: "Z_2USERS"))
    #expect(try store.fault().hasPrefix("it has no table such as 'Z_3USERS' for 'C.users' and 'V.as'"))
  }

  @Test(arguments: ["Z_1TRUSTS", "Z_1TRUSTEDBY", "Z_4TRUSTS"])
  func `A join table of two relationships on one entity may be named after either`(name: String) throws {
    let store = try StoreFixture(
      [
        EntityDescription(
          "Client",
          relationships: [
            many("trusts", "Client", "trustedBy", isOrdered: true), many("trustedBy", "Client", "trusts"),
          ]
        )
      ],
      name == "Z_1TRUSTS" ? "SELECT 1" : "ALTER TABLE Z_1TRUSTS RENAME TO \(name)")
    let schema = try store.schema()
    #expect(try place(schema, "Client", "trusts") == "\(name).Z_1TRUSTS")
    #expect(try place(schema, "Client", "trustedBy") == "\(name).Z_1TRUSTEDBY")
    let table = schema.joinTables[0]
    let trusts = table.naming.relationshipName == "trusts" ? table.naming : table.inverse
    #expect(trusts.orderColumn == "Z_FOK_1TRUSTS")
  }

  @Test func `The join table of a relationship that is its own inverse may have another number`() throws {
    let store = try StoreFixture(
      [EntityDescription("Person", relationships: [many("friends", "Person", "friends", isOrdered: true)])],
      renamed("Z_1FRIENDS", ["Z_1FRIENDS": "Z_8FRIENDS", "Z_FOK_1FRIENDS": "Z_FOK_8FRIENDS"], to: "Z_8FRIENDS"))
    let table = try store.schema().joinTables[0]
    #expect(table.isReflexive)
    #expect(table.keyColumns == ["Z_8FRIENDS", "REFLEXIVE"])
    #expect(table.naming.orderColumn == "Z_FOK_8FRIENDS")
    #expect(table.inverse.orderColumn == nil)
  }

  @Test func `An ordered relationship that is its own inverse keeps its order`() throws {
    let model = TrackModels.model([
      EntityDescription("Person", relationships: [many("friends", "Person", "friends", isOrdered: true)])
    ])
    let folder = try TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("New.sqlite"), schema: StoreSchema(model), layout: .coreData)
    let rows = [(1, 2, 2048), (2, 1, 4096)] as [(Int64, Int64, Int64)]
    _ = try writer.insertOrderedLinks(
      rows.map { OrderedLink(link: Link(first: $0, second: $1), inverseOrder: nil, namingOrder: $2) },
      into: writer.schema.joinTables[0])
    try writer.finish(metadata: .new(for: model, uuid: "ID"))
    #expect(
      try Database.rows("SELECT Z_1FRIENDS, REFLEXIVE, Z_FOK_1FRIENDS FROM Z_1FRIENDS", in: writer.path)
        == ["1|2|2048", "2|1|4096"])
  }

  @Test func `Order columns are kept under their names, and a missing one is reported`() throws {
    let model = TrackModels.model([
      EntityDescription("A", relationships: [many("bs", "B", "as", isOrdered: true)]),
      EntityDescription("B", relationships: [many("as", "A", "bs")]),
    ])
    let renamed = renamed("Z_1BS", ["Z_2BS": "Z_2BS1", "Z_FOK_2BS": "Z_FOK_2BS1"], to: "Z_1BS")
    #expect(try StoreFixture(model, renamed).schema().joinTables[0].naming.orderColumn == "Z_FOK_2BS1")
    #expect(
      try StoreFixture(model, "ALTER TABLE Z_1BS DROP COLUMN Z_FOK_2BS").fault().hasPrefix(
        "its table 'Z_1BS' has no column 'Z_FOK_2BS' for the order of 'A.bs'"))
  }

  private static let alike = TrackModels.model([
    EntityDescription("Aa"), EntityDescription("B", relationships: [many("x", "C", "x")]),
    EntityDescription("C", relationships: [many("x", "B", "x")]),
  ])

  @Test(arguments: [
    // By the rows: B has the keys 1 to 3, C has 8 and 9; one of the links leads nowhere.
    (["Z_2X": "Z_6X", "Z_3X": "Z_5X"], "(1, 8), (2, 9), (3, 4)", "Z_5X"),
    (["Z_2X": "Z_5X", "Z_3X": "Z_6X"], "(1, 8), (2, 9)", "Z_6X"),
    // Without rows by the order of the numbers.
    (["Z_2X": "Z_5X", "Z_3X": "Z_6X"], "", "Z_6X"),
    (["Z_2X": "Z_6X", "Z_3X": "Z_5X"], "", "Z_6X"),
    // With the numbers of a fresh store nothing is in doubt.
    ([:], "(8, 1), (9, 2)", "Z_3X"),
  ])
  func `Join tables whose columns have the same names are distinguished by their rows`(
    columns: [String: String], links: String, expected: String
  ) throws {
    let store = try StoreFixture(
      Self.alike,
      "INSERT INTO ZB (Z_PK) VALUES (1), (2), (3); INSERT INTO ZC (Z_PK, Z_ENT) VALUES (8, 3), (9, 3);",
      links.isEmpty ? "SELECT 1" : "INSERT INTO Z_2X (Z_2X, Z_3X) VALUES \(links)", renamed("Z_2X", columns, to: "Z_2X")
    )
    #expect(try place(store.schema(), "B", "x") == "Z_2X.\(expected)")
  }
}
