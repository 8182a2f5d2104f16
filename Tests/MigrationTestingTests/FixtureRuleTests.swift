import DataModel
import Foundation
import MigrationDiagnostics
import MigrationTesting
import TestSupport
import Testing

/// What real apps' models require; a fixture keeps all of it, since it is validated before its file appears.
@Suite("The rules of models that a fixture keeps")
struct FixtureRuleTests {
  private let folder: TemporaryFolder
  private var store: String { folder.file("Fixture.sqlite") }

  init() throws { folder = try TemporaryFolder() }

  @discardableResult
  private func write(_ entities: [EntityDescription], rows: Int = 20) throws -> [String: Int] {
    try StoreFixture(model: TrackModels.model(entities), rowCount: rows).write(to: store)
  }

  private func rows(_ sql: String) throws -> [String] { try Database.rows(sql, in: store) }

  private func entity(
    _ name: String, _ attributes: [AttributeDescription] = [], _ relationships: [RelationshipDescription] = [],
    of parent: String? = nil, isAbstract: Bool = false, unique: [[String]] = []
  ) -> EntityDescription {
    var entity = EntityDescription(
      name, isAbstract: isAbstract, superentityName: parent, attributes: attributes, relationships: relationships)
    entity.uniquenessConstraints = unique
    return entity
  }

  private func attribute(
    _ name: String, _ type: AttributeType, _ least: AttributeValue? = nil, _ most: AttributeValue? = nil,
    pattern: String? = nil, isOptional: Bool = false
  ) -> AttributeDescription {
    var attribute = AttributeDescription(name, type, isOptional: isOptional)
    attribute.validation = .init(minimum: least, maximum: most, regularExpression: pattern)
    return attribute
  }

  private func relationship(
    _ name: String, _ destination: String, _ inverse: String?, _ counts: ClosedRange<Int32>, isOptional: Bool = false
  ) -> RelationshipDescription {
    RelationshipDescription(
      name, to: destination, inverse: inverse, minCount: counts.lowerBound,
      maxCount: counts.upperBound == 99 ? 0 : counts.upperBound, isOptional: isOptional)
  }

  // Values.

  @Test func `Unique numbers are counted by the entity that has the constraint, within its range`() throws {
    let index = attribute("index", .integer32, .integer(0), .integer(13))
    let counts = try write(
      [entity("A"), entity("B"), entity("C", [index], unique: [["index"]])], rows: 14)
    #expect(counts == ["A": 14, "B": 14, "C": 14])
    #expect(try rows("SELECT min(ZINDEX), max(ZINDEX), count(DISTINCT ZINDEX) FROM ZC") == ["0|13|14"])
  }

  @Test func `An entity has only as many rows as there are unique values`() throws {
    let counts = try write(
      [
        entity("Flag", [attribute("isOn", .boolean)], unique: [["isOn"]]),
        entity("Code", [attribute("code", .string, nil, .integer(1))], unique: [["code"]]), entity("Other"),
      ], rows: 100)
    #expect(counts == ["Flag": 2, "Code": 36, "Other": 100])
  }

  @Test func `Attributes that are unique together are counted together`() throws {
    let counts = try write(
      [
        entity(
          "Place", [attribute("x", .integer16, .integer(-1), .integer(1)), attribute("y", .boolean)],
          unique: [["x", "y"]])
      ], rows: 6)
    #expect(counts == ["Place": 6])
  }

  @Test func `A constraint of a parent holds for all of its subentities together`() throws {
    try write(
      [
        entity("Base", [attribute("key", .integer16)], unique: [["key"]]),
        entity("Middle", [attribute("code", .string, nil, .integer(3))], of: "Base", unique: [["code"]]),
        entity("Leaf", of: "Middle"),
      ], rows: 200)
    #expect(try rows("SELECT count(*), count(DISTINCT ZKEY), count(DISTINCT ZCODE) FROM ZBASE") == ["600|600|400"])
  }

