import DataModel
import MappingModels
import MigrationDiagnostics
import PersistentStore
import Samples
import TestSupport
import Testing

@testable import Verification

@Suite("A verification of an app's store") struct AppVerificationTests {
  @Test(arguments: [
    (ExampleLibrary.Kind.books, "Books 2"), (.books, "Books 3"), (.notes, "Notes 2"), (.notes, "Notes 3"),
    (.notes, "Notes 4"), (.notesV2, "Notes 3"), (.notesV2, "Notes 4"),
  ])
  func `finds nothing in what an example becomes, and any change of what no policy makes`(
    kind: ExampleLibrary.Kind, version: String
  ) throws {
    let pair = try AppPair(kind, to: version)
    let (differences, findings) = try pair.compare()
    #expect(differences == [])
    let (entity, table, column) = kind == .books ? ("User", "ZUSER", "ZUSERID") : ("Note", "ZNOTE", "ZTITLE")
    #expect(findings?.rowCountByEntity[entity] ?? 0 > 5)
    let property = kind == .books ? "userId" : "title"
    let last = try #require(try Database.value("SELECT max(Z_PK) FROM \(table)", in: pair.new))
    #expect(
      try pair.differences(after: "UPDATE \(table) SET \(column) = 77 WHERE Z_PK = 2") == [
        "value \(entity) 2 \(property)"
      ])
    #expect(try !pair.differences(after: "DELETE FROM \(table) WHERE Z_PK = 3").isEmpty)
    #expect(try !pair.differences(after: "DELETE FROM \(table) WHERE Z_PK = \(last)").isEmpty)
    #expect(
      try !pair.differences(after: "INSERT INTO \(table) (Z_PK, Z_ENT) SELECT Z_PK + 900, Z_ENT FROM \(table) LIMIT 1")
        .isEmpty)
    #expect(try !pair.differences(after: "UPDATE \(table) SET Z_ENT = 99 WHERE Z_PK = 2").isEmpty)
    #expect(
      try pair.differences(after: "UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = '\(entity)'")
        == ["primary-key \(entity) Z_MAX"])
    #expect(
      try pair.differences(after: "UPDATE Z_METADATA SET Z_UUID = 'X'") == ["metadata Z_UUID"])
    if kind == .books || version == "Notes 4" {
      #expect(findings?.unchecked.contains { $0.contains("policy") } == true)
    } else {
      #expect(findings?.unchecked == [])
    }
  }

  @Test func `sees an attachment that belongs to another note`() throws {
    let pair = try AppPair(.notesV2, to: "Notes 3")
    #expect(try pair.compare().findings?.linksCount ?? 0 > 5)
    #expect(
      try pair.differences(after: "UPDATE ZATTACHMENT SET ZNOTE = 1 WHERE Z_PK = (SELECT max(Z_PK) FROM ZATTACHMENT)")
        .count == 2)
    #expect(try pair.differences(after: "UPDATE ZATTACHMENT SET ZIMAGE = x'00' WHERE Z_PK = 3").count == 1)
  }

  @Test func `keeps a migration from replacing the store where anything differs`() throws {
    let pair = try AppPair(.notesV2, to: "Notes 3")
    let before = try pair.folder.snapshot()
    let error = try #require(throws: MigrationError.self) {
      try pair.migrateInPlace { try Database.run("DELETE FROM ZATTACHMENT WHERE Z_PK = 2", in: $0) }
    }
    #expect(error.code == .verificationFailed && error.subject.path == pair.old)
    #expect(error.detail?.contains("missing-row: Attachment") == true)
    #expect(error.advice == nil, "no policy can be the cause")
    #expect(try pair.folder.snapshot() == before)
    try pair.migrateInPlace { _ in }
    #expect(try pair.folder.listing() == ["New.sqlite", "Old.sqlite", "Old.sqlite.Notes-2-backup"])
  }

  @Test func `names the policy that may have changed what its mapping says`() throws {
    let pair = try AppPair(.notesV2, to: "Notes 4")
    let error = try #require(throws: MigrationError.self) {
      try pair.migrateInPlace { try Database.run("UPDATE ZNOTE SET ZTITLE = 'another' WHERE Z_PK = 4", in: $0) }
    }
    let message = ErrorMessage(error)
    #expect(message.advice.hasPrefix("Nothing was changed. If "), "\(message.advice)")
    #expect(message.advice.contains("Policy") && message.advice.hasSuffix("please report it."), "\(message.advice)")
  }

  private static let types: [AttributeType] = [
    .integer16, .integer64, .decimal, .double, .float, .string, .boolean, .date, .binaryData, .uuid, .uri,
    .transformable,
  ]

  /// A shelf of things in an order, some of which are special, with a column of each type.
  private static func version(_ isOld: Bool) -> [EntityDescription] {
    var attributes = types.map { AttributeDescription("v\($0.xmlName.filter { $0 != " " })", $0) }
    attributes.append(AttributeDescription("large", .binaryData, allowsExternalBinaryDataStorage: true))
    attributes.append(
      isOld ? AttributeDescription("gone", .string) : AttributeDescription("new", .string, defaultValue: .string("d")))
    let name = isOld ? "Thing" : "Object"
    return [
      EntityDescription(
        "Shelf", attributes: [AttributeDescription("label", .string)],
        relationships: [
          RelationshipDescription("things", to: name, inverse: "shelf", isOrdered: true),
          RelationshipDescription("first", to: name, inverse: "firstOf", maxCount: 1),
        ]),
      EntityDescription(
        name, renamingIdentifier: "Thing", attributes: attributes,
        relationships: [
          RelationshipDescription("shelf", to: "Shelf", inverse: "things", maxCount: 1),
          RelationshipDescription("firstOf", to: "Shelf", inverse: "first", maxCount: 1),
          RelationshipDescription("tags", to: "Tag", inverse: "things", isOrdered: true),
        ]),
      EntityDescription("Special", superentityName: name),
      EntityDescription("Tag", relationships: [RelationshipDescription("things", to: name, inverse: "tags")]),
    ] + (isOld ? [EntityDescription("Old", attributes: [AttributeDescription("a", .string)])] : [])
  }

  private func makePair() throws -> AppPair {
    let schema = StoreSchema(TrackModels.model(Self.version(true)))
    let numbers = ["Old", "Shelf", "Special", "Tag", "Thing"].map { schema.entityNumber($0) }
    let join = try #require(schema.joinTables.first)
    let columns = join.keyColumns + [join.inverse.orderColumn, join.naming.orderColumn].compactMap(\.self)
    // Tags by the side that they are on.
    let links = [(1, 1, 1024), (4, 1, 2048), (4, 3, 1024)].map { tag, thing, place in
      join.naming.entityName == "Tag" ? "(\(tag), \(thing), \(place))" : "(\(thing), \(tag), \(place))"
    }
    let (old, shelf, special, tag, thing) = (numbers[0], numbers[1], numbers[2], numbers[3], numbers[4])
    return try AppPair(
      [Self.version(true), Self.version(false)],
      """
      INSERT INTO ZOLD (Z_PK, Z_ENT, Z_OPT, ZA) VALUES (1, \(old), 1, 'x'), (2, \(old), 1, 'y');
      INSERT INTO ZSHELF (Z_PK, Z_ENT, Z_OPT, ZLABEL) VALUES (2, \(shelf), 1, 'A'), (5, \(shelf), 1, 'B');
      INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT) VALUES (1, \(tag), 1), (4, \(tag), 1);
      INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZVINTEGER16, ZVINTEGER64, ZVDECIMAL, ZVDOUBLE, ZVFLOAT, ZVSTRING, ZVBOOLEAN,
        ZVDATE, ZVBINARY, ZVUUID, ZVURI, ZVTRANSFORMABLE, ZLARGE, ZSHELF, Z_FOK_SHELF)
      VALUES (1, \(thing), 1, 1, 2, 1.5, 2.5, 3.5, 's', 1, 4.5, x'01', x'00112233445566778899aabbccddeeff', 'u', x'02',
          x'0103', 2, 2048),
        (3, \(special), 1, 1, 2, 1.5, 2.5, 3.5, 's', 0, 4.5, x'01', x'00112233445566778899aabbccddeeff', 'u', x'02',
          CAST(x'02' || '\(AppPair.fileName)' || x'00' AS BLOB), 2, 1024),
        (7, \(thing), 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 5, 1024);
      UPDATE ZSHELF SET ZFIRST = 3, Z\(thing)_FIRST = \(special) WHERE Z_PK = 2; UPDATE ZTHING SET ZFIRSTOF = 2 WHERE Z_PK = 3;
      INSERT INTO \(join.name) (\(columns.joined(separator: ", "))) VALUES \(links.joined(separator: ", "));
      UPDATE Z_PRIMARYKEY SET Z_MAX = 9;
      CREATE TABLE own (a, b); INSERT INTO own VALUES (1, 'x'), (2, 'y')
      """)
  }

  @Test func `finds nothing where columns were added to a copy`() throws {
    let attributes = ["a", "b"].map { AttributeDescription($0, .integer64) }
    let pair = try AppPair(
      [1, 2].map { [EntityDescription("Thing", attributes: Array(attributes.prefix($0)))] }, leastSizeOfCopies: 0,
      """
      INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZA) VALUES (1, 1, 3, 7), (4, 1, 2, NULL); CREATE TABLE own (a);
      UPDATE Z_PRIMARYKEY SET Z_MAX = 4
      """)
    #expect(try pair.compare().differences == [])
    #expect(try pair.differences(after: "UPDATE ZTHING SET ZB = 5 WHERE Z_PK = 4") == ["value Thing 4 b"])
    #expect(try pair.differences(after: "ALTER TABLE ZTHING ADD COLUMN ZC") == ["schema ZTHING"])
    #expect(try pair.differences(after: "UPDATE ZTHING SET Z_OPT = 1 WHERE Z_PK = 1") == ["value Thing 1 Z_OPT"])
  }

  @Test func `accepts an external data file that no row names any more, unless the old store never had it`() throws {
    let pair = try makePair()
    let name = "00000002-ABCD-4EF0-8123-456789ABCDEF"
    try pair.folder.write(Array("left over".utf8), to: ".New_SUPPORT/_EXTERNAL_DATA/\(name)")
    #expect(try pair.compare().differences == ["file"])
    try pair.folder.write(Array("left over".utf8), to: ".Old_SUPPORT/_EXTERNAL_DATA/\(name)")
    #expect(try pair.compare().differences == [])
  }

  @Test func `sees that none of several links is left where only one of them can remain`() throws {
    func version(_ attributes: [AttributeDescription]) -> [EntityDescription] {
      [
        EntityDescription(
          "Left", attributes: attributes,
          relationships: [RelationshipDescription("one", to: "Right", inverse: "other", maxCount: 1)]),
        EntityDescription(
          "Right", relationships: [RelationshipDescription("other", to: "Left", inverse: "one", maxCount: 1)]),
      ]
    }
    let pair = try AppPair(
      [version([]), version([AttributeDescription("a", .string, defaultValue: .string("d"))])],
      """
      INSERT INTO ZLEFT (Z_PK, Z_ENT, Z_OPT, ZONE) VALUES (1, 1, 1, 1);
      INSERT INTO ZRIGHT (Z_PK, Z_ENT, Z_OPT, ZOTHER) VALUES (1, 2, 1, NULL), (2, 2, 1, 1);
      UPDATE Z_PRIMARYKEY SET Z_MAX = 2
      """)
    let differences = try pair.compare().differences
    #expect(differences == [])
    let changed = try pair.differences(after: "UPDATE ZLEFT SET ZONE = NULL; UPDATE ZRIGHT SET ZOTHER = NULL")
    #expect(changed.contains("missing-link Left 1 one"), "\(changed)")
  }

  @Test func `sees another version of a row that is too large to be read at once`() throws {
    let attributes = ["a", "b"].map { AttributeDescription($0, .string, defaultValue: .string("d")) }
    let pair = try AppPair(
      [1, 2].map { [EntityDescription("Thing", attributes: Array(attributes.prefix($0)))] },
      """
      INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZA) VALUES (1, 1, 3, printf('%.1100000c', 'x')), (3, 1, 1, 'y');
      UPDATE Z_PRIMARYKEY SET Z_MAX = 3
      """)
    #expect(try pair.compare().differences == [])
    #expect(try pair.differences(after: "UPDATE ZTHING SET Z_OPT = 9 WHERE Z_PK = 1") == ["value Thing 1 Z_OPT"])
  }

  @Test func `does not judge a derived attribute, and sees a dangling key of a relationship without an inverse`() throws
  {
    func version(_ attributes: [AttributeDescription]) -> [EntityDescription] {
      [
        EntityDescription(
          "Box",
          attributes: attributes + [AttributeDescription("count", .integer64, derivationExpression: "parts.@count")],
          relationships: [
            RelationshipDescription("items", to: "Part", inverse: nil),
            RelationshipDescription("parts", to: "Part", inverse: "box"),
          ]),
        EntityDescription(
          "Part", relationships: [RelationshipDescription("box", to: "Box", inverse: "parts", maxCount: 1)]),
      ]
    }
    let old = version([])
    let key = try #require(
      StoreSchema(TrackModels.model(old)).table(forEntityNamed: "Part")?.columns.first { $0.propertyName == "items" })
    let pair = try AppPair(
      [old, version([AttributeDescription("a", .string, defaultValue: .string("d"))])],
      """
      INSERT INTO ZBOX (Z_PK, Z_ENT, Z_OPT, ZCOUNT) VALUES (1, 1, 1, 7);
      INSERT INTO ZPART (Z_PK, Z_ENT, Z_OPT, ZBOX, \(key.name)) VALUES (1, 2, 1, 1, 1), (4, 2, 1, 1, NULL);
      UPDATE Z_PRIMARYKEY SET Z_MAX = 4
      """)
    let (differences, findings) = try pair.compare()
    #expect(differences == [])
    #expect(findings?.unchecked == ["Box.count: its values, since the store derives it"])
    #expect(
      try pair.differences(after: "UPDATE ZPART SET \(key.name) = 99 WHERE Z_PK = 4").contains(
        "dangling-link Box 4 items"))
  }

  @Test func `counts an old entity as removed only if none of its mappings go on`() throws {
    let versions = [["Thing", "Gone"], ["A", "B"], ["A"]].map { TrackModels.model($0.map { EntityDescription($0) }) }
    func hop(_ place: Int, _ pairs: [(String, String)]) -> MappedHop {
      let (source, destination) = (versions[place], versions[place + 1])
      let mappings = pairs.map { from, to in
        EntityMapping(
          mappingType: .transform, source: source.entity(named: from), destination: destination.entity(named: to))
      }
      return MappedHop(
        source: source, destination: destination, mappingModels: [MappingModel(entityMappings: mappings)])
    }
    var lineage = Lineage(StoreSchema(versions[0]))
    lineage.follow(hop(0, [("Thing", "A"), ("Thing", "B")]))
    lineage.follow(hop(1, [("A", "A")]))
    #expect(lineage.removedEntities == ["Gone"])
  }

  @Test func `sees each kind of change, and names what is gone`() throws {
    let pair = try makePair()
    let (differences, findings) = try pair.compare()
    #expect(differences == [])
    #expect(findings?.unchecked == [])
    #expect(findings?.rowCountByEntity == ["Shelf": 2, "Object": 2, "Special": 1, "Tag": 2])
    #expect(findings?.removedCountByEntity == ["Old": 2])
    #expect(findings?.linksCount == 7)
    #expect(findings?.keptTables == ["own": 2])
    for type in Self.types {
      let name = "v\(type.xmlName.filter { $0 != " " })"
      let value =
        [.string, .uri].contains(type) ? "'x'" : [.binaryData, .uuid, .transformable].contains(type) ? "x'77'" : "7"
      for key in [1, 7] {
        let sql = "UPDATE ZOBJECT SET Z\(name.uppercased()) = \(value) WHERE Z_PK = \(key)"
        #expect(try pair.differences(after: sql) == ["value Object \(key) \(name)"])
      }
    }
    let join = try #require(StoreSchema(TrackModels.model(Self.version(false))).joinTables.first)
    let isTag = join.naming.entityName == "Tag"
    let (tags, things) = (
      (isTag ? join.inverse : join.naming).destinationColumn, (isTag ? join.naming : join.inverse).destinationColumn
    )
    let place = try #require(isTag ? join.inverse.orderColumn : join.naming.orderColumn)
    let number = try #require(
      try Database.value("SELECT name FROM pragma_table_info('ZSHELF') WHERE name GLOB 'Z[0-9]*_FIRST'", in: pair.new))
    for (sql, expected) in [
      ("UPDATE ZOBJECT SET ZNEW = NULL WHERE Z_PK = 3", ["value Special 3 new"]),
      ("UPDATE ZOBJECT SET ZLARGE = x'0104' WHERE Z_PK = 1", ["value Object 1 large"]),
      (
        "UPDATE ZSHELF SET Z_PK = 6 WHERE Z_PK = 5; UPDATE ZOBJECT SET ZSHELF = 6 WHERE ZSHELF = 5",
        ["missing-row Shelf 5", "extra-row Shelf 6", "missing-link Object 7 shelf", "extra-link Object 7 shelf"]
      ),
      ("UPDATE ZOBJECT SET Z_OPT = 9 WHERE Z_PK = 1", ["value Object 1 Z_OPT"]),
      (
        "UPDATE ZOBJECT SET ZSHELF = 5 WHERE Z_PK = 1",
        ["missing-link Object 1 shelf", "extra-link Object 1 shelf"]
      ),
      (
        "UPDATE ZOBJECT SET ZSHELF = 44 WHERE Z_PK = 7",
        ["dangling-link Object 7 shelf", "missing-link Object 7 shelf", "extra-link Object 7 shelf"]
      ),
      ("UPDATE ZOBJECT SET ZSHELF = NULL, Z_FOK_SHELF = NULL WHERE Z_PK = 7", ["missing-link Object 7 shelf"]),
      ("UPDATE ZOBJECT SET Z_FOK_SHELF = 4096 WHERE Z_PK = 3", ["value Shelf 2 things"]),
      ("UPDATE ZOBJECT SET Z_FOK_SHELF = NULL WHERE Z_PK = 3", ["value Shelf 2 things"]),
      ("UPDATE ZOBJECT SET ZFIRSTOF = NULL WHERE Z_PK = 3", ["missing-link Object 3 firstOf"]),
      ("UPDATE ZSHELF SET \(number) = 1 WHERE Z_PK = 2", ["value Shelf 2 first"]),
      ("DELETE FROM \(join.name) WHERE \(tags) = 1", ["missing-link Object 1 tags"]),
      ("INSERT INTO \(join.name) (\(tags), \(things), \(place)) VALUES (1, 7, 1024)", ["extra-link Object 7 tags"]),
      ("UPDATE \(join.name) SET \(place) = 512 WHERE \(things) = 1 AND \(tags) = 4", ["value Object 1 tags"]),
      ("UPDATE own SET b = 'z' WHERE a = 2", ["table own b"]),
      ("DELETE FROM own WHERE a = 2", ["table own"]),
      ("UPDATE Z_PRIMARYKEY SET Z_MAX = 6 WHERE Z_NAME = 'Object'", ["primary-key Object Z_MAX"]),
      ("UPDATE Z_PRIMARYKEY SET Z_MAX = 1000 WHERE Z_NAME = 'Object'", ["primary-key Object Z_MAX"]),
      (
        "UPDATE ZOBJECT SET ZSHELF = NULL WHERE Z_PK = 7",
        ["missing-link Object 7 shelf", "value ZOBJECT 7 Z_FOK_SHELF"]
      ),
      ("INSERT INTO \(join.name) (\(tags)) VALUES (1)", ["value \(join.name) \(things)"]),
      ("DROP INDEX ZOBJECT_ZSHELF_INDEX", ["schema ZOBJECT_ZSHELF_INDEX"]),
      ("UPDATE Z_MODELCACHE SET Z_CONTENT = x'00'", ["metadata Z_MODELCACHE"]),
    ] {
      let found = try pair.differences(after: sql)
      #expect(found.sorted() == expected.sorted(), "\(sql)")
    }
    // The file may be one and the same under two names.
    Files.remove(pair.folder.file(".New_SUPPORT/_EXTERNAL_DATA/\(AppPair.fileName)"))
    try pair.folder.write(Array("b file".utf8), to: ".New_SUPPORT/_EXTERNAL_DATA/\(AppPair.fileName)")
    let changed = try pair.compare().differences
    #expect(changed == ["file Object 3 large"])
  }
}
