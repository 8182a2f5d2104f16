import DataModel
import MappingModels
import Migration
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

@Suite("What the source explains") struct ExplainedDifferenceTests {
  private static func pair(_ more: [AttributeDescription]) -> [EntityDescription] {
    [
      EntityDescription(
        "State", attributes: [AttributeDescription("title", .string)] + more,
        relationships: [RelationshipDescription("object", to: "Thing", inverse: "state", maxCount: 1)]),
      EntityDescription(
        "Thing", relationships: [RelationshipDescription("state", to: "State", inverse: "object", maxCount: 1)]),
    ]
  }

  @Test(arguments: [Int64.max, 0], ["ZOBJECT", "ZSTATE"])
  func `A link that the old store has at one end only is judged at that end`(
    leastSizeOfCopies: Int64, empty: String
  ) throws {
    let table = empty == "ZOBJECT" ? "ZSTATE" : "ZTHING"
    let pair = try AppPair(
      [Self.pair([]), Self.pair([AttributeDescription("note", .string)])], leastSizeOfCopies: leastSizeOfCopies,
      """
      INSERT INTO ZSTATE (Z_PK, Z_ENT, Z_OPT, ZOBJECT) VALUES (1, 1, 1, 1), (2, 1, 1, 2), (3, 1, 1, NULL);
      INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZSTATE) VALUES (1, 2, 1, 1), (2, 2, 1, 2), (3, 2, 1, NULL);
      UPDATE \(table) SET \(empty) = NULL WHERE Z_PK = 2;
      UPDATE Z_PRIMARYKEY SET Z_MAX = 3
      """)
    let (differences, findings) = try pair.compare()
    #expect(differences == [])
    let unchecked = "State.object: the other end of 1 link that the old store has at one end only"
    #expect(findings?.unchecked == [unchecked])
    let kept = empty == "ZOBJECT" ? "UPDATE ZTHING SET ZSTATE" : "UPDATE ZSTATE SET ZOBJECT"
    for value in ["NULL", "3"] {
      #expect(try !pair.differences(after: "\(kept) = \(value) WHERE Z_PK = 2").isEmpty)
    }
    #expect(try !pair.differences(after: "UPDATE \(table) SET \(empty) = NULL WHERE Z_PK = 1").isEmpty)
    #expect(try !pair.differences(after: "UPDATE \(table) SET \(empty) = 3 WHERE Z_PK = 2").isEmpty)
  }

  /// Writes an entry for each item, beside those that the mapping of entries carries over.
  private final class LoggingPolicy: EntityMigrationPolicy {
    override func createDestinationInstances(
      forSource sInstance: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
    ) throws {
      try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
      let entry = try manager.destinationContext.insertNewObject(forEntityName: "Entry")
      entry.setValue(.string("made"), forKey: "text")
    }
  }

