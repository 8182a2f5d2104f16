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
}
