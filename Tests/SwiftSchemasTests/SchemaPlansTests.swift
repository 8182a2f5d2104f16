import SwiftSchemas
import TestSupport
import Testing

@Suite("Migration plans of Swift source")
struct SchemaPlansTests {
  private func plans(_ json: String) throws -> SchemaPlans {
    let folder = try TemporaryFolder()
    try Files.write(json, to: folder.file("SwiftData.json"))
    return try SchemaPlans(bundle: folder.path)
  }

  @Test func `Versions follow each other by their identifiers, and then as a plan lists them`() throws {
    let plans = try plans(
      """
      {"plans": [{"name": "Plan", "schemas": ["Second", "First", "Last"],
        "stages": [{"kind": "custom", "from": "Second", "to": "First", "moments": []}]}],
        "versions": {"First": "1.9.0", "Second": "1.9.0", "Last": "1.10.0", "Other": "1.9.0"}, "unlisted": []}
      """)
    #expect(plans.orderedVersions == ["Second", "First", "Other", "Last"])
    #expect(plans.plans[0].hops.map { "\($0.from) \($0.to)" } == ["Second First", "First Last"])
    #expect(plans.plans[0].hops.map(plans.plans[0].stages[0].isHop) == [true, false])
    #expect(plans.isVersioned)
  }

  @Test func `Classes without a version are one version of their own`() throws {
    #expect(try !plans(#"{"plans": [], "versions": {"Models": "1.0.0"}, "unlisted": []}"#).isVersioned)
    #expect(try plans(#"{"plans": [], "versions": {"V1": "1.0.0"}, "unlisted": ["Trip"]}"#).isVersioned)
  }

  @Test func `A damaged list of plans is an error`() throws {
    #expect(throws: SwiftSchemaError.self) { try plans("{}") }
  }
}
