import CoreDataExpressions
import DataModel
import Migration
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

/// Migrations that statements cannot carry out, and the errors that they report.
struct BulkRefusalTests {
  private static let entities = [
    EntityDescription(
      "A", attributes: [AttributeDescription("x", .string)], relationships: [BulkFixture.many("bs", "B", "as")]),
    EntityDescription(
      "B", attributes: [AttributeDescription("x", .string)],
      relationships: [BulkFixture.many("as", "A", "bs"), BulkFixture.one("one", "A")]),
    EntityDescription("C"),
  ]

  private func fixture() throws -> BulkFixture { try BulkFixture(Self.entities, Self.entities) }

  @Test func `A custom policy is refused unless it only adds to a copy`() throws {
    var fixture = try fixture()
    try fixture.map("A", "A", policy: "P")
    #expect(try fixture.refusals() == [.customPolicy("P", mapping: "AToA")])
    _ = try fixture.plan(batches: ["AToA"])
  }

  @Test func `Mappings that would produce the same keys twice are refused`() throws {
    var fixture = try fixture()
    try fixture.map("A", "A")
    try fixture.map("B", "A")
    #expect(try fixture.refusals() == [.sharedKeys(mapping: "AToA", other: "BToA")])
    fixture.mappings.removeLast()
    try fixture.map("A", "A", filter: "x == 'y'")
    #expect(try fixture.refusals() == [.sharedKeys(mapping: "AToA", other: "AToA")])
    fixture.mappings = []
    try fixture.map("A", "A")
    try fixture.map("A", "B")
    #expect(try fixture.refusals() == [])
  }

