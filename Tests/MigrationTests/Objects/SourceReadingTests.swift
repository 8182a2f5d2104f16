import CoreDataExpressions
import DataModel
import Migration
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

/// Instances of the source as policies read them.
struct SourceReadingTests {
  private static let model = TrackModels.model([
    EntityDescription(
      "Node", attributes: [AttributeDescription("label", .string)],
      relationships: [
        RelationshipDescription("next", to: "Node", inverse: "previous", maxCount: 1),
        RelationshipDescription("previous", to: "Node", inverse: "next", maxCount: 1),
        RelationshipDescription("marks", to: "Mark"),
        RelationshipDescription("peers", to: "Node", inverse: "peers"),
        RelationshipDescription("tags", to: "Tag", inverse: "nodes", isOrdered: true),
        RelationshipDescription("parts", to: "Mark", inverse: "whole", isOrdered: true),
      ]),
    EntityDescription("Deep1", superentityName: "Node"), EntityDescription("Deep2", superentityName: "Deep1"),
    EntityDescription("Deep3", superentityName: "Deep2"), EntityDescription("Deep4", superentityName: "Deep3"),
    EntityDescription(
      "Mark", relationships: [RelationshipDescription("whole", to: "Node", inverse: "parts", maxCount: 1)]),
    EntityDescription("Tag", relationships: [RelationshipDescription("nodes", to: "Node", inverse: "tags")]),
  ])

  /// Runs a closure on the source instance of a key.
  private func read(
    _ key: Int64, of entity: String, encoding: String = "UTF-8", sql: [String],
    _ body: @escaping (ManagedObject) throws -> Void
  ) throws {
    var fixture = try ObjectFixture(Self.model, encoding: encoding, sql: sql)
    var isFound = false
    fixture.use(
      ClosurePolicy(create: { instance, _, _ in
        guard instance.objectID.primaryKey == key else { return }
        isFound = true
        try body(instance)
      }), for: entity)
    try fixture.migrate()
    #expect(isFound)
  }

  private static func keys(_ object: ManagedObject, _ key: String) -> [Int64] {
    object.instances(forKey: key).map(\.objectID.primaryKey)
  }

  private static func node(_ key: Int, entity: Int = 5, _ columns: String = "", _ values: String = "") -> String {
    "INSERT INTO ZNODE (Z_PK, Z_ENT\(columns)) VALUES (\(key), \(entity)\(values))"
  }

  @Test func `An error of SQLite names the source as the user named it`() throws {
    var fixture = try MigrationFixture((1...3000).map { TrackRow(Int64($0), json: .text("{}")) })
    var bytes = try Files.bytes(fixture.source)
    for page in stride(from: bytes.count / 2 & ~4095, to: bytes.count, by: 4096) { bytes[page] = 0 }
    try Files.write(bytes, to: fixture.source)
    let link = fixture.folder.file("Link.sqlite")
    try Files.link(link, to: fixture.source)
    fixture.use { ClosurePolicy() }
    let error = try #require(throws: MigrationError.self) { try fixture.migrate(from: link) }
    #expect(error.code == .damaged)
    #expect(error.subject.path == link)
  }

