import DataModel
import Migration
import TestSupport
import Testing

/// Where statements on whole tables would come to another result than instances, they are not used.
struct BulkDecisionTests {
  private typealias Fixture = BulkFixture

  private func attribute(
    _ old: AttributeType, _ new: AttributeType, _ expression: String, filled value: String = "NULL"
  ) throws -> BulkFixture {
    var fixture = try BulkFixture(
      [EntityDescription("A", attributes: [AttributeDescription("x", old)])],
      [EntityDescription("A", attributes: [AttributeDescription("x", new)])],
      rows: "INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT, ZX) VALUES (1, 1, 1, \(value))")
    try fixture.map("A", "A", attributes: [("x", expression)])
    return fixture
  }

  @Test(arguments: [
    (AttributeType.string, AttributeType.integer16), (.integer32, .integer16), (.double, .float), (.integer64, .float),
    (.integer16, .boolean), (.string, .uri), (.uuid, .binaryData), (.date, .double), (.decimal, .integer32),
  ])
  func `Values that the column would not convert to the new type are left to instances`(
    old: AttributeType, new: AttributeType
  ) throws {
    #expect(try !attribute(old, new, "$source.x").refusals().isEmpty)
  }

  @Test(arguments: [
    (AttributeType.integer16, AttributeType.double, "5", "5.0"), (.boolean, .integer64, "1", "1"),
    (.float, .decimal, "1.0", "1"), (.decimal, .double, "3", "3.0"), (.transformable, .binaryData, "x'01'", "x'01'"),
  ])
  func `Values that the column converts to the new type are moved by statements`(
    old: AttributeType, new: AttributeType, value: String, result: String
  ) throws {
    let fixture = try attribute(old, new, "$source.x", filled: value)
    try fixture.migrate()
    #expect(try fixture.rows("SELECT ZX FROM ZA") == [result])
  }

  @Test(
    arguments: [
      (AttributeType.decimal, "2.5", "2.5"), (.integer16, "'text'", nil), (.integer16, "70000", nil),
      (.float, "0.1", nil),
      (.boolean, "7", "1"), (.integer32, "1.75", "1"), (.string, "5", nil),
    ] as [(AttributeType, String, String?)])
  func `Constants are converted to the attribute's type or left to instances`(
    type: AttributeType, constant: String, result: String?
  ) throws {
    let fixture = try attribute(type, type, "TERNARY($source.x == nil, \(constant), $source.x)")
    guard let result else {
      // A float is rounded, and so is what is left of it in a double.
      if type == .float {
        try fixture.migrate()
        return #expect(try fixture.rows("SELECT ZX FROM ZA") == ["0.100000001490116"])
      }
      return #expect(try !fixture.refusals().isEmpty)
    }
    try fixture.migrate()
    #expect(try fixture.rows("SELECT ZX FROM ZA") == [result])
  }

  @Test func `Mutual links that are written once are followed both ways`() throws {
    let old = [EntityDescription("A", relationships: [Fixture.many("friends", "A", "friends")])]
    let new = [EntityDescription("A", relationships: [Fixture.many("r", "A", "q"), Fixture.many("q", "A", "r")])]
    var fixture = try BulkFixture(
      old, new,
      rows: """
        INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1), (2, 1, 1), (3, 1, 1);
        INSERT INTO Z_1FRIENDS VALUES (1, 2), (3, 3), (3, 9);
        """)
    try fixture.map("A", "A", [("r", "$source.friends")])
    try fixture.migrate()
    #expect(try fixture.rows("SELECT Z_1Q, Z_1R FROM Z_1R ORDER BY 1") == ["1|2", "2|1", "3|3"])
  }

  @Test(arguments: ["nil", "AToA($source.others)"])
  func `A side that may remove the other side's links is left to instances`(expression: String) throws {
    func entities(_ names: (String, String)) -> [EntityDescription] {
      [
        EntityDescription("A", relationships: [Fixture.one("b", "B", "r")]),
        EntityDescription(
          "B", relationships: [Fixture.many("r", "A", "b"), Fixture.many("others", "A")]),
      ]
    }
    var fixture = try BulkFixture(entities(("r", "others")), entities(("r", "others")))
    try fixture.map("A", "A", [("b", "$source.b")])
    try fixture.map("B", "B", [("r", expression)])
    #expect(try fixture.refusals() == [.bothSides(property: "b", entity: "A")])
  }

  @Test(arguments: [["A", "B"], ["B", "A"]])
  func `The claim of the later mapping wins regardless of the keys`(order: [String]) throws {
    let entities = [
      EntityDescription("A", relationships: [Fixture.many("r", "T"), Fixture.one("one", "T")]),
      EntityDescription("B", superentityName: "A"), EntityDescription("T"),
    ]
    let new = [
      EntityDescription("A", relationships: [Fixture.many("r", "T"), Fixture.one("one", "T", "back")]),
      EntityDescription("B", superentityName: "A"),
      EntityDescription("T", relationships: [Fixture.one("back", "A", "one")]),
    ]
    var fixture = try BulkFixture(
      entities, new,
      rows: """
        INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT, ZONE) VALUES (1, 2, 1, 1), (2, 1, 1, 1);
        INSERT INTO ZT (Z_PK, Z_ENT, Z_OPT) VALUES (1, 3, 1);
        """)
    for name in order { try fixture.map(name, name, [("r", "TToT($source.one)"), ("one", "$source.one")]) }
    try fixture.map("T", "T")
    try fixture.migrate()
    let last = order == ["A", "B"] ? 1 : 2
    #expect(try fixture.rows("SELECT Z1R, ZBACK FROM ZT") == ["\(last)|\(last)"])
    #expect(try fixture.rows("SELECT Z_PK FROM ZA WHERE ZONE = 1") == ["\(last)"])
  }
}