  @Test(arguments: [
    "uppercase($source.x)", "now()", "$source.bs", "$source.one", "$nobody", "$source.nothing", "1 / 0",
  ])
  func `An expression that SQL cannot evaluate is refused`(format: String) throws {
    var fixture = try fixture()
    try fixture.map("B", "B", attributes: [("x", format)])
    let reasons = try fixture.refusals()
    guard case .value(_, "x", "BToB") = try #require(reasons.first), reasons.count == 1 else {
      Issue.record("\(reasons)")
      return
    }
    #expect(BulkPlanError.Reason.customPolicy("P", mapping: "M").description == "mapping 'M' has the policy 'P'")
  }

  /// SQLite's parser has a limit of its own.
  @Test(arguments: [1, 8, 9, 20, 40, 80], [false, true])
  func `conditions in conditions are planned as long as SQLite can read them`(depth: Int, isFirst: Bool) throws {
    var format = "'end'"
    for level in 1...depth {
      let test = "$source.x == '\(level)'"
      format = isFirst ? "TERNARY(\(test), \(format), 'no')" : "TERNARY(\(test), 'yes', \(format))"
    }
    guard let expression = try? Expression(format: format) else { return }
    var fixture = try fixture()
    try fixture.map("C", "C")
    try fixture.map("B", "B")
    fixture.mappings[1].attributeMappings = [PropertyMapping(name: "x", valueExpression: expression)]
    if try fixture.refusals().isEmpty { try fixture.migrate() } else { #expect(depth > 8) }
  }

  @Test func `A filter that SQL cannot evaluate is refused once, regardless of references to its mapping`() throws {
    var fixture = try fixture()
    try fixture.map("A", "A", [("bs", "BToB($source.bs)")])
    try fixture.map("B", "B", [("as", "AToA($source.as)"), ("one", "AToA($source.one)")], filter: "x MATCHES 'a+'")
    let reasons = try fixture.refusals()
    guard case .filter(_, "BToB") = try #require(reasons.first), reasons.count == 1 else {
      Issue.record("\(reasons)")
      return
    }
  }

  @Test func `Relationship expressions of unknown form are refused`() throws {
    for (property, format, reason) in [
      ("one", "Nobody($source.one)", .unknownMapping("Nobody", property: "one", mapping: "BToB")),
      ("one", "AToC($source.one)", .unsuitableMapping("AToC", property: "one", mapping: "BToB")),
      ("one", "AToA($source.as)", .severalDestinations(property: "one", mapping: "BToB")),
      ("nothing", "AToA($source.as)", .unknownProperty("nothing", mapping: "BToB")),
    ] as [(String, String, BulkPlanError.Reason)] {
      var fixture = try fixture()
      try fixture.map("B", "B", [(property, format)])
      try fixture.map("A", "A")
      try fixture.map("A", "C")
      #expect(try fixture.refusals() == [reason])
    }
    for format in ["$manager.x", "AToA($source.one.bs)", "AToA($source.nothing)", "AToA($source.x)", "'text'"] {
      var fixture = try fixture()
      try fixture.map("B", "B", [("one", format)])
      try fixture.map("A", "A")
      guard case .relationshipExpression(_, "one", "BToB")? = try fixture.refusals().first else {
        Issue.record("\(format): \(try fixture.refusals())")
        continue
      }
    }
  }

  @Test func `A missing entity or attribute is reported`() throws {
    var fixture = try fixture()
    try fixture.map("A", "A")
    fixture.mappings[0].attributeMappings = [PropertyMapping(name: "none", valueExpression: .null)]
    #expect(try fixture.refusals() == [.unknownProperty("none", mapping: "AToA")])
    fixture.mappings[0].destinationEntityName = "None"
    #expect(try fixture.refusals() == [.unknownEntity("None", mapping: "AToA")])
    fixture.mappings[0].sourceEntityName = "Gone"
    #expect(try fixture.refusals() == [.unknownEntity("Gone", mapping: "AToA")])
    fixture.mappings[0].mappingType = .remove
    #expect(try fixture.refusals() == [])
  }

  @Test func `Duplicates of unique values are reported before the index fails`() throws {
    let unique = EntityDescription(
      "A", uniquenessConstraints: [["x", "y"]],
      attributes: [AttributeDescription("x", .string), AttributeDescription("y", .integer16)])
    let plain = EntityDescription("A", attributes: unique.ownAttributes)
    var fixture = try BulkFixture(
      [plain], [unique],
      rows: """
        INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT, ZX, ZY) VALUES
          (1, 1, 1, 'a', 1), (2, 1, 1, 'a', 2), (3, 1, 1, 'A', 1), (4, 1, 1, NULL, 1), (5, 1, 1, NULL, 1), (6, 1, 1, 'a', 1)
        """)
    try fixture.map("A", "A")
    let error = try #require(throws: MigrationError.self) { try fixture.migrate() }
    #expect(error.code == .validationFailed)
    #expect(error.subject.entity == "A" && error.subject.property == "x, y")
    #expect(error.detail == "1 value occurs more than once (134111): rows 1, 6")
  }

  @Test func `A key that the destination already contains is reported`() throws {
    var fixture = try BulkFixture(
      Self.entities, Self.entities, rows: "INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT) VALUES (3, 1, 1), (4, 1, 1)")
    try fixture.map("A", "A")
    let reader = try StoreReader(path: fixture.path("Old"))
    let writer = try StoreWriter(
      path: fixture.path("New"), schema: StoreSchema(fixture.destination), layout: reader.layout)
    try writer.inserter(forEntityNamed: "A", properties: []).insert(primaryKey: 4, values: [])
    try writer.attach(reader)
    let error = try #require(throws: MigrationError.self) { try BulkFixture.run(fixture.plan(), writer) }
    #expect(error.subject.entity == "A" && error.subject.row == 4)
    #expect(error.detail?.contains("134111") == true)
  }

  @Test func `A running bulk migration can be canceled`() throws {
    var fixture = try BulkFixture(
      Self.entities, Self.entities,
      rows: """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
        INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT) SELECT i, 1, 1 FROM n
        """)
    try fixture.map("A", "A")
    let reader = try StoreReader(path: fixture.path("Old"))
    let writer = try StoreWriter(
      path: fixture.path("New"), schema: StoreSchema(fixture.destination), layout: reader.layout)
    try writer.attach(reader)
    writer.onProgress { true }
    let error = try #require(throws: MigrationError.self) { try BulkFixture.run(fixture.plan(), writer) }
    #expect(error.code == .interrupted)
  }
}
