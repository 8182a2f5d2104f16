import DataModel
import TestSupport
import Testing

@testable import MappingModels
@testable import Migration
@testable import ModelInspection

@Suite struct MappingLintTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func bundle() throws -> ModelBundle {
    for (name, model) in [("Model 1", NoteModels.source), ("Model 2", NoteModels.destination)] {
      let path = try folder.makeFolder("Model.xcdatamodeld/\(name).xcdatamodel")
      try Files.write(try model.xml(), to: path + "/contents")
    }
    return try ModelBundle(path: folder.file("Model.xcdatamodeld"))
  }

  private func write(_ xml: MappingXML, _ name: String) throws -> String {
    let path = folder.file(name)
    try Files.write(xml.bytes, to: path)
    return path
  }

  private func remarks(
    _ files: MappingXML..., bundle: ModelBundle? = nil, policies: PolicyRegistry = PolicyRegistry(),
    listsLeftovers: Bool = false
  ) throws -> [ModelFinding] {
    var lint = MappingLint(bundle: bundle, policies: policies, listsLeftovers: listsLeftovers)
    for (place, file) in files.enumerated() { lint.check(path: try write(file, "\(place).xml")) }
    return lint.remarks
  }

  private let tags = MappingXML(MappingXML.Entity("a", from: "Note", to: "Tag").attribute("name"))

  @Test func `An unreadable file is reported once, and the other files are still checked`() throws {
    try Files.write("<nonsense", to: folder.file("bad.xml"))
    var lint = MappingLint(bundle: nil, policies: PolicyRegistry())
    for path in [folder.file("bad.xml"), folder.file("none.cdm"), try write(tags, "good.xml")] {
      lint.check(path: path)
    }
    #expect(lint.remarks.map(\.id) == ["unreadable-mapping-model", "unreadable-mapping-model"])
    #expect(lint.remarks.allSatisfy { $0.severity == .error })
  }

  @Test func `Leftover objects are counted or listed`() throws {
    var xml = tags
    xml.objects += MappingXML.Entity("b", from: "Note", to: "Note").attribute("title").attribute("body").objects
    let counted = try remarks(xml)
    #expect(counted.map(\.id) == ["leftovers"])
    #expect(
      counted.map(\.problem)
        == ["the file holds remains that nothing uses: 1 entity mapping and 2 property mappings"])
    #expect(counted.map(\.advice) == ["leave them; \(.verbose) lists them"])
    #expect(counted.map(\.severity) == [.suggestion])
    let listed = try remarks(xml, listsLeftovers: true)
    #expect(
      Set(listed.map(\.id)) == ["orphan-entity-mapping", "orphan-property-mapping", "orphan-number-clash"])
    #expect(listed.count { $0.id == "orphan-property-mapping" } == 2)
  }

  @Test func `Conflicting numbers and unknown names are warnings`() throws {
    let xml = MappingXML(
      .init("a", from: "Note", to: "Tag"),
      MappingXML.Entity("b", from: "Note", to: "Folder").with("novelty", "string", "x"),
      MappingXML.Entity("c", number: nil, from: "Note", to: "Note").attribute("title").attribute("title"))
    let found = try remarks(xml)
    #expect(
      Set(found.map(\.id)) == ["number-clash", "unknown-attribute", "missing-number", "duplicate-property"])
    #expect(found.allSatisfy { $0.severity == .warning })
  }

  @Test func `Unregistered policies are reported as suggestions`() throws {
    var policies = PolicyRegistry()
    policies.register("Known") { EntityMigrationPolicy() }
    let xml = MappingXML(
      MappingXML.Entity("a", from: "Note", to: "Tag").with("migrationpolicyclassname", "string", "App.Known"),
      MappingXML.Entity("b", number: 2, from: "Note", to: "Folder").with("migrationpolicyclassname", "string", "Other"))
    let found = try remarks(xml, policies: policies)
    #expect(found.map(\.id) == ["unregistered-policy"])
    #expect(found.map(\.problem) == ["the policy 'Other' is none of this program"])
    #expect(
      found.map(\.advice) == [
        "name one for it with \(.policy), as in 'Other=…', or add it to a migrator of your own"
      ])
    #expect(found.map(\.severity) == [.suggestion])
  }

  @Test(arguments: [true, false])
  func `Two mapping models that produce the same instances are reported`(hasBundle: Bool) throws {
    let bundle = hasBundle ? try bundle() : nil
    var other = MappingXML(
      MappingXML.Entity("a", from: "Note", to: "Tag").with("name", "string", "Another").attribute("name"))
    func overlaps(_ files: MappingXML...) throws -> [ModelFinding] {
      var lint = MappingLint(bundle: bundle, policies: PolicyRegistry())
      for (place, file) in files.enumerated() { lint.check(path: try write(file, "\(place).xml")) }
      return lint.remarks.filter { $0.id == "covered-twice" }
    }
    let named = try overlaps(tags, tags)
    #expect(named.map(\.severity) == [.error])
    #expect(
      named.map(\.problem) == [
        "'\(folder.file("0.xml"))' makes instances of 'Tag' out of those of 'Note' too, under the same name"
      ])
    #expect(named.map(\.mappingModelPath) == [folder.file("1.xml")])
    #expect(try overlaps(tags, other).map(\.severity) == [.warning])
    // The way back is another matter.
    swap(&other.sourcePath, &other.destinationPath)
    #expect(try overlaps(tags, other).isEmpty)
    #expect(try overlaps(tags, MappingXML(.init("a", from: "Note", to: "Folder"))).isEmpty)
    // Within one file the filters share the work.
    let shared = MappingXML(
      MappingXML.Entity("a", from: "Note", to: "Tag").with("name", "string", "A"),
      MappingXML.Entity("b", number: 2, from: "Note", to: "Tag").with("name", "string", "B"))
    #expect(try overlaps(shared).isEmpty)
  }

  @Test func `Mapping models that do not name both their models are not compared with each other`() throws {
    for path in [\MappingXML.sourcePath, \.destinationPath] {
      var xml = tags
      xml[keyPath: path] = nil
      #expect(try remarks(xml, xml).isEmpty)
    }
  }

  @Test func `Mapping models without a usable destination are errors, and the others name their versions`() throws {
    let bundle = try bundle()
    var lost = tags
    lost.destinationPath = "App/Model.xcdatamodeld/Model 9.xcdatamodel"
    var same = tags
    same.destinationPath = same.sourcePath
    #expect(try remarks(lost, bundle: bundle).first?.id == "unknown-version")
    #expect(try remarks(same).map(\.id) == ["same-version"])
    #expect(
      try remarks(MappingXML(.init("a", from: "Nte", to: "Tag")), bundle: bundle).contains {
        $0.id == "missing-entity" && $0.severity == .error
      })
    var lint = MappingLint(bundle: bundle, policies: PolicyRegistry())
    lint.check(path: try write(tags, "good.xml"))
    #expect(lint.pairs == [ModelVersionPair(source: "Model 1", destination: "Model 2")])
  }
}
