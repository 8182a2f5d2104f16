import DataModel
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

@testable import Migration

/// Attributes that statements carry over.
struct BulkAttributeTests {
  private static func entity(_ attributes: AttributeDescription..., name: String = "A") -> EntityDescription {
    EntityDescription(name, attributes: attributes)
  }

  @Test(arguments: ["$source.body", "body"])
  func `Rows keep their keys and versions, and constants, paths and conditions are computed`(body: String) throws {
    var fixture = try BulkFixture(
      [
        EntityDescription(
          "Note", attributes: [AttributeDescription("body", .string), AttributeDescription("stars", .integer16)],
          relationships: [BulkFixture.one("folder", "Folder")]),
        EntityDescription("Folder", attributes: [AttributeDescription("name", .string)]),
      ],
      [
        EntityDescription(
          "Note",
          attributes: [
            AttributeDescription("folderName", .string), AttributeDescription("kind", .string),
            AttributeDescription("twice", .integer32),
            AttributeDescription("state", .string, defaultValue: .string("new")),
            AttributeDescription("text", .string),
          ])
      ],
      rows: """
        INSERT INTO ZFOLDER (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 1, 'Été'), (2, 1, 1, NULL);
        INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZFOLDER, ZSTARS, ZBODY) VALUES
          (7, 2, 3, 1, 4, 'a"b'), (-2, 2, 1, 2, NULL, NULL), (9, 2, 1, 88, 0, '');
        UPDATE Z_PRIMARYKEY SET Z_MAX = 20 WHERE Z_NAME = 'Note';
        """)
    try fixture.map(
      "Note", "Note",
      attributes: [
        ("text", "$source.body"), ("folderName", "$source.folder.name"), ("twice", "$source.stars * 2"),
        ("kind", "TERNARY(\(body) == nil, 'empty', \"it's\")"),
      ])
    let result = try fixture.migrate().result
    #expect(
      try fixture.rows("SELECT Z_PK, Z_ENT, Z_OPT, ZTEXT, ZFOLDERNAME, ZTWICE, ZKIND, ZSTATE FROM ZNOTE ORDER BY 1")
        == ["-2|1|1|NULL|NULL|NULL|empty|new", "7|1|3|a\"b|Été|8|it's|new", "9|1|1||NULL|0|it's|new"])
    #expect(try fixture.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Note'") == ["20"])
    #expect(result.mappings.map(\.written) == [3])
    #expect(try Database.integrity(fixture.path("New")) == ["ok"])
  }

  @Test(arguments: [AttributeType.integer16, .integer32, .integer64, .float, .double, .decimal])
  func `Boolean values become numbers of every type`(type: AttributeType) throws {
    var fixture = try BulkFixture(
      [Self.entity(AttributeDescription("flag", .boolean))], [Self.entity(AttributeDescription("flag", type))],
      rows: "INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT, ZFLAG) VALUES (1, 1, 1, 1), (2, 1, 1, 0), (3, 1, 1, NULL)")
    try fixture.map("A", "A")
    #expect(try fixture.refusals() == [])
    _ = try fixture.migrate()
    #expect(try fixture.rows("SELECT Z_PK, ZFLAG = 1, ZFLAG = 0 FROM ZA") == ["1|1|0", "2|0|1", "3|NULL|NULL"])
  }

  @Test(arguments: ["$source.stars > 1", "stars > 1", "$source.folder.name ==[c] 'ÉTÉ'"])
  func `A filter selects rows with and without naming the source`(filter: String) throws {
    var fixture = try BulkFixture(
      [
        EntityDescription(
          "Note", attributes: [AttributeDescription("stars", .integer16)],
          relationships: [BulkFixture.one("folder", "Folder")]),
        EntityDescription("Folder", attributes: [AttributeDescription("name", .string)]),
      ], [Self.entity(AttributeDescription("stars", .integer16), name: "Memo"), Self.entity(name: "Folder")],
      rows: """
        INSERT INTO ZFOLDER VALUES (1, 1, 1, 'été');
        INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZFOLDER, ZSTARS) VALUES (1, 2, 1, 1, 5), (2, 2, 1, NULL, 1);
        """)
    try fixture.map("Note", "Memo", filter: filter)
    let count = try #require(try fixture.migrate().result.mappings.first)
    #expect(try fixture.rows("SELECT Z_PK, ZSTARS FROM ZMEMO") == ["1|5"])
    #expect(count == (2, 1))
  }

  @Test func `A default replaces a missing value when it is copied`() throws {
    var fixture = try BulkFixture(
      [
        Self.entity(
          AttributeDescription("x", .integer16), AttributeDescription("y", .integer16, defaultValue: .integer(3)))
      ],
      [
        Self.entity(
          AttributeDescription("x", .integer16, isOptional: false, defaultValue: .integer(7)),
          AttributeDescription("y", .integer16, defaultValue: .integer(3)), AttributeDescription("z", .integer16))
      ], rows: "INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT, ZX) VALUES (1, 1, 1, NULL), (2, 1, 1, 5)")
    try fixture.map("A", "A")
    let failures = try fixture.migrate().failures
    #expect(try fixture.rows("SELECT Z_PK, ZX, ZY, ZZ FROM ZA") == ["1|NULL|NULL|NULL", "2|5|NULL|NULL"])
    #expect(failures.map(\.property) == ["x"])
  }

  @Test(arguments: ["UTF-8", "UTF-16le"])
  func `Values gain or lose their storage mark when external storage is turned on or off`(
    encoding: String
  ) throws {
    func data(_ name: String, _ isExternal: Bool) -> AttributeDescription {
      AttributeDescription(name, .binaryData, allowsExternalBinaryDataStorage: isExternal)
    }
    var fixture = try BulkFixture(
      [Self.entity(data("x", false), data("y", true), data("z", true))],
      [Self.entity(data("x", true), data("y", false), data("z", true))],
      rows: """
        INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT, ZX, ZY, ZZ) VALUES
          (1, 1, 1, x'00FF41', x'0100FF', x'0247'), (2, 1, 1, x'', x'01', NULL), (3, 1, 1, NULL, NULL, x'01'),
          (4, 1, 1, x'C3A9', x'01C3', x'0101')
        """, encoding: encoding)
    try fixture.map("A", "A")
    let failures = try fixture.migrate().failures
    #expect(
      try fixture.rows("SELECT Z_PK, ZX, ZY, ZZ FROM ZA ORDER BY 1") == [
        "1|x'0100FF41'|x'00FF'|x'0247'", "2|x'01'|x''|NULL", "3|NULL|NULL|x'01'", "4|x'01C3A9'|x'C3'|x'0101'",
      ])
    #expect(failures.isEmpty)
  }

  @Test func `Moving externally stored values into the store is refused`() throws {
    func entity(_ isExternal: Bool) -> EntityDescription {
      Self.entity(
        AttributeDescription("x", .binaryData, allowsExternalBinaryDataStorage: isExternal),
        AttributeDescription("n", .integer16))
    }
    var fixture = try BulkFixture(
      [entity(true)], [entity(false)],
      rows: "INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT, ZN, ZX) VALUES (1, 1, 1, 1, x'0247'), (2, 1, 1, 2, x'0247')")
    try fixture.map("A", "A", filter: "n > 1")
    let reader = try StoreReader(path: fixture.path("Old"))
    let writer = try StoreWriter(
      path: fixture.path("New"), schema: StoreSchema(fixture.destination), layout: reader.layout)
    try writer.attach(reader)
    #expect(try fixture.plan().valuesInFiles(writer.connection) == ["A.x: 1 value lies in a file"])
    fixture.mappings[0].filterPredicate = nil
    #expect(try fixture.plan().valuesInFiles(writer.connection) == ["A.x: 2 values lie in files"])
  }

  @Test func `Names with quotes, spaces and non-ASCII letters are quoted`() throws {
    let names = ["a\"b", "été", "x; DROP TABLE \"ZA\"", "it's"]
    let attributes = names.map { AttributeDescription($0, .string) }
    var fixture = try BulkFixture(
      [EntityDescription("My \"Entity\"", attributes: attributes)],
      [EntityDescription("My \"Entity\"", attributes: attributes)])
    let schema = fixture.sourceSchema
    let columns = names.compactMap { schema.column(forProperty: $0, ofEntityNamed: "My \"Entity\"")?.name }
    let list = columns.map { "\"\($0.replacing("\"", with: "\"\""))\"" }.joined(separator: ", ")
    let table = "\"ZMY \"\"ENTITY\"\"\""
    try Database.run(
      "INSERT INTO \(table) (Z_PK, Z_ENT, Z_OPT, \(list)) VALUES (1, 1, 1, 'a', 'b', 'c', 'd')",
      in: fixture.path("Old"))
    try fixture.map("My \"Entity\"", "My \"Entity\"")
    try fixture.migrate()
    #expect(try fixture.rows("SELECT \(list) FROM \(table)") == ["a|b|c|d"])
  }

  @Test func `A table of one entity is read whole, and a shared table is filtered by entity`() throws {
    let entities = [
      EntityDescription("Base", attributes: [AttributeDescription("x", .integer16)]),
      EntityDescription("Leaf", superentityName: "Base"), EntityDescription("Other"),
    ]
    var fixture = try BulkFixture(
      entities, entities,
      rows: """
        INSERT INTO ZBASE (Z_PK, Z_ENT, Z_OPT, ZX) VALUES (1, 1, 1, 5), (2, 2, 1, 6), (3, 1, 1, 7);
        INSERT INTO ZOTHER (Z_PK, Z_ENT, Z_OPT) VALUES (1, NULL, 1), (2, 99, 1);
        """)
    try fixture.map("Leaf", "Base")
    try fixture.map("Base", "Leaf")
    try fixture.map("Other", "Other")
    try fixture.migrate()
    #expect(try fixture.rows("SELECT Z_PK, Z_ENT, ZX FROM ZBASE ORDER BY 1") == ["1|2|5", "2|1|6", "3|2|7"])
    #expect(try fixture.rows("SELECT Z_PK, Z_ENT FROM ZOTHER ORDER BY 1") == ["1|3", "2|3"])
  }

  @Test func `Instances five levels down keep the attributes of each level under new entity numbers`() throws {
    func chain(_ before: [EntityDescription]) -> [EntityDescription] {
      before
        + (0..<6).map { level in
          EntityDescription(
            "E\(level)", superentityName: level == 0 ? nil : "E\(level - 1)",
            attributes: [AttributeDescription("a\(level)", .integer16)],
            relationships: level == 2 ? [BulkFixture.one("to", "E0")] : [])
        }
    }
    var fixture = try BulkFixture(
      chain([]), chain([EntityDescription("D")]),
      rows: """
        INSERT INTO ZE0 (Z_PK, Z_ENT, Z_OPT, ZA0, ZA3, ZA5, ZTO, Z1_TO) VALUES (1, 6, 1, 10, 13, 15, 2, 1);
        INSERT INTO ZE0 (Z_PK, Z_ENT, Z_OPT, ZA0) VALUES (2, 1, 1, 20);
        """)
    for level in 0..<6 { try fixture.map("E\(level)", "E\(level)", level < 2 ? [] : [("to", "$source.to")]) }
    let (result, failures) = try fixture.migrate()
    #expect(
      try fixture.rows("SELECT Z_PK, Z_ENT, ZA0, ZA3, ZA5, ZTO, Z2_TO FROM ZE0 ORDER BY 1")
        == ["1|7|10|13|15|2|2", "2|2|20|NULL|NULL|NULL|NULL"])
    #expect(result.mappings.map(\.written) == [1, 0, 0, 0, 0, 1])
    #expect(failures.isEmpty)
  }
}
