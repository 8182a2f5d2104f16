import Foundation
import TestSupport
import Testing

@Suite("The models show and hash commands")
struct ShowModelTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private let rich = """
    <entity name="Base" isAbstract="YES" representedClassName="B" elementID="Old">
      <attribute name="a b" attributeType="String" defaultValueString="x" maxValueString="9" elementID="z">
        <userInfo><entry key="k" value="v"/></userInfo></attribute>
      <attribute name="data" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
      <fetchIndex name="i"><fetchIndexElement property="a b" type="Binary" order="descending"/></fetchIndex>
      <uniquenessConstraints><uniquenessConstraint><constraint value="a b"/></uniquenessConstraint></uniquenessConstraints>
    </entity>
    <entity name="Ünder" parentEntity="Base" versionHashModifier="7">
      <relationship name="all" optional="YES" toMany="YES" ordered="YES" deletionRule="Cascade" destinationEntity="Base"/>
    </entity>
    <configuration name="C"><memberEntity name="Base"/></configuration>
    <fetchRequest name="R" entity="Base" predicateString="1 == 1"/>
    """

  @Test func `The show command prints everything in a model`() throws {
    let bundle = try folder.models("M 1.xcdatamodeld", ["A": "", "B": rich], current: "B")
    let text = try successfully("models", "show", bundle).stdout
    for line in [
      "versions       A, B (current)", "configuration  C (Base)", "fetch request  R (Base where 1 == 1)",
      "  abstract      yes", "  class         B", "  renamed from  Old", "  unique        a b",
      "  index         i (a b descending)", "  parent                 Base", "  version hash modifier  7",
      #"  a b       attribute  String  required  "x"      renamed from z; maximum 9; k=v"#,
      "  data      attribute  Binary  optional           external storage",
      "  all       relationship  to-many Base  optional           no inverse; ordered; on delete cascade",
    ] {
      #expect(text.contains("\n\(line)\n"), "\(line)\nin\n\(text)")
    }
    let empty = try successfully("models", "show", "\(bundle):A").stdout
    #expect(empty.contains("\nentities     0\n"))
  }

  @Test func `The show command has the same content in all formats`() throws {
    let bundle = try folder.models("M.xcdatamodeld", ["B": rich])
    let json = try successfully("models", "show", bundle, "--format", "json").json()
    let entities = try #require(json["entities"] as? [[String: Any]])
    #expect(entities.map { $0["name"] as? String } == ["Base", "Ünder"])
    #expect(entities.map { $0["is_abstract"] as? Bool } == [true, false])
    #expect(((entities[0]["attributes"] as? [[String: Any]])?.first?["user_info"] as? [String: String]) == ["k": "v"])
    let relationship = try #require((entities[1]["relationships"] as? [[String: Any]])?.first)
    #expect(relationship["is_optional"] as? Bool == true)
    #expect(relationship["is_ordered"] as? Bool == true)
    #expect(relationship["is_to_many"] as? Bool == true)
    #expect(relationship["is_transient"] as? Bool == false)
    let data = try #require((entities[0]["attributes"] as? [[String: Any]])?.last)
    #expect(data["allows_external_binary_data_storage"] as? Bool == true)
    #expect(data["preserves_value_in_history_on_deletion"] as? Bool == false)
    #expect(data["is_derived"] as? Bool == false)
    let lines = try successfully("models", "show", bundle, "--format", "csv").lines
    #expect(lines.first == "entity,property,kind,type,optional,default,details")
    #expect(lines.count == 6)
    #expect(try successfully("models", "show", bundle, "--format", "ndjson").lines.count == 5)
  }

  @Test func `A name cannot control the terminal`() throws {
    let name = "E&#9;&#10;version hash"
    let bundle = try folder.models("M.xcdatamodeld", ["B": "<entity name=\"\(name)\"/>"])
    #expect(try successfully("models", "show", bundle).stdout.contains(#"E\t\nversion hash"#))
  }

  @Test func `The show command writes a model for Xcode and overwrites nothing`() throws {
    let bundle = try folder.models("M.xcdatamodeld", ["B": rich])
    let output = folder.file("Copy of M.xcdatamodel")
    let result = try successfully("models", "show", bundle, "--as", "xcdatamodel", "--output", output)
    #expect(result.stdout == "")
    #expect(
      try Files.text(output + "/contents") == successfully("models", "show", bundle, "--as", "xcdatamodel").stdout)
    #expect(try tracksMigrate("models", "diff", bundle, output).status == 0)
    let before = try Files.text(output + "/contents")
    let again = try tracksMigrate("models", "show", bundle, "--as", "xcdatamodel", "--output", output)
    #expect(again.status == 73)
    #expect(again.stderr.contains("already exists"))
    #expect(try Files.text(output + "/contents") == before)
  }

  @Test(arguments: [
    (["show", "none.momd"], 66, "there is no model 'none.momd'. Check the path"),
    (["show", "M.xcdatamodeld:C"], 69, "the bundle has no version 'C'; it has 'A', 'B'"),
    (["show", "M.xcdatamodeld"], 69, "does not say which of its versions is current: 'A', 'B'"),
    (["show", "L.sqlite"], 65, "'L.sqlite' has no cached copy of its model. Give that model"),
    (["show", "L.sqlite:B"], 69, "it is a store, which has only one model"),
    (["hash", "."], 65, "'.' is not a usable model"),
    (["show", "M.xcdatamodeld:A", "--output", "x.xcdatamodel"], 64, "'--output' requires '--as xcdatamodel'."),
    (["show", "M.xcdatamodeld:A", "--as", "xcdatamodel", "--output", "x"], 64, "requires a name that ends in"),
    (["show", "M.xcdatamodeld:A", "--as", "xcdatamodel", "--output", "no/x.xcdatamodel"], 73, "cannot be created"),
    (["lint", "L.sqlite"], 65, "it is neither a model nor a mapping model"),
    (["diff", "M.xcdatamodeld:A", "L.sqlite"], 65, "has no cached copy"),
    (["explain", "M.xcdatamodeld", "M.xcdatamodeld"], 66, "is a folder"),
    (["hash"], 64, "the argument '<models> ...' is missing."),
    (["shw"], 64, "there is no command 'shw'. Did you mean 'show'?"),
  ])
  func `A wrong argument is reported and nothing is changed`(words: [String], status: Int32, message: String) throws {
    try refuses(words, status, message)
  }

  @Test(
    arguments: [
      (["explain", "L.sqlite", "M.xcdatamodeld", "N.momd"], 64, "a second model needs a mapping model"),
      (["explain", "1.xcmappingmodel", "M.xcdatamodeld"], 66, "there is no"),
      (["explain", "bad.cdm", "M.xcdatamodeld"], 78, "this is not a keyed archive"),
      (["explain", "good.xcmappingmodel", "M.xcdatamodeld:A"], 64, "is only one model"),
      (["explain", "good.xcmappingmodel", "none.momd"], 66, "there is no model 'none.momd'"),
      (["lint", "M.xcdatamodeld", "good.xcmappingmodel", "L.sqlite"], 64, "are two models"),
      (["lint", "good.xcmappingmodel", "L.sqlite"], 65, "it is neither a model nor a mapping model"),
    ] as [([String], Int32, String)])
  func `A wrong mapping model argument is reported and nothing is changed`(
    words: [String], status: Int32, message: String
  ) throws {
    try refuses(words, status, message)
  }

  private func refuses(_ words: [String], _ status: Int32, _ message: String) throws {
    _ = try folder.models("M.xcdatamodeld", ["A": "", "B": ""])
    _ = try folder.library("L.sqlite")
    _ = try folder.mappingModel("good.xcmappingmodel", entities: ["A"])
    try folder.write(Array("no archive".utf8), to: "bad.cdm")
    let names = try folder.listing()
    let result = try CommandRunner(["models"] + words, folder: folder.path).run()
    #expect(result.status == status, "\(result)")
    #expect(result.stdout == "")
    #expect(result.stderr.contains(message), "\(result.stderr)")
    #expect(try folder.listing() == names)
  }

  @Test func `The hashes are those that Apple's tools compute`() throws {
    let result = try successfully("models", "hash", ModelFixture.tracks, "--all-versions", "--format", "csv")
    let version = ModelFixture.tracks + ":Tracks"
    #expect(result.lines.contains("\(version),entity,Track,\(try #require(LibraryBuilder.v1Hashes["Track"])),"))
    #expect(result.lines.contains("\(version) 2,entity,Artist,\(try #require(LibraryBuilder.v2Hashes["Artist"])),"))
    #expect(result.lines.count == 8)
    let base64 = try successfully("models", "hash", ModelFixture.tracks, "--base64", "--format", "csv")
    #expect(base64.lines.contains("\(version) 2,entity,Artist,+jGdJ6F6k2RBwrJ5f7qcbd14oqe2cYckSDSSXcU7a1Y=,"))
  }

  @Test func `The hashes of a store are those in its metadata`() throws {
    let library = try folder.library("L.sqlite", LibraryBuilder(hashes: ["B": "00ff", "A": "12"]))
    let before = try folder.snapshot()
    let result = try successfully("models", "hash", library, "--format", "csv")
    #expect(
      result.lines == ["model,kind,entity,hash,model_cache", "\(library),entity,A,12,", "\(library),entity,B,00ff,"])
    #expect(try folder.snapshot() == before)
  }

  @Test(.enabled(if: ModelFixture.hasCorpus, "needs ../shared/corpus"), arguments: ModelFixture.corpusModels)
  func `Apple's models are shown and are written with the same hashes`(path: String) throws {
    let model = try folder.copyIfStore(path)
    for format in ["table", "json", "csv"] { try successfully("models", "show", model, "--format", format) }
    let output = folder.file("copy.xcdatamodel")
    try successfully("models", "show", model, "--as", "xcdatamodel", "--output", output)
    func hashes(_ path: String) throws -> [String] {
      try successfully("models", "hash", path, "--format", "csv").lines.dropFirst()
        .map { $0.replacing("\(path),", with: "").replacing(/,(equal)?$/, with: "") }
        // Stores of older systems contain no checksum and no digest.
        .filter { $0.hasPrefix("entity") }
    }
    #expect(try hashes(model) == hashes(output))
    #expect(try !hashes(model).isEmpty)
  }
}