  @Test func `Rows that a policy makes of an entity with a mapping of its own are not judged, but counted`() throws {
    func version(_ more: [AttributeDescription]) -> [EntityDescription] {
      [
        EntityDescription("Entry", attributes: [AttributeDescription("text", .string)]),
        EntityDescription("Item", attributes: [AttributeDescription("name", .string)] + more),
      ]
    }
    var policies = PolicyRegistry()
    policies.register("LoggingPolicy") { LoggingPolicy() }
    func pair() throws -> AppPair {
      try AppPair(
        [version([]), version([AttributeDescription("note", .string)])],
        """
        INSERT INTO ZENTRY (Z_PK, Z_ENT, Z_OPT, ZTEXT) VALUES (1, 1, 1, 'a'), (2, 1, 1, 'b');
        INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 2, 1, 'x'), (2, 2, 1, 'y'), (3, 2, 1, 'z');
        UPDATE Z_PRIMARYKEY SET Z_MAX = 3
        """, policies: policies
      ) { model in
        for place in model.entityMappings.indices where model.entityMappings[place].destinationEntityName == "Item" {
          model.entityMappings[place].entityMigrationPolicyClassName = "LoggingPolicy"
        }
      }
    }
    try pair().migrateInPlace { path in
      let count = try Database.value("SELECT count(*) FROM ZENTRY", in: path)
      #expect(count == "5")
    }
    let error = try #require(throws: MigrationError.self) {
      try pair().migrateInPlace { try Database.run("DELETE FROM ZENTRY WHERE Z_PK = 1", in: $0) }
    }
    #expect(error.code == .verificationFailed)
  }

  @Test func `A count that only the app can make is judged if it is there`() throws {
    func version(_ more: [AttributeDescription]) -> [EntityDescription] {
      [
        EntityDescription(
          "Book", attributes: [AttributeDescription("title", .string)] + more,
          relationships: [RelationshipDescription("pages", to: "Page")]),
        EntityDescription("Page", attributes: [AttributeDescription("number", .integer32)]),
      ]
    }
    let pair = try AppPair(
      [version([]), version([AttributeDescription("count", .integer64, derivationExpression: "pages.@count")])],
      """
      INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES (1, 1, 1, 'a'), (2, 1, 1, 'b');
      UPDATE Z_PRIMARYKEY SET Z_MAX = 2
      """)
    #expect(try pair.compare().differences == [])
    #expect(try pair.differences(after: "UPDATE ZBOOK SET ZCOUNT = 7 WHERE Z_PK = 1") == ["value Book 1 count"])
  }

  @Test(arguments: [("7", true), ("1", false)])
  func `A stale count of the old store is not judged, whatever is renamed`(count: String, isStale: Bool) throws {
    func version(_ entity: String, _ attribute: String, _ tags: String, id: String?) -> [EntityDescription] {
      [
        EntityDescription(
          entity, renamingIdentifier: id,
          attributes: [
            AttributeDescription("title", .string),
            AttributeDescription(
              attribute, .integer64, renamingIdentifier: id == nil ? nil : "count",
              derivationExpression: "\(tags).@count"),
          ] + (id == nil ? [] : [AttributeDescription("note", .string)]),
          relationships: [
            RelationshipDescription(
              tags, to: "Tag", inverse: "books", renamingIdentifier: id == nil ? nil : "tags")
          ]),
        EntityDescription("Tag", relationships: [RelationshipDescription("books", to: entity, inverse: tags)]),
      ]
    }
    for (entity, attribute, tags) in [
      ("Book", "number", "tags"), ("Book", "count", "labels"), ("Volume", "count", "tags"),
      ("Volume", "number", "labels"),
    ] {
      let old = version("Book", "count", "tags", id: nil)
      let table = try #require(
        StoreSchema(TrackModels.model(old)).joinTable(forRelationship: "tags", ofEntityNamed: "Book"))
      let pair = try AppPair(
        [old, version(entity, attribute, tags, id: "Book")],
        """
        INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZCOUNT) VALUES (1, 1, 1, 'a', \(count));
        INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT) VALUES (1, 2, 1);
        INSERT INTO \(table.name) (\(table.keyColumns.joined(separator: ", "))) VALUES (1, 1);
        UPDATE Z_PRIMARYKEY SET Z_MAX = 1
        """)
      let (differences, findings) = try pair.compare()
      #expect(differences == [], "\(entity) \(attribute) \(tags)")
      // A count of a relationship with another name is not taken over, but made again by the app.
      let isTakenOver = tags == "tags"
      let unchecked = findings?.unchecked ?? []
      #expect(unchecked.isEmpty == (isTakenOver && !isStale), "\(entity) \(attribute) \(tags) \(unchecked)")
      let wrong = "UPDATE Z\(entity.uppercased()) SET Z\(attribute.uppercased()) = 5"
      #expect(try pair.differences(after: wrong).isEmpty == (isTakenOver && isStale), "\(entity) \(attribute) \(tags)")
    }
  }

  /// A book's count, which is stored by the app or derived, of links in a join table or of pages with a key.
  private static func counting(_ expression: String?, _ more: String? = nil) -> [EntityDescription] {
    [
      EntityDescription(
        "Book",
        attributes: [
          AttributeDescription("title", .string),
          AttributeDescription("count", .integer64, derivationExpression: expression),
        ] + (more.map { [AttributeDescription($0, .string)] } ?? []),
        relationships: [
          RelationshipDescription("tags", to: "Tag", inverse: "books"),
          RelationshipDescription("pages", to: "Page", inverse: "book"),
        ]),
      EntityDescription("Tag", relationships: [RelationshipDescription("books", to: "Book", inverse: "tags")]),
      EntityDescription(
        "Page", relationships: [RelationshipDescription("book", to: "Book", inverse: "pages", maxCount: 1)]),
    ]
  }

  private static let booksWithCounts = """
    INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZCOUNT) VALUES (1, 1, 1, 'a', 7), (2, 1, 1, 'b', 0), (3, 1, 1, 'c', NULL);
    UPDATE Z_PRIMARYKEY SET Z_MAX = 3
    """

  private static func copyCount(_ model: inout MappingModel) throws {
    let place = try #require(model.entityMappings.firstIndex { $0.destinationEntityName == "Book" })
    model.entityMappings[place].attributeMappings.removeAll { $0.name == "count" }
    model.entityMappings[place].attributeMappings.append(
      PropertyMapping(name: "count", valueExpression: .source("count")))
  }

  @Test func `A count that the app stored and a mapping copies is compared with what was stored`() throws {
    let pair = try AppPair(
      [Self.counting(nil), Self.counting("tags.@count")], Self.booksWithCounts, mapping: Self.copyCount)
    #expect(try Database.value("SELECT group_concat(ZCOUNT) FROM ZBOOK", in: pair.new) == "7,0")
    let (differences, findings) = try pair.compare()
    #expect(differences == [] && findings?.unchecked == [], "\(differences) \(String(describing: findings?.unchecked))")
    for (row, value) in [(1, "0"), (2, "1"), (1, "NULL"), (3, "0")] {
      let sql = "UPDATE ZBOOK SET ZCOUNT = \(value) WHERE Z_PK = \(row)"
      #expect(try pair.differences(after: sql) == ["value Book \(row) count"], "\(sql)")
    }
  }

  @Test func `A stored count is not judged after a hop in which it is derived already`() throws {
    let pair = try AppPair(
      [Self.counting(nil), Self.counting("tags.@count"), Self.counting("tags.@count", "note")], Self.booksWithCounts,
      mapping: Self.copyCount)
    let (differences, findings) = try pair.compare()
    #expect(differences == [])
    #expect(findings?.unchecked.count == 1 && findings?.unchecked.first?.hasPrefix("Book.count: ") == true)
  }

  @Test func `A count that the store makes again is judged, whatever a mapping copies`() throws {
    let pair = try AppPair(
      [Self.counting(nil), Self.counting("pages.@count")], Self.booksWithCounts, mapping: Self.copyCount)
    #expect(try pair.compare().differences == [])
    #expect(try pair.differences(after: "UPDATE ZBOOK SET ZCOUNT = 7 WHERE Z_PK = 1") == ["value Book 1 count"])
  }

  @Test func `A value is judged after the conversion of its new column`() throws {
    func version(_ more: [AttributeDescription]) -> [EntityDescription] {
      [
        EntityDescription(
          "Item",
          attributes: [
            AttributeDescription("name", .string), AttributeDescription("number", .integer64),
            AttributeDescription("weight", .double),
          ] + more)
      ]
    }
    let pair = try AppPair(
      [version([]), version([AttributeDescription("note", .string)])],
      """
      DROP TABLE ZITEM; CREATE TABLE ZITEM (Z_PK INTEGER PRIMARY KEY, Z_ENT, Z_OPT, ZNUMBER, ZWEIGHT, ZNAME);
      INSERT INTO ZITEM VALUES (1, 1, 1, '12', '0.5', 1984), (2, 1, 1, ' 7 ', '8', 2.5), (3, 1, 1, 'x', 9, x'00ff');
      UPDATE Z_PRIMARYKEY SET Z_MAX = 3
      """)
    #expect(try Database.value("SELECT typeof(ZNAME), typeof(ZNUMBER) FROM ZITEM", in: pair.new) == "text|integer")
    #expect(try pair.compare().differences == [])
    for change in ["ZNAME = '1985' WHERE Z_PK = 1", "ZNUMBER = 13 WHERE Z_PK = 1", "ZWEIGHT = 0.25 WHERE Z_PK = 1"] {
      #expect(try pair.differences(after: "UPDATE ZITEM SET \(change)").count == 1)
    }
  }
}