  @Test func `A constraint of a subentity holds for the whole table, as its index does`() throws {
    let number = attribute("s", .integer16, .integer(0), .integer(100))
    let counts = try write(
      [
        entity("C", [number]), entity("D", of: "C", unique: [["s"]]), entity("F", [attribute("b", .boolean)]),
        entity("G", of: "F", unique: [["b"]]), entity("H", of: "F"),
      ], rows: 60)
    #expect(counts == ["C": 51, "D": 50, "F": 1, "G": 1, "H": 0])
    #expect(try rows("SELECT count(*), count(DISTINCT ZS) FROM ZC") == ["101|101"])
    #expect(try rows("SELECT count(*), count(DISTINCT ZB) FROM ZF") == ["2|2"])
  }

  @Test func `A relationship and an attribute that are unique together have as many rows as both have pairs`() throws {
    let flag = attribute("b", .boolean)
    let toP = { (name: String) in relationship("p", "P", name, 0...1) }
    func inverse(_ name: String, _ entity: String, _ relationship: String) -> RelationshipDescription {
      self.relationship(name, entity, relationship, 0...99, isOptional: true)
    }
    let counts = try write(
      [
        entity("C", [flag], [toP("cs")], unique: [["p", "b"]]),
        entity("P", [flag], [inverse("cs", "C", "p"), inverse("js", "J", "p")], unique: [["b"]]),
        entity("Q", [attribute("n", .integer16, .integer(1), .integer(4))], [inverse("js", "J", "q")], unique: [["n"]]),
        entity("J", [], [toP("js"), relationship("q", "Q", "js", 0...1)], unique: [["p", "q"]]),
        entity("O", [attribute("v", .boolean, isOptional: true)], unique: [["v"]]),
      ], rows: 9)
    #expect(counts == ["C": 4, "P": 2, "Q": 4, "J": 8, "O": 9])
    #expect(try rows("SELECT count(DISTINCT ZP || ZB) FROM ZC") == ["4"])
    #expect(try rows("SELECT count(DISTINCT ZP || '-' || ZQ) FROM ZJ") == ["8"])
    #expect(try rows("SELECT count(*), count(ZV), count(DISTINCT ZV) FROM ZO") == ["9|2|2"])
  }

  @Test func `Limits of 64 bits are exact`() throws {
    let edge: Int64 = 1 << 53
    let counts = try write(
      [
        entity("A", [attribute("n", .integer64, .integer(.max - 7), .integer(.max))], unique: [["n"]]),
        entity("B", [attribute("n", .integer64, .integer(edge + 1), .integer(edge + 3))], unique: [["n"]]),
        entity("C", [attribute("n", .integer64, nil, .integer(.min + 2))], unique: [["n"]]),
      ])
    #expect(counts == ["A": 8, "B": 3, "C": 3])
    #expect(try rows("SELECT min(ZN), max(ZN) FROM ZB") == ["\(edge + 1)|\(edge + 3)"])
    #expect(try rows("SELECT max(ZN), count(DISTINCT ZN) FROM ZC") == ["\(Int64.min + 2)|3"])
  }

