import DataModel
import Migration
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

/// Validation of a finished store.
struct StoreValidatorTests {
  /// The failures of a store with these rows, as `Entity.property kind count rows`.
  ///
  /// The rows get into the store as a migration would write them: by a plain copy of a source that has them.
  private func failures(_ entities: [EntityDescription], _ rows: String) throws -> [String] {
    let folder = try TemporaryFolder()
    let model = TrackModels.model(entities)
    let writer = try StoreWriter(path: folder.file("New"), schema: StoreSchema(model), layout: .coreData)
    try writer.connection.execute(rows)
    return try StoreValidator(writer).failures().map {
      "\($0.entity).\($0.property) \($0.kind.rawValue) \($0.count) \($0.rows)"
    }
  }

  private static func attribute(
    _ type: AttributeType, _ minimum: AttributeValue? = nil, _ maximum: AttributeValue? = nil, isOptional: Bool = true
  ) -> AttributeDescription {
    AttributeDescription(
      "x", type, isOptional: isOptional, validation: AttributeValidation(minimum: minimum, maximum: maximum))
  }

  @Test(
    arguments: [
      (attribute(.string, isOptional: false), "NULL", "missing-value"),
      (attribute(.string, isOptional: false), "''", nil),
      (attribute(.string, .integer(3)), "'a😀'", nil),
      (attribute(.string, .integer(4)), "'a😀'", "string-too-short"),
      (attribute(.string, nil, .integer(2)), "'a😀'", "string-too-long"),
      (attribute(.string, .integer(1), .integer(2)), "NULL", nil),
      (attribute(.integer16, .integer(5), .integer(6)), "4", "number-too-small"),
      (attribute(.integer16, .integer(5), .integer(6)), "5", nil),
      (attribute(.integer64, .integer(5), .integer(6)), "7", "number-too-large"),
      (attribute(.double, nil, .double(0.5)), "0.75", "number-too-large"),
      (attribute(.double, nil, .double(0.5)), "'x'", "unfit-storage-class"),
      (attribute(.date, .date(10), .date(20)), "9", "date-too-soon"),
      (attribute(.date, .date(10), .date(20)), "20.5", "date-too-late"),
      (attribute(.boolean), "'yes'", "unfit-storage-class"), (attribute(.boolean), "1", nil),
      (attribute(.integer32), "1.5", "unfit-storage-class"), (attribute(.string), "x'00'", "unfit-storage-class"),
      (attribute(.uuid), "x'00'", "unfit-storage-class"), (attribute(.binaryData), "x''", nil),
      (attribute(.binaryData), "'t'", "unfit-storage-class"),
    ] as [(AttributeDescription, String, String?)])
  func `Values are validated against their attributes`(attribute: AttributeDescription, value: String, kind: String?)
    throws
  {
    // A large key relative to the number of pages suggests small rows, which are validated in another way.
    for key in [1, 1_000_000] {
      // A violation of an inherited rule is reported for the row's own entity.
      let found = try failures(
        [EntityDescription("A", attributes: [attribute]), EntityDescription("A1", superentityName: "A")],
        "INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT, ZX) VALUES (\(key), 2, 1, \(value))")
      #expect(found == (kind.map { ["A1.x \($0) 1 [\(key)]"] } ?? []))
    }
  }

