import Foundation
import TestSupport
import Testing

@Suite("The models lint and diff commands with mapping models")
struct LintMappingTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func lint(_ words: [String]) throws -> CommandResult {
    try CommandRunner(["models", "lint", "--format", "csv"] + words).run()
  }

  // MARK: - lint

  @Test func `The lint command finds in the samples only that their apps migrate step by step`() throws {
    let notes = MappingFixture.notes
    for words in [
      [MappingFixture.books + "/Books.xcdatamodeld"] + MappingFixture.bookMappings, MappingFixture.bookMappings,
      [
        notes + "/Notes.xcdatamodeld", notes + "/Notes_v2_to_v3.xcmappingmodel",
        notes + "/Notes_v3_to_v4.xcmappingmodel",
      ],
      [Readme.root + "/SampleData/Tracks/Tracks.xcmappingmodel", ModelFixture.tracks],
    ] {
      let result = try CommandRunner(["models", "lint"] + words).run()
      #expect(result.lines.allSatisfy { $0.hasSuffix("[needs-hops]") || $0 == "Nothing found." }, "\(result)")
      #expect(result.status == 0)
    }
  }

  private func bundle() throws -> String {
    try folder.models(
      "M.xcdatamodeld",
      [
        "A": #"<entity name="E"><attribute name="x" optional="YES" attributeType="String"/></entity>"#,
        "B":
          #"<entity name="E"><attribute name="x" optional="YES" attributeType="String"/><attribute name="y" optional="YES" attributeType="String"/></entity>"#,
        "C": #"<entity name="F"><attribute name="x" attributeType="String"/></entity>"#,
      ], current: "B")
  }

  @Test func `The lint command compares mapping models with the versions and each other`() throws {
    let bundle = try bundle()
    let good = try folder.mappingModel("1 \"ü\".xcmappingmodel", entities: ["E"])
    let twice = try folder.mappingModel("2.xcmappingmodel", entities: ["E"], policy: "Nobody")
    let lost = try folder.mappingModel("3.xcmappingmodel", entities: ["E", "G"], from: "A", to: "Z")
    let broken = try folder.mappingModel("4.xcmappingmodel", xml: "<nonsense")
    let result = try lint([bundle, good, twice, lost, broken, "--suggest"])
    #expect(result.status == 3)
    let rows = result.lintRows()
    // The value of 'x' is lost unless a policy copies it.
    #expect(rows.contains("warning,,,x,unmentioned-property,EToE"), "\(result)")
    #expect(rows.contains("suggestion,,,x,unmentioned-property,EToE"))
    #expect(rows.contains("error,,,,covered-twice,EToE"))
    #expect(rows.contains("suggestion,,,,unregistered-policy,EToE"))
    #expect(rows.contains("error,,,,unknown-version,"))
    #expect(rows.contains("error,,,,missing-entity,GToG"))
    #expect(rows.contains("error,,,,unreadable-mapping-model,"))
    #expect(result.lines.first == "severity,version,entity,property,id,finding,advice,mapping_model,entity_mapping")
    // There is a mapping model from A to B, but none from B to C.
    #expect(rows.filter { $0.contains("mapping-model-needed") } == ["suggestion,C,,,no-mapping-model-needed,"])
    let lines = try tracksMigrate("models", "lint", good, twice).stdout
    #expect(lines.contains("\(twice): error: ") && lines.contains("leave one of the two out [covered-twice]\n"))
    let commands = try tracksMigrate("models", "lint", good, twice, "--format", "github").stdout
    #expect(commands.contains("::error file=\(twice)/xcmapping.xml,title=covered-twice::"))
    let sarif = try tracksMigrate("models", "lint", good, twice, "--format", "sarif").stdout
    let log = try #require(try JSONSerialization.jsonObject(with: Data(sarif.utf8)) as? [String: Any])
    let results = try #require((log["runs"] as? [[String: Any]])?.first?["results"] as? [[String: Any]])
    #expect(results.contains { $0["ruleId"] as? String == "covered-twice" && $0["level"] as? String == "error" })
    let table = try tracksMigrate("models", "lint", good, twice, "--format", "table")
    #expect(table.status == 3)
    #expect(table.lines.first?.hasPrefix("SEVERITY  WHERE") == true)
    #expect(table.stdout.contains("leave one of the two out"))
  }

  @Test(.enabled(if: ModelFixture.hasCorpus, "needs ../shared/corpus"))
  func `Leftovers of Xcode are counted and listed on request`() throws {
    let books = ModelFixture.corpus + "/objcio-BookMigration"
    let words = [
      "\(books)/Model.xcdatamodeld", "\(books)/Model1_to_Model2.xcmappingmodel",
      "\(books)/Model2_to_Model3.xcmappingmodel", "\(books)/Model2_to_Model3_User.xcmappingmodel",
    ]
    #expect(try lint(words).lintRows().allSatisfy { $0.contains("needs-hops") })
    let counted = try lint(words + ["--suggest"])
    #expect(counted.status == 0)
    #expect(counted.stdout.contains("1 entity mapping and 2 property mappings"))
    #expect(counted.stdout.contains("3 entity mappings and 8 property mappings"))
    #expect(!counted.stdout.contains("orphan-"))
    let listed = try lint(words + ["--verbose"])
    #expect(listed.status == 0)
    #expect(listed.lintRows().count { $0.contains("orphan-entity-mapping") } == 4)
    #expect(listed.lintRows().count { $0.contains("orphan-property-mapping") } == 10)
    #expect(listed.stdout.contains("'migrate --policy', as in 'MHWBookToBookPolicy="))
  }

  @Test func `Stale and ambiguous renaming identifiers are warnings`() throws {
    func attributes(_ names: [(String, String?)]) -> String {
      let elements = names.map { name, identifier in
        let renaming = identifier.map { " elementID=\"\($0)\"" } ?? ""
        return "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"String\"\(renaming)/>"
      }
      return "<entity name=\"E\">\(elements.joined())</entity>"
    }
    let bundle = try folder.models(
      "M.xcdatamodeld",
      [
        "A": attributes([("x", nil), ("y", nil)]),
        // The renaming is new here and unchanged in the next version, so it is not stale.
        "B": attributes([("x", nil), ("z", "y")]),
        "C": attributes([("x", "gone"), ("z", "y")]),
        "D": attributes([("p", "x"), ("q", "x"), ("z", "y")]),
      ], current: "D")
    let result = try lint([bundle])
    #expect(result.status == 3)
    #expect(
      result.lintRows() == [
        "warning,C,,,same-hashes,", "warning,C,E,x,stale-renaming-identifier,", "warning,D,E,p,ambiguous-renaming,",
      ], "\(result)")
    #expect(result.stdout.contains("'gone' matches nothing in 'B'"))
  }

  // MARK: - diff

  @Test func `The diff command lists all reasons why a mapping model is needed`() throws {
    let bundle = try folder.models(
      "M.xcdatamodeld",
      [
        "A":
          #"<entity name="E"><attribute name="n" optional="YES" attributeType="String"/></entity>"#,
        "B":
          #"<entity name="E"><attribute name="n" optional="YES" attributeType="Integer 64"/><attribute name="m" attributeType="String"/></entity>"#,
      ])
    let table = try tracksMigrate("models", "diff", bundle + ":A", bundle + ":B")
    #expect(table.status == 3)
    #expect(table.lines[1] == "They need a mapping model:")
    #expect(table.lines[2].hasPrefix("  'E.m': the new attribute is required"))
    #expect(table.lines[3].hasPrefix("  'E.n': source and destination attribute types are incompatible"))
    let json = try tracksMigrate("models", "diff", bundle + ":A", bundle + ":B", "--format", "json")
    #expect(json.status == 3)
    let migration = try #require(try json.json()["migration"] as? [String: Any])
    #expect(migration["is_migration_needed"] as? Bool == true)
    #expect(migration["needs_mapping_model"] as? Bool == true)
    #expect((migration["reasons"] as? [[String: Any]])?.map { $0["property"] as? String } == ["m", "n"])
    #expect(
      (migration["reasons"] as? [[String: Any]])?.allSatisfy { ($0["advice"] as? String)?.isEmpty == false } == true)
  }

  @Test func `The diff command lists what a migration without a mapping model loses`() throws {
    let versions = [ModelFixture.tracks + ":Tracks", ModelFixture.tracks + ":Tracks 2"]
    let json = try CommandRunner(["models", "diff", "--format", "json"] + versions).run()
    let migration = try #require(try json.json()["migration"] as? [String: Any])
    #expect(migration["needs_mapping_model"] as? Bool == false)
    #expect((migration["losses"] as? [[String: Any]])?.map { $0["property"] as? String } == ["artistName", "json"])
    #expect((migration["reasons"] as? [Any])?.isEmpty == true)
    let back = try tracksMigrate("models", "diff", versions[1], versions[1], "--format", "json")
    #expect(back.status == 0)
    #expect(try (back.json()["migration"] as? [String: Any])?["is_migration_needed"] as? Bool == false)
    // Formats for other programs have no verdict.
    #expect(try CommandRunner(["models", "diff", "--format", "ndjson"] + versions).run().lines.count == 4)
  }
}