  @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
  func `Relationships of every kind are read, also by an entity five levels below`(encoding: String) throws {
    let schema = StoreSchema(Self.model)
    let (deep, node) = (schema.entityNumber("Deep4"), schema.entityNumber("Node"))
    let mark = schema.table(forEntityNamed: "Mark")?.columns.map(\.name) ?? []
    #expect(mark == ["ZWHOLE", "Z\(node)_WHOLE", "Z\(node)MARKS", "Z_FOK_WHOLE"])
    let tags = try #require(schema.joinTable(forRelationship: "tags", ofEntityNamed: "Node"))
    let sql = [
      Self.node(1, entity: deep, ", ZNEXT, Z\(node)_NEXT, ZLABEL", ", 2, \(node), 'a' || char(0) || 'é'"),
      Self.node(2, entity: node, ", ZPREVIOUS, Z\(node)_PREVIOUS", ", 1, \(deep)"), Self.node(3, entity: deep),
      "INSERT INTO ZMARK VALUES (1, 1, 1, 1, \(deep), NULL, 5000)",
      "INSERT INTO ZMARK VALUES (2, 1, 1, 1, \(deep), 1, -7)",
      "INSERT INTO ZMARK VALUES (3, 1, 1, NULL, NULL, 1, NULL)",
      "INSERT INTO ZTAG VALUES (8, 1, 1)", "INSERT INTO ZTAG VALUES (9, 1, 1)",
      "INSERT INTO \(tags.name) VALUES (1, 8, 20)", "INSERT INTO \(tags.name) VALUES (1, 9, 10)",
      // A link with itself is one way round only, and may be there for both ways or once.
      "INSERT INTO Z_\(node)PEERS VALUES (1, 3), (2, 1), (1, 2)",
    ]
    try read(1, of: "Deep4", encoding: encoding, sql: sql) { instance in
      #expect(instance.value(forKey: "label") == .string("a\0é"))
      #expect(instance.instances(forKey: "next").map(\.entity.name) == ["Node"])
      #expect(instance.instances(forKey: "next").first?.instances(forKey: "previous").first === instance)
      #expect(Self.keys(instance, "marks") == [2, 3])
      #expect(Self.keys(instance, "parts") == [2, 1])
      #expect(Self.keys(instance, "tags") == [9, 8])
      #expect(Self.keys(instance, "peers") == [2, 3])
      // A value that a policy sets on a source instance lasts as long as the instance.
      instance.setInstances([], forKey: "peers")
      instance.setValue(.string("x"), forKey: "label")
      #expect(Self.keys(instance, "peers").isEmpty)
      #expect(instance.value(forKey: "label") == .string("x"))
    }
  }

  @Test func `Dangling keys read as nil`() throws {
    let schema = StoreSchema(Self.model)
    let tags = try #require(schema.joinTable(forRelationship: "tags", ofEntityNamed: "Node"))
    let sql = [
      Self.node(1, entity: schema.entityNumber("Deep4"), ", ZNEXT", ", 77"),
      "INSERT INTO \(tags.name) VALUES (1, 5, 0)",
    ]
    try read(1, of: "Deep4", sql: sql) { instance in
      #expect(Self.keys(instance, "next").isEmpty)
      #expect(Self.keys(instance, "tags").isEmpty)
    }
  }

  @Test func `Dangling keys create no links`() throws {
    let schema = StoreSchema(Self.model)
    let tags = try #require(schema.joinTable(forRelationship: "tags", ofEntityNamed: "Node"))
    var fixture = try ObjectFixture(
      Self.model,
      sql: [
        Self.node(1, entity: schema.entityNumber("Node")), "INSERT INTO ZTAG VALUES (8, 1, 1)",
        "INSERT INTO \(tags.name) VALUES (1, 8, 20), (1, 9, 10)",
      ])
    fixture.change("Node") {
      $0.relationshipMappings = [
        PropertyMapping(
          name: "tags",
          valueExpression: .destinationInstances(entityMappingNamed: "TagToTag", sourceInstances: .source("tags")))
      ]
    }
    #expect(try fixture.migrate().linkCounts == [tags.name: 1])
    #expect(try fixture.rows("SELECT * FROM \(tags.name)") == ["1|1|2048"])
  }

  @Test func `A value that the attribute cannot hold is an error that names the row`() throws {
    var fixture = try ObjectFixture(
      Self.model, sql: [Self.node(4, entity: StoreSchema(Self.model).entityNumber("Node"), ", ZLABEL", ", x'00'")])
    fixture.use(
      ClosurePolicy(create: { source, _, manager in
        let made = try manager.destinationContext.insertNewObject(forEntityName: "Node")
        made.setValue(source.value(forKey: "label"), forKey: "label")
      }), for: "Node")
    let error = try #require(throws: MigrationError.self) { try fixture.migrate() }
    #expect(error.code == .policyFailed)
    #expect(error.subject.property == "label")
  }

  @Test func `A value is copied as it is, even if its attribute cannot hold it`() throws {
    let model = TrackModels.model([
      EntityDescription(
        "A",
        attributes: [
          AttributeDescription("f", .float), AttributeDescription("i", .integer16), AttributeDescription("s", .string),
        ])
    ])
    let rows = "INSERT INTO ZA (Z_PK, Z_ENT, ZF, ZI, ZS) VALUES (1, 1, 0.1, 70000, x'00FF')"
    let fixture = try ObjectFixture(model, sql: [rows])
    try fixture.migrate()
    #expect(try fixture.rows("SELECT ZF, ZI, ZS FROM ZA") == ["0.1|70000|x'00FF'"])
  }
}