  @Test(arguments: [
    ("(1), (2), (3)", "(1, 1), (3, 2)", []), ("(1), (2), (3)", "", []), ("", "(1, 1)", ["dangling-key 1 [1]"]),
    ("(1), (3)", "(1, 1), (3, 1)", []), ("(1), (3)", "(1, 1), (2, 4), (3, 4)", ["dangling-key 1 [4]"]),
    ("(1), (2)", "(0, 5), (1, 1)", ["dangling-key 1 [5]"]), ("(1), (2)", "(2, 5), (3, 6)", ["dangling-key 1 [6]"]),
    ("(1), (2)", "(NULL, 7)", ["dangling-key 1 [7]"]), ("(1), (2)", "(1.5, 8)", ["dangling-key 1 [8]"]),
    ("(1), (2)", "('x', 9)", ["dangling-key 1 [9]"]), ("(1), (2)", "(x'01', 9)", ["dangling-key 1 [9]"]),
    ("(-9223372036854775807), (9223372036854775807)", "(0, 1)", ["dangling-key 1 [1]"]),
  ])
  func `Links must refer to existing rows wherever keys have gaps`(
    keys: String, links: String, failures expected: [String]
  ) throws {
    let entities = [
      EntityDescription("A", relationships: [BulkFixture.many("s", "B", "t")]),
      EntityDescription("B", relationships: [BulkFixture.many("t", "A", "s")]),
    ]
    var rows = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9) "
    rows += "INSERT INTO ZA (Z_PK, Z_ENT) SELECT i, 1 FROM n;"
    // The column that holds B's keys is named after the relationship that leads there.
    if !keys.isEmpty { rows += "INSERT INTO ZB (Z_PK) VALUES \(keys); UPDATE ZB SET Z_ENT = 2;" }
    if !links.isEmpty { rows += "INSERT INTO Z_1S (Z_2S, Z_1T) VALUES \(links);" }
    #expect(try failures(entities, rows) == expected.map { "A.s \($0)" })
  }

  @Test func `Links are checked in both directions`() throws {
    let entities = [
      EntityDescription("A", relationships: [BulkFixture.many("s", "B", "t")]),
      EntityDescription("B", relationships: [BulkFixture.many("t", "A", "s")]),
    ]
    let rows = "INSERT INTO ZA (Z_PK, Z_ENT) VALUES (1, 1); INSERT INTO ZB (Z_PK, Z_ENT) VALUES (5, 2), (6, 2);"
    for (links, expected) in [
      ("(5, 1), (6, 1)", []), ("(5, 2)", ["B.t dangling-key 1 [5]"]), ("(7, 1)", ["A.s dangling-key 1 [1]"]),
      ("(5, 1), (4, 3)", ["A.s dangling-key 1 [3]", "B.t dangling-key 1 [4]"]),
    ] {
      #expect(try failures(entities, rows + "INSERT INTO Z_1S (Z_2S, Z_1T) VALUES \(links);").sorted() == expected)
    }
  }

  @Test func `Keys must refer to existing rows of permitted entities`() throws {
    let entities = [
      EntityDescription("A", relationships: [BulkFixture.one("r", "B", isOptional: false)]),
      EntityDescription("B"), EntityDescription("B1", superentityName: "B"), EntityDescription("Base"),
      EntityDescription(
        "Side", superentityName: "Base", relationships: [BulkFixture.one("s", "Other"), BulkFixture.many("h", "A")]),
      EntityDescription("Other", superentityName: "Base"),
    ]
    let found = try failures(
      entities,
      """
      INSERT INTO ZB (Z_PK, Z_ENT) VALUES (1, 2), (2, 3);
      INSERT INTO ZA (Z_PK, Z_ENT, ZR, Z2_R, Z6H) VALUES
        (1, 1, 1, 2, 1), (2, 1, 2, 3, NULL), (3, 1, 2, 2, 9), (4, 1, NULL, NULL, NULL), (5, 1, 9, 2, 2),
        (6, 1, NULL, 2, NULL), (7, 1, 1, NULL, NULL);
      INSERT INTO ZBASE (Z_PK, Z_ENT, ZS) VALUES (1, 6, 2), (2, 5, NULL), (3, 6, 1), (4, 6, 77);
      """)
    #expect(
      found == [
        "A.r missing-destination 2 [4, 6]", "A.r dangling-key 1 [5]", "A.r wrong-entity 3 [3, 6, 7]",
        "Side.s dangling-key 2 [3, 4]", "Side.h dangling-key 2 [2, 9]",
      ])
  }

  @Test func `To-many relationships must have a permitted number of destinations`() throws {
    let entities = [
      EntityDescription(
        "A",
        relationships: [
          BulkFixture.many("r", "B", "q", minCount: 1, isOptional: false),
          BulkFixture.many("s", "B", "t", minCount: 2, maxCount: 3),
          // As SwiftData writes `[Model] = []`: it may be empty.
          BulkFixture.many("u", "B", "v", isOptional: false),
        ]),
      EntityDescription(
        "B",
        relationships: [
          BulkFixture.one("q", "A", "r"), BulkFixture.many("t", "A", "s", maxCount: 2), BulkFixture.one("v", "A", "u"),
        ]),
    ]
    let found = try failures(
      entities,
      """
      INSERT INTO ZA (Z_PK, Z_ENT) VALUES (1, 1), (2, 1), (3, 1), (4, 1);
      INSERT INTO ZB (Z_PK, Z_ENT, ZQ) VALUES (1, 2, 1), (2, 2, 1), (3, 2, 3), (4, 2, NULL);
      INSERT INTO Z_1S (Z_1T, Z_2S) VALUES (1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3), (3, 4), (5, 4), (3, 8);
      """)
    #expect(
      found == [
        "A.r too-few-destinations 2 [2, 4]", "A.s too-few-destinations 1 [1]", "A.s too-many-destinations 1 [3]",
        "B.t too-many-destinations 1 [1]", "A.s dangling-key 1 [3]", "B.t dangling-key 1 [4]",
      ])
  }

  @Test func `Only a few rows are named, and all are counted`() throws {
    let found = try failures(
      [
        EntityDescription("A", uniquenessConstraints: [["x"]], attributes: [Self.attribute(.string, isOptional: false)])
      ],
      """
      INSERT INTO ZA (Z_PK, Z_ENT) VALUES (9, 1), (8, 1), (7, 1), (6, 1), (5, 1), (4, 1);
      INSERT INTO ZA (Z_PK, Z_ENT, ZX) VALUES (10, 1, 'a'), (11, 1, 'b'), (12, 1, 'a'), (13, 1, 'b'), (14, 1, 'A')
      """)
    #expect(found == ["A.x missing-value 6 [4, 5, 6, 7, 8]", "A.x not-unique 2 [10, 12, 11, 13]"])
  }

  @Test func `Failures are combined into an error that names the rows and gives advice`() throws {
    let failures = [
      ValidationFailure(entity: "A", property: "x", kind: .missingValue, count: 7, rows: [1, 2, 3, 4, 5]),
      ValidationFailure(entity: "B", property: "y", kind: .danglingKey, count: 1, rows: [9]),
    ]
    #expect(MigrationError([], path: "L") == nil)
    let error = try #require(MigrationError(failures, path: "L"))
    #expect(error.exitStatus == 65)
    #expect(
      ErrorMessage(error).problem
        == "'L', A, x: 7 instances have no value, which the model requires (1570): rows 1, 2, 3, 4, 5 …; and also "
        + "B.y: 1 instance refers to a missing row (1550): row 9")
    #expect(ErrorMessage(error).advice.contains("default value"))
    #expect(ValidationFailure.Kind.allCases.allSatisfy { (1550...1680).contains($0.errorCode) || $0 == .notUnique })
  }
}
