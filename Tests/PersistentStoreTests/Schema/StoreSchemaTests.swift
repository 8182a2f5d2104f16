import DataModel
import PersistentStore
import TestSupport
import Testing

/// The rules are those that stores of Apple's own Core Data follow.
struct StoreSchemaTests {
  private func statements(_ entities: EntityDescription...) -> [String] {
    let schema = StoreSchema(TrackModels.model(entities))
    return schema.tableStatements + schema.indexStatements
  }

  @Test func `Version 2 of the track library has the expected schema`() {
    let schema = StoreSchema(TrackModels.v2)
    #expect(
      schema.tableStatements + schema.indexStatements == [
        "CREATE TABLE ZARTIST ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZID VARCHAR, ZIMAGEURL VARCHAR, ZNAME VARCHAR )",
        "CREATE TABLE Z_1TRACKS ( Z_1ARTISTS INTEGER, Z_2TRACKS INTEGER, PRIMARY KEY (Z_1ARTISTS, Z_2TRACKS) )",
        "CREATE TABLE ZTRACK ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLASTPLAYEDAT TIMESTAMP, ZIMAGEURL VARCHAR, ZTITLE VARCHAR )",
        "CREATE INDEX Z_1TRACKS_Z_2TRACKS_INDEX ON Z_1TRACKS (Z_2TRACKS, Z_1ARTISTS)",
      ])
    #expect(StoreSchema(TrackModels.v1).tableStatements == [TrackLibraryBuilder.tableStatement])
    #expect(schema.entityNumber("Artist") == 1)
    #expect(schema.entityNumber("Track") == 2)
    #expect(schema.entityNumber("nobody") == 0)
  }

  @Test func `Entities are numbered in pre-order, ignoring case`() {
    let schema = StoreSchema(
      TrackModels.model([
        EntityDescription("NWActivity"), EntityDescription("NetworkAttachment"),
        EntityDescription("Base"), EntityDescription("zebra", superentityName: "Base"),
        EntityDescription("Aardvark", superentityName: "zebra"), EntityDescription("Yak", superentityName: "Base"),
        EntityDescription("alpha"),
      ]))
    #expect(schema.entityNames == ["alpha", "Base", "Yak", "zebra", "Aardvark", "NetworkAttachment", "NWActivity"])
    #expect(schema.tables.map(\.name) == ["ZALPHA", "ZBASE", "ZNETWORKATTACHMENT", "ZNWACTIVITY"])
    #expect(schema.tables[1].entityNames == ["Base", "Yak", "zebra", "Aardvark"])
    #expect(schema.table(forEntityNamed: "Aardvark")?.name == "ZBASE")
    #expect(schema.table(forEntityNamed: "nobody") == nil)
  }

  @Test func `Columns are ordered by group and then by the bytes of their names`() {
    let attributes = [
      AttributeDescription("binary", .binaryData), AttributeDescription("transformable", .transformable),
      AttributeDescription("uuid", .uuid), AttributeDescription("uri", .uri), AttributeDescription("string", .string),
      AttributeDescription("decimal", .decimal), AttributeDescription("date", .date),
      AttributeDescription("aFloat", .float), AttributeDescription("double", .double),
      AttributeDescription("bool", .boolean), AttributeDescription("short", .integer16),
      AttributeDescription("importedBy", .integer64), AttributeDescription("importSession", .integer32),
      AttributeDescription("gone", .string, isTransient: true), AttributeDescription("_under", .string),
    ]
    #expect(
      statements(EntityDescription("All", attributes: attributes)) == [
        """
        CREATE TABLE ZALL ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZBOOL INTEGER, ZIMPORTSESSION INTEGER, \
        ZIMPORTEDBY INTEGER, ZSHORT INTEGER, ZAFLOAT FLOAT, ZDATE TIMESTAMP, ZDOUBLE FLOAT, ZDECIMAL DECIMAL, \
        Z_UNDER VARCHAR, ZSTRING VARCHAR, ZURI VARCHAR, ZUUID BLOB, ZTRANSFORMABLE BLOB, ZBINARY BLOB )
        """
      ])
  }

  @Test func `Subentities share a table, and a to-one link to such entities has an entity column`() {
    #expect(
      statements(
        EntityDescription("Animal", isAbstract: true, attributes: [AttributeDescription("name", .string)]),
        EntityDescription("Cat", superentityName: "Animal", attributes: [AttributeDescription("lives", .integer16)]),
        EntityDescription("Dog", superentityName: "Animal", attributes: [AttributeDescription("age", .integer16)]),
        EntityDescription(
          "Owner",
          relationships: [
            RelationshipDescription("pet", to: "Animal", maxCount: 1),
            RelationshipDescription("cat", to: "Cat", maxCount: 1),
          ])
      ) == [
        "CREATE TABLE ZANIMAL ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLIVES INTEGER, ZAGE INTEGER, ZNAME VARCHAR )",
        "CREATE TABLE ZOWNER ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCAT INTEGER, ZPET INTEGER, Z1_PET INTEGER )",
        "CREATE INDEX ZANIMAL_Z_ENT_INDEX ON ZANIMAL (Z_ENT)",
        "CREATE INDEX ZOWNER_ZCAT_INDEX ON ZOWNER (ZCAT)",
        "CREATE INDEX ZOWNER_ZPET_INDEX ON ZOWNER (ZPET)",
      ])
  }

  @Test func `Properties of the same name in sibling entities have separate columns`() throws {
    let model = TrackModels.model([
      EntityDescription("Base"),
      EntityDescription(
        "A", superentityName: "Base", uniquenessConstraints: [["text"]],
        attributes: [AttributeDescription("text", .string)]),
      EntityDescription(
        "B", superentityName: "Base", uniquenessConstraints: [["text"]],
        attributes: [AttributeDescription("text", .string)]),
      EntityDescription("C", superentityName: "B"),
    ])
    let schema = StoreSchema(model)
    #expect(schema.tables.first?.columns.map(\.name) == ["ZTEXT", "ZTEXT1"])
    #expect(schema.column(forProperty: "text", ofEntityNamed: "A")?.name == "ZTEXT")
    #expect(schema.column(forProperty: "text", ofEntityNamed: "B")?.name == "ZTEXT1")
    #expect(schema.column(forProperty: "text", ofEntityNamed: "C")?.name == "ZTEXT1")
    #expect(schema.column(forProperty: "text", ofEntityNamed: "Base") == nil)
    #expect(
      schema.indexStatements == [
        "CREATE INDEX ZBASE_Z_ENT_INDEX ON ZBASE (Z_ENT)",
        "CREATE UNIQUE INDEX Z_A_UNIQUE_text ON ZBASE (ZTEXT COLLATE BINARY ASC)",
        "CREATE UNIQUE INDEX Z_B_UNIQUE_text ON ZBASE (ZTEXT1 COLLATE BINARY ASC)",
      ])
  }

  @Test func `An ordered one-to-many relationship keeps its order next to the key`() {
    #expect(
      statements(
        EntityDescription(
          "Folder",
          relationships: [
            RelationshipDescription("children", to: "Folder", inverse: "parent", isOrdered: true),
            RelationshipDescription("parent", to: "Folder", inverse: "children", maxCount: 1),
          ])
      ) == [
        "CREATE TABLE ZFOLDER ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZPARENT INTEGER, Z_FOK_PARENT INTEGER )",
        "CREATE INDEX ZFOLDER_ZPARENT_INDEX ON ZFOLDER (ZPARENT)",
      ])
  }

  @Test func `A to-many relationship without an inverse has a hidden key, which is not a property`() {
    let model = TrackModels.model([
      EntityDescription("Box", relationships: [RelationshipDescription("items", to: "Item")]),
      EntityDescription("Item", attributes: [AttributeDescription("items", .string)]),
    ])
    let schema = StoreSchema(model)
    #expect(schema.tables.last?.columns.map(\.name) == ["Z1ITEMS", "ZITEMS"])
    #expect(schema.column(forProperty: "items", ofEntityNamed: "Item")?.name == "ZITEMS")
    #expect(schema.indexStatements == ["CREATE INDEX ZITEM_Z1ITEMS_INDEX ON ZITEM (Z1ITEMS)"])
    #expect(schema.joinTables.isEmpty)
  }

  @Test func `A one-to-one relationship has a key on both sides`() {
    let schema = StoreSchema(
      TrackModels.model([
        EntityDescription("A", relationships: [RelationshipDescription("b", to: "B", inverse: "a", maxCount: 1)]),
        EntityDescription("B", relationships: [RelationshipDescription("a", to: "A", inverse: "b", maxCount: 1)]),
      ]))
    #expect(schema.tables.map { $0.columns.map(\.name) } == [["ZB"], ["ZA"]])
    #expect(schema.indexStatements.count == 2)
  }
}
