import DataModel
import PersistentStore
import TestSupport
import Testing

struct JoinTableTests {
  private func tables(_ entities: EntityDescription...) -> [JoinTable] {
    StoreSchema(TrackModels.model(entities)).joinTables
  }

  private func many(_ name: String, _ destination: String, _ inverse: String, isOrdered: Bool = false)
    -> RelationshipDescription
  {
    RelationshipDescription(name, to: destination, inverse: inverse, isOrdered: isOrdered)
  }

  @Test func `The side with the smallest name among its descendants names the table`() throws {
    // Album is below Generic, so Generic comes before List; the number is Generic's own.
    let table = try #require(
      tables(
        EntityDescription("Generic", relationships: [many("lists", "List", "albums")]),
        EntityDescription("Album", superentityName: "Generic"),
        EntityDescription("Foo"),
        EntityDescription("List", relationships: [many("albums", "Generic", "lists")])
      ).first)
    #expect(
      table.createStatement
        == "CREATE TABLE Z_2LISTS ( Z_2ALBUMS INTEGER, Z_4LISTS INTEGER, PRIMARY KEY (Z_2ALBUMS, Z_4LISTS) )")
    #expect(table.indexStatement == "CREATE INDEX Z_2LISTS_Z_4LISTS_INDEX ON Z_2LISTS (Z_4LISTS, Z_2ALBUMS)")
    #expect(table.naming.entityName == "Generic")
    #expect(table.naming.destinationColumn == "Z_4LISTS")
    #expect(table.inverse.destinationColumn == "Z_2ALBUMS")
  }

  @Test func `A relationship between an entity and its ancestor has a join table too`() throws {
    let tables = tables(
      EntityDescription("Parent", relationships: [many("favourites", "Child", "fans")]),
      EntityDescription("Child", superentityName: "Parent", relationships: [many("fans", "Parent", "favourites")]))
    let table = try #require(tables.first)
    #expect(tables.count == 1)
    #expect(Set([table.naming.relationshipName, table.inverse.relationshipName]) == ["favourites", "fans"])
  }

  @Test func `Both relationships on one entity share a table`() throws {
    let tables = tables(
      EntityDescription(
        "Client", relationships: [many("trusts", "Client", "trustedBy"), many("trustedBy", "Client", "trusts")]))
    #expect(
      tables.map(\.createStatement) == [
        "CREATE TABLE Z_1TRUSTS ( Z_1TRUSTEDBY INTEGER, Z_1TRUSTS INTEGER, PRIMARY KEY (Z_1TRUSTEDBY, Z_1TRUSTS) )"
      ])
  }

  @Test func `A relationship that is its own inverse is reflexive`() throws {
    let table = try #require(
      tables(
        EntityDescription("Person", relationships: [many("friends", "Person", "friends")])
      ).first)
    #expect(table.isReflexive)
    #expect(
      table.createStatement
        == "CREATE TABLE Z_1FRIENDS ( Z_1FRIENDS INTEGER, REFLEXIVE INTEGER, PRIMARY KEY (Z_1FRIENDS, REFLEXIVE) )")
    #expect(
      table.indexStatement
        == "CREATE INDEX Z_1FRIENDS_REFLEXIVE_INDEX ON Z_1FRIENDS (REFLEXIVE, Z_1FRIENDS)")
  }

  @Test(arguments: [
    (true, false, "Z_1AS INTEGER, Z_2BS INTEGER, Z_FOK_2BS INTEGER"),
    (false, true, "Z_1AS INTEGER, Z_2BS INTEGER, Z_FOK_1AS INTEGER"),
    (true, true, "Z_1AS INTEGER, Z_2BS INTEGER, Z_FOK_1AS INTEGER, Z_FOK_2BS INTEGER"),
  ])
  func `An ordered side has a column for its order`(first: Bool, second: Bool, columns: String) throws {
    let table = try #require(
      tables(
        EntityDescription("A", relationships: [many("bs", "B", "as", isOrdered: first)]),
        EntityDescription("B", relationships: [many("as", "A", "bs", isOrdered: second)])
      ).first)
    #expect(table.createStatement == "CREATE TABLE Z_1BS ( \(columns), PRIMARY KEY (Z_1AS, Z_2BS) )")
  }

  @Test func `Columns with conflicting names are numbered across all tables`() {
    let tables = tables(
      EntityDescription("A", relationships: [many("users", "U", "as")]),
      EntityDescription("B", relationships: [many("users", "U", "bs")]),
      EntityDescription("U", relationships: [many("as", "A", "users"), many("bs", "B", "users")]))
    #expect(
      tables.map(\.createStatement) == [
        "CREATE TABLE Z_1USERS ( Z_1AS INTEGER, Z_3USERS INTEGER, PRIMARY KEY (Z_1AS, Z_3USERS) )",
        "CREATE TABLE Z_2USERS ( Z_2BS INTEGER, Z_3USERS1 INTEGER, PRIMARY KEY (Z_2BS, Z_3USERS1) )",
      ])
  }

  @Test func `An inherited relationship uses its ancestor's table`() throws {
    let schema = StoreSchema(
      TrackModels.model([
        EntityDescription("Base", relationships: [many("tags", "Tag", "bases")]),
        EntityDescription("Leaf", superentityName: "Base"),
        EntityDescription("Tag", relationships: [many("bases", "Base", "tags")]),
      ]))
    #expect(schema.joinTable(forRelationship: "tags", ofEntityNamed: "Leaf")?.name == "Z_1TAGS")
    #expect(schema.joinTable(forRelationship: "bases", ofEntityNamed: "Tag")?.name == "Z_1TAGS")
    #expect(schema.joinTable(forRelationship: "tags", ofEntityNamed: "Tag") == nil)
  }
}