  @Test func `Attributes of a row have different values from the first row on`() throws {
    try write(
      [
        entity(
          "E",
          ["a", "b", "u", "v"].map { attribute($0, .string) } + ["i", "j", "k", "l"].map { attribute($0, .integer16) }
            + ["r", "s"].map { attribute($0, .double) } + ["x", "y", "z"].map { attribute($0, .boolean) },
          unique: [["u"], ["v"]])
      ], rows: 8)
    #expect(
      try rows(
        """
        SELECT sum(ZA = ZB OR ZU = ZV OR ZR = ZS OR ZI IN (ZJ, ZK, ZL) OR ZJ IN (ZK, ZL) OR ZK = ZL), sum(ZX = ZZ) < 8,
        sum(ZY = ZZ) < 8, sum(ZX = ZY) FROM ZE
        """) == ["0|1|1|0"])
  }

  @Test func `A composite that is unique has different elements`() throws {
    let kind = AttributeDescription("kind", .composite, elements: [attribute("kind", .string, nil, .integer(1))])
    try write([entity("P", [kind], unique: [["kind"]])], rows: 30)
    #expect(try rows("SELECT count(*), count(DISTINCT ZKIND) FROM ZP") == ["30|30"])
    #expect(try rows("SELECT count(*) FROM sqlite_schema WHERE name = 'Z_P_UNIQUE_kind'") == ["1"])
  }

  @Test func `A long text is made, and one that is too long ends the search`() throws {
    try write([entity("Text", [attribute("t", .string, pattern: "(b{100}){100}")])], rows: 3)
    #expect(try rows("SELECT DISTINCT length(ZT) FROM ZTEXT") == ["10000"])
  }

  @Test func `Values keep to their limits, whatever these are`() throws {
    try write(
      [
        entity(
          "Limit",
          [
            attribute("a", .integer16, .integer(5000), .integer(6000)),
            attribute("b", .integer32, nil, .integer(-2000)),
            attribute("c", .string, .integer(2), .integer(2)), attribute("d", .double, .double(0.1), .double(0.2)),
            attribute("e", .decimal, .double(0.1), .double(0.9)), attribute("f", .date, .date(1000.3), .date(1000.4)),
            attribute("g", .integer64, .double(-1e300), .double(1e300)),
          ])
      ], rows: 60)
    #expect(
      try rows(
        """
        SELECT count(*), sum(ZA BETWEEN 5000 AND 6000), sum(ZB <= -2000), sum(ZD BETWEEN 0.1 AND 0.2),
        sum(ZE BETWEEN 0.1 AND 0.9), sum(ZF BETWEEN 1000.3 AND 1000.4) FROM ZLIMIT
        """) == ["60|60|60|60|60|60"])
  }

  @Test(arguments: [
    (#"[A-Z]{2,3}-\d{4}"#, "^[A-Z]{2,3}-[0-9]{4}$"), ("^(red|green|blue)$", "^(red|green|blue)$"),
    (#"\w+@[a-z]+\.(com|org)"#, #"^\w+@[a-z]+\.(com|org)$"#), ("[^0-9]*x?", "^[^0-9]*x?$"),
    ("(?:ab)+c{2}", "^(ab)+cc$"),
  ])
  func `Texts match the pattern of their attribute`(pattern: String, checked: String) throws {
    try write([entity("Text", [attribute("t", .string, pattern: pattern)])], rows: 40)
    let expression = try NSRegularExpression(pattern: checked)
    let texts = try rows("SELECT ZT FROM ZTEXT")
    #expect(texts.count == 40)
    for text in texts {
      let whole = NSRange(text.startIndex..., in: text)
      #expect(expression.firstMatch(in: text, range: whole) != nil, "\(text)")
    }
  }

  @Test(arguments: [
    #"(?=.*\d)(?=.*[a-z])(?=.*[A-Z]).{8,}"#, #"(?=.{8,20}$)[a-z]+"#, #"(?!00)\d{2,4}"#, #"([a-z])\1-\1"#,
    #"(?<half>[0-9]{2})-\k<half>"#, "(?i)[a-f]{3}x?", "(?i:abc)D", #"(?>\p{Lu}+)\b"#, #"[\p{L}&&[^a-z]]{2}"#,
    "[[:alpha:]]+", #"[\u4e00-\u9fa5]{1,5}"#, "[一-龥]+", #"\x41\u0042"#, "[а-я]+", #"(?<=a|^)b"#, "()|x",
  ])
  func `Texts match what ICU understands`(pattern: String) throws {
    try write([entity("Text", [attribute("t", .string, pattern: pattern)])], rows: 12)
    let expression = try NSRegularExpression(pattern: "\\A(?:\(pattern))\\z")
    let texts = try rows("SELECT ZT FROM ZTEXT")
    #expect(texts.count == 12)
    for text in texts {
      #expect(expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil, "\(text)")
    }
  }

  @Test func `A pattern of which no text is known gives the default value, if that matches`() throws {
    var code = attribute("code", .string, pattern: "[a-z]{2}(?<=qzx|qz)")
    code.defaultValue = .string("qz")
    try write([entity("Text", [code])], rows: 3)
    #expect(try rows("SELECT DISTINCT ZCODE FROM ZTEXT") == ["qz"])
  }

  @Test(arguments: [#"(?<=a)\p{Lu}"#, "a(?=b)", "([a", "(b{1000}){1000}"])
  func `A pattern that no text matches names its attribute, unless that may be empty`(pattern: String) throws {
    var code = attribute("code", .string, pattern: pattern)
    code.defaultValue = .string("A")
    let error = #expect(throws: MigrationError.self) { try write([entity("Text", [code])], rows: 3) }
    #expect(error?.code == .validationFailed && error?.subject.entity == "Text" && error?.subject.property == "code")
    #expect(!Files.exists(store))
    code.isOptional = true
    try write([entity("Text", [code])], rows: 3)
    #expect(try rows("SELECT count(*), count(ZCODE) FROM ZTEXT") == ["3|0"])
  }

  @Test(arguments: [
    ("red|green|blue|red", 3), ("[ab]{1,2}", 6), ("a{0,50}", 51), ("(a|b)?(?!b)c?", 6), (#"([01])\1"#, 2),
  ])
  func `A unique text has as many rows as its pattern has texts`(pattern: String, count: Int) throws {
    let counts = try write(
      [entity("Text", [attribute("t", .string, pattern: pattern)], unique: [["t"]])], rows: 60)
    #expect(counts == ["Text": count])
    #expect(try rows("SELECT count(DISTINCT ZT) FROM ZTEXT") == ["\(count)"])
  }

  @Test func `Real numbers keep to their limits as their type holds them, and differ where they must`() throws {
    let tiny = Double(Float(1).ulp)
    let counts = try write(
      [
        entity(
          "F", [attribute("v", .float, .double(0), .double(0.1)), attribute("w", .float, .double(0.3), .double(0.7))],
          unique: [["v"]]),
        entity("G", [attribute("v", .float, .double(1), .double(1 + 4 * tiny))], unique: [["v"]]),
        entity("D", [attribute("v", .decimal, .double(0.1), .double(0.9))], unique: [["v"]]),
        entity("E", [attribute("v", .double, .double(0.1), .double(0.1))], unique: [["v"]]),
        entity(
          "H", [attribute("v", .double, .double(-Double.greatestFiniteMagnitude), .double(.greatestFiniteMagnitude))],
          unique: [["v"]]),
      ], rows: 30)
    #expect(counts == ["F": 30, "G": 5, "D": 30, "E": 1, "H": 30])
    #expect(
      try rows("SELECT count(DISTINCT ZV), min(ZV) >= 0, max(ZV) <= 0.1, min(ZW) >= 0.3, max(ZW) <= 0.7 FROM ZF") == [
        "30|1|1|1|1"
      ])
    #expect(try rows("SELECT count(DISTINCT ZV), min(ZV) >= 0.1, max(ZV) <= 0.9 FROM ZD") == ["30|1|1"])
    #expect(try rows("SELECT count(DISTINCT ZV) FROM ZG UNION ALL SELECT count(DISTINCT ZV) FROM ZH") == ["5", "30"])
  }

  // Relationships.

  @Test(arguments: [true, false])
  func `A required one-to-one leads to each of an abstract parent's subentities`(isInverseRequired: Bool) throws {
    let counts = try write([
      entity("Parent", [], [relationship("owner", "Owner", "parent", 0...1)], isAbstract: true),
      entity("One", of: "Parent"), entity("Two", of: "Parent"), entity("Three", of: "Parent"),
      entity("Owner", [], [relationship("parent", "Parent", "owner", 0...1, isOptional: !isInverseRequired)]),
    ])
    #expect(counts == ["One": 20, "Two": 20, "Three": 20, "Owner": 60])
    #expect(try rows("SELECT count(*), count(DISTINCT ZOWNER) FROM ZPARENT") == ["60|60"])
  }

  @Test func `Minima of to-many relationships are kept on both sides`() throws {
    let counts = try write([
      entity("A", [], [relationship("bs", "B", "as", 3...4)]), entity("B", [], [relationship("as", "A", "bs", 2...99)]),
      entity("List", [], [relationship("items", "Item", "list", 4...6)]),
      entity("Item", [], [relationship("list", "List", "items", 0...1)]),
      entity("Box", [], [relationship("things", "Thing", "box", 4...6, isOptional: true)]),
      entity("Thing", [], [relationship("box", "Box", "things", 0...1, isOptional: true)]),
    ])
    #expect(counts["Item"] == 80)
    #expect(
      try rows(
        "SELECT count(*) > 0, min(n) >= 4 FROM (SELECT count(*) n FROM ZTHING WHERE ZBOX NOT NULL GROUP BY ZBOX)") == [
          "1|1"
        ])
  }

  @Test func `A minimum is kept without an inverse, where each destination has one owner`() throws {
    let counts = try write([
      entity("A", [], [relationship("bs", "B", nil, 2...3)]), entity("B"),
    ])
    #expect(counts == ["A": 20, "B": 40])
  }

  @Test func `Required relationships may go round in circles`() throws {
    try write([
      entity("A", [], [relationship("b", "B", "a", 0...1)]),
      entity("B", [], [relationship("a", "A", "b", 0...1), relationship("c", "C", "b", 0...1)]),
      entity("C", [], [relationship("b", "B", "c", 0...1), relationship("d", "D", "cs", 0...1)]),
      entity("D", [], [relationship("cs", "C", "d", 2...99)]),
    ])
    #expect(try rows("SELECT min(n) >= 2 FROM (SELECT count(*) n FROM ZC GROUP BY ZD)") == ["1"])
  }

  @Test(arguments: [7, 20])
  func `Required relationships may lead to the entity itself`(rows count: Int) throws {
    let counts = try write(
      [
        entity(
          "Link", [],
          [relationship("next", "Link", "previous", 0...1), relationship("previous", "Link", "next", 0...1)]),
        entity("Person", [], [relationship("partner", "Person", "partner", 0...1)]),
        entity("Node", [], [relationship("near", "Node", "near", 5...99)]),
      ], rows: count)
    #expect(counts["Link"] == count && counts["Person"] == count + count % 2 && counts["Node"] == count)
    #expect(try rows("SELECT sum(ZNEXT = Z_PK) FROM ZLINK") == ["0"])
  }

  @Test func `What cannot have enough partners has fewer rows`() throws {
    let counts = try write(
      [
        entity(
          "Switch", [attribute("isOn", .boolean)], [relationship("lamp", "Lamp", "lampSwitch", 0...1)],
          unique: [["isOn"]]),
        entity("Lamp", [], [relationship("lampSwitch", "Switch", "lamp", 0...1)]),
      ], rows: 10)
    #expect(counts == ["Switch": 2, "Lamp": 2])
  }

  @Test func `A rule that no store can keep names its entity and property`() throws {
    let error = #expect(throws: MigrationError.self) {
      try write([entity("Gap", [attribute("size", .integer16, .integer(5), .integer(3))])], rows: 3)
    }
    #expect(error?.code == .validationFailed)
    #expect(error?.subject.entity == "Gap" && error?.subject.property == "size", "\(String(describing: error))")
    #expect(!Files.exists(store))
  }
}
