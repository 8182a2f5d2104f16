import Foundation
import TestSupport
import Testing

@Suite("The models explain command with mapping models")
struct ExplainMappingTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private let bundle = MappingFixture.books + "/Books.xcdatamodeld"
  private let first = MappingFixture.bookMappings[0]

  @Test func `A matching mapping model is shown in full`() throws {
    let result = try successfully("models", "explain", first, bundle)
    #expect(
      result.lines.first == "'\(first)' fits: it leads from '\(bundle):Books' to '\(bundle):Books 2'.")
    for line in [
      "Its file names 'Books' as the source and 'Books 2' as the destination.",
      "Books    named, fits  not named, 1 missing",
      "It is carried out instance by instance, since mapping 'BookToBook' has the policy "
        + "'Policies.BookToBookMigrationPolicy'.",
      "3. BookToBook: custom from Book to Book", "  policy     Policies.BookToBookMigrationPolicy",
      "  user info  modelVersion=2", "  title     attribute     $source.title", "  users     relationship  empty",
      "  name      attribute     default value",
      #"  books     relationship  FUNCTION($manager, "destinationInstancesForEntityMappingNamed:sourceInstances:", "BookToBook", $source.books)"#,
    ] {
      #expect(result.lines.contains(line), "\(line)\nin\n\(result)")
    }
    let json = try successfully("models", "explain", first, bundle, "--format", "json").json()
    #expect(json["verdict"] as? String == "fits")
    #expect(json["is_compiled"] as? Bool == false)
    let mappings = try #require(json["entity_mappings"] as? [[String: Any]])
    #expect(mappings.map { $0["name"] as? String } == ["UserToUser", "Author", "BookToBook"])
    #expect((mappings[2]["user_info"] as? [String: String]) == ["modelVersion": "2"])
    #expect((json["version_pairs"] as? [[String: String]]) == [["source": "Books", "destination": "Books 2"]])
  }

  @Test(arguments: MappingFixture.all)
  func `The mapping models of the samples match without warnings`(mapping: String, bundle: String) throws {
    let result = try successfully("models", "explain", mapping, bundle, "--format", "json")
    #expect(try result.findings().allSatisfy { $0.hasPrefix("suggestion|") }, "\(result)")
  }

  @Test func `Two models can be named instead of a bundle`() throws {
    let fitting = try tracksMigrate("models", "explain", first, bundle + ":Books", bundle + ":Books 2")
    #expect(fitting.status == 0, "\(fitting)")
    let alone = bundle + "/Books.xcdatamodel"
    #expect(try tracksMigrate("models", "explain", first, alone, bundle + ":Books 2").status == 0)
    let swapped = try tracksMigrate(
      "models", "explain", first, bundle + ":Books 2", bundle + ":Books", "--format", "json")
    #expect(swapped.status == 3)
    let findings = try swapped.findings()
    #expect(findings.prefix(2) == ["error|||other-version", "error|||other-version"])
    #expect(findings.contains("error|Author||missing-entity"))
    #expect(try swapped.json()["verdict"] as? String == "differs")
  }

  @Test func `Every obstacle is reported with the nearest names`() throws {
    let mapping = try folder.mappingModel(
      "Böse \"M\".xcmappingmodel", like: first, replacing: ("Books 2.xcdatamodel", with: "Book 2.xcdatamodel"),
      (">Author<", with: ">Autor<"), (">fileURL<", with: ">fileUrl<"))
    let result = try tracksMigrate("models", "explain", mapping, bundle)
    #expect(result.status == 3)
    for text in [
      "does not lead from '\(bundle):Books' to '\(bundle):Books 2', for 2 reasons.",
      "the file names 'Book 2' as its destination, which the bundle does not have; the nearest is 'Books 2'",
      "the destination model has no entity 'Autor'; the nearest is 'Author'",
      "the destination has no such property, so the mapping is left out; the nearest is 'fileURL'",
    ] {
      #expect(result.stdout.contains(text), "\(text)\nin\n\(result)")
    }
  }

  @Test func `An unreadable version is reported and the others are tried`() throws {
    let entity = #"<entity name="E"><attribute name="x" optional="YES" attributeType="String"/></entity>"#
    let bundle = try folder.models("M.xcdatamodeld", ["A": entity, "B": entity, "C": "<nonsense"])
    let mapping = try folder.mappingModel("1.xcmappingmodel", entities: ["E"])
    let result = try successfully("models", "explain", mapping, bundle)
    #expect(result.lines.contains("C        cannot be read  cannot be read"), "\(result)")
    let json = try successfully("models", "explain", mapping, bundle, "--format", "json").json()
    #expect((json["versions"] as? [[String: Any]])?.map { $0["is_readable"] as? Bool } == [true, true, false])
    let none = try folder.models("N.xcdatamodeld", ["A": "<nonsense", "B": "<nonsense"])
    let unreadable = try tracksMigrate("models", "explain", mapping, none)
    #expect(unreadable.status == 65)
    #expect(unreadable.stdout == "")
  }

  @Test func `Text of a file cannot control the terminal`() throws {
    let mapping = try folder.mappingModel(
      "M.xcmappingmodel", like: first,
      replacing: (">modelVersion<", with: ">modelVersion<"), ("Policies.BookTo", with: "P&#9;&#10;x"))
    let result = try tracksMigrate("models", "explain", mapping, bundle)
    #expect(result.status == 0, "\(result)")
    #expect(result.stdout.contains(#"P\t\nxBookMigrationPolicy"#))
  }

  @Test(.enabled(if: ModelFixture.hasCorpus, "needs ../shared/corpus"))
  func `Apple's compiled mapping model matches Apple's versions by its hashes`() throws {
    let sample = MappingFixture.sample
    for bundle in ["SampleModel.xcdatamodeld", "Fixtures/SampleModel.momd"] {
      let result = try tracksMigrate("models", "explain", sample + "/Fixtures/V2toV3.cdm", "\(sample)/\(bundle)")
      #expect(result.status == 0, "\(result)")
      #expect(result.stdout.contains("it leads from '\(sample)/\(bundle):SampleModel2' to"))
      #expect(result.lines.contains("SampleModel2  fits                    1 missing, 4 differing"))
    }
  }

  @Test(.enabled(if: ModelFixture.hasCorpus, "needs ../shared/corpus"))
  func `Versions that were not named explain the hashes in full`() throws {
    let bundle = MappingFixture.sample + "/SampleModel.xcdatamodeld"
    let result = try tracksMigrate(
      "models", "explain", MappingFixture.sample + "/Fixtures/V2toV3.cdm", bundle + ":SampleModel",
      bundle + ":SampleModel2", "--format", "json")
    #expect(result.status == 3)
    let differences = try result.differences()
    #expect(differences.contains("Car|relationship|createdBy|removed|||changes"), "\(differences)")
    #expect(differences.allSatisfy { !$0.contains("|unknown|") })
  }

  @Test(.enabled(if: ModelFixture.hasCorpus, "needs ../shared/corpus"))
  func `A difference from a compiled mapping model's version is found by its hashes`() throws {
    let sample = MappingFixture.sample
    let source = sample + "/SampleModel.xcdatamodeld:SampleModel2"
    // A single attribute differs in the destination.
    let xml = try Files.text(sample + "/SampleModel.xcdatamodeld/SampleModel3.xcdatamodel/contents")
    let altered = xml.replacing(
      #"<attribute name="name" attributeType"#, with: #"<attribute name="name" optional="YES" attributeType"#)
    #expect(altered != xml)
    _ = try folder.makeFolder("M.xcdatamodel")
    try folder.write(Array(altered.utf8), to: "M.xcdatamodel/contents")
    let words = ["models", "explain", sample + "/Fixtures/V2toV3.cdm", source, folder.file("M.xcdatamodel")]
    let result = try CommandRunner(words).run()
    #expect(result.status == 3)
    #expect(
      result.lines.contains { $0.wholeMatch(of: /Maker +destination +c68d3960033c… +[0-9a-f]{12}…/) != nil },
      "\(result)")
    #expect(
      result.lines.contains {
        $0.wholeMatch(of: /destination +Maker +attribute +name +optional +NO +YES +changes/) != nil
      },
      "\(result)")
    let json = try CommandRunner(words + ["--format", "json"]).run()
    #expect(try json.differences() == ["Maker|attribute|name|isOptional|NO|YES|changes"])
    #expect(try json.findings().filter { $0.hasPrefix("error") } == ["error|Maker||version-hash-mismatch"])
  }
}
