import Foundation
import TestSupport
import Testing

@Suite("Patterns of attributes in fixtures")
struct FixturePatternTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func model(_ pattern: String) throws -> String {
    let attributes = """
      <attribute name="code" attributeType="String" regularExpressionString="\(pattern)"/>
      <attribute name="share" attributeType="Float" minValueString="0" maxValueString="0.1"/>
      <uniquenessConstraints><uniquenessConstraint><constraint value="code"/></uniquenessConstraint></uniquenessConstraints>
      """
    let added = "<attribute name=\"note\" optional=\"YES\" attributeType=\"String\"/>"
    return try folder.models(
      "M.xcdatamodeld",
      ["v1": "<entity name=\"P\">\(attributes)</entity>", "v2": "<entity name=\"P\">\(added)\(attributes)</entity>"],
      current: "v2")
  }

  @Test func `A store has texts that match, numbers within limits, and is migrated in a rehearsal`() throws {
    let model = try model(#"(?=.*\d)([a-z])\w{3,9}\1"#)
    let store = folder.file("P.sqlite")
    try successfully("fixture", "new", "--rows", "20", "--model", "\(model):v1", store)
    #expect(
      try Database.rows(
        """
        SELECT count(DISTINCT ZCODE), sum(ZCODE GLOB '*[0-9]*' AND substr(ZCODE, 1, 1) = substr(ZCODE, -1)),
        sum(ZSHARE BETWEEN 0 AND 0.1) FROM ZP
        """, in: store) == ["20|20|20"])
    try successfully("rehearse", "--model", model, "--rows", "20")
  }

  @Test func `A pattern that no text matches is a problem of its entity and attribute`() throws {
    let model = try model("(?&lt;=a)b")
    let store = folder.file("P.sqlite")
    let made = try CommandRunner(["fixture", "new", "--model", "\(model):v1", store]).run()
    #expect(made.status != 0 && made.stderr.contains("P, code: ") && made.stderr.contains("(?<=a)b"), "\(made)")
    #expect(!FileManager.default.fileExists(atPath: store))
    let rehearsed = try CommandRunner(["rehearse", "--model", model]).run()
    #expect(rehearsed.status == 3 && rehearsed.stdout.contains("P, code: "), "\(rehearsed)")
  }

  @Test(arguments: [
    ("Float", "1e300", ""), ("Float", "", "-1e300"), ("Double", "2", "1"), ("Integer 16", "7", "5"),
    ("Integer 16", "40000", ""), ("Integer 32", "", "-3000000000"), ("Integer 64", "99999999999999999999", ""),
    ("Integer 32", "1.2", "1.8"),
  ])
  func `Limits that no number of the type keeps are a problem of their attribute`(
    type: String, minimum: String, maximum: String
  ) throws {
    func model(_ optional: String) throws -> String {
      let limits = [("minValueString", minimum), ("maxValueString", maximum)].filter { !$0.1.isEmpty }
        .map { "\($0.0)=\"\($0.1)\"" }.joined(separator: " ")
      let attribute = #"<attribute name="n" attributeType="\#(type)" \#(optional) \#(limits)/>"#
      return try folder.models(
        "M\(optional.count).xcdatamodeld", ["v1": "<entity name=\"P\">\(attribute)</entity>"], current: "v1")
    }
    func made(_ optional: String) throws -> CommandResult {
      try CommandRunner(["fixture", "new", "--model", model(optional), folder.file("P.sqlite")]).run()
    }
    let lint = try CommandRunner(["models", "lint", model(#"optional="YES""#)]).run()
    #expect(lint.status == 3 && lint.stdout.contains("error: P.n: no number of its type is between"), "\(lint)")
    #expect(lint.stdout.contains("(\(type)") && lint.stdout.contains("[unreachable-limits]"), "\(lint)")
    let refused = try made("")
    #expect(refused.status != 0 && refused.stderr.contains("P, n: no number of its type is between"), "\(refused)")
    #expect(!Files.exists(folder.file("P.sqlite")))
    #expect(try made(#"optional="YES""#).status == 0)
    #expect(try Database.value("SELECT count(ZN) FROM ZP", in: folder.file("P.sqlite")) == "0")
  }

  @Test(arguments: [
    ("Integer 16", "maxValueString", "40000", "its maximum 40000 is not a value of Integer 16"),
    ("Integer 32", "minValueString", "-3000000000", "its minimum -3000000000 is not a value of Integer 32"),
    ("Integer 64", "minValueString", "1.5", "its minimum 1.5 is not a value of Integer 64"),
    ("String", "maxValueString", "2.5", "its maximum 2.5 is not a value of String"),
  ])
  func `A limit that its type does not have is found by lint, and kept by a fixture`(
    type: String, limit: String, text: String, message: String
  ) throws {
    let attribute = "<attribute name=\"n\" attributeType=\"\(type)\" \(limit)=\"\(text)\"/>"
    let model = try folder.models("M.xcdatamodeld", ["v1": "<entity name=\"P\">\(attribute)</entity>"], current: "v1")
    let lint = try CommandRunner(["models", "lint", model]).run()
    #expect(lint.status == 3 && lint.stdout.contains("warning: P.n: \(message)"), "\(lint)")
    let store = folder.file("P.sqlite")
    try successfully("fixture", "new", "--model", model, store)
    let isKept =
      type == "String" ? "length(ZN) <= \(text)" : limit.hasPrefix("min") ? "ZN >= \(text)" : "ZN <= \(text)"
    #expect(try Database.value("SELECT min(\(isKept)) FROM ZP", in: store) == "1")
  }

  @Test(arguments: [
    ("Integer 16", "minValueString", "minimum"), ("String", "maxValueString", "maximum"),
    ("Date", "minDateTimeInterval", "minimum"), ("Decimal", "maxValueString", "maximum"),
  ])
  func `A limit that is not a number is named by lint and by a fixture`(
    type: String, limit: String, side: String
  ) throws {
    let attribute = "<attribute name=\"n\" attributeType=\"\(type)\" \(limit)=\"1O\"/>"
    let model = try folder.models("M.xcdatamodeld", ["v1": "<entity name=\"P\">\(attribute)</entity>"], current: "v1")
    let lint = try CommandRunner(["models", "lint", model]).run()
    #expect(lint.status == 3 && lint.stdout.contains("P.n: its \(side) '1O' is not a number"), "\(lint)")
    let made = try CommandRunner(["fixture", "new", "--model", model, folder.file("P.sqlite")]).run()
    #expect(made.status == 65 && made.stderr.contains("P, n: its \(side) '1O' is not a number"), "\(made)")
    #expect(!Files.exists(folder.file("P.sqlite")))
  }

  @Test func `The greatest whole number is a limit that nothing is wrong with`() throws {
    let attribute =
      "<attribute name=\"n\" attributeType=\"Integer 64\" minValueString=\"0\" maxValueString=\"9223372036854775807\"/>"
    let model = try folder.models("M.xcdatamodeld", ["v1": "<entity name=\"P\">\(attribute)</entity>"], current: "v1")
    #expect(try successfully("models", "lint", model).stdout == "Nothing found.\n")
  }

  @Test func `A Decimal keeps limits far from zero`() throws {
    let attribute = #"<attribute name="n" attributeType="Decimal" minValueString="5000000000"/>"#
    let model = try folder.models("M.xcdatamodeld", ["v1": "<entity name=\"P\">\(attribute)</entity>"], current: "v1")
    let store = folder.file("P.sqlite")
    try successfully("fixture", "new", "--model", model, store)
    #expect(try Database.value("SELECT count(*) > 0 AND min(ZN) >= 5000000000 FROM ZP", in: store) == "1")
  }
}
