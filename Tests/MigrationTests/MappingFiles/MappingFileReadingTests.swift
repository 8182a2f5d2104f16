import CoreDataExpressions
import PersistentStore
import PropertyListFormat
import TestSupport
import Testing

@testable import MappingModels
@testable import Migration

struct MappingFileReadingTests {
  @Test func `Entity mappings are read completely and in the order of their numbers`() throws {
    let first = MappingXML.Entity("a", number: 2, from: "Note", to: "File")
      .with("sourcefilterpredicatestring", "string", "size &lt; 5 AND name == \"a &amp; b\"")
      .with("migrationpolicyclassname", "string", "App.Policy").with("name", "string", "Très \"beau\" <![CDATA[<x>]]>")
      .with("userinfodata", "binary", UserInfoArchive.bytes(["modelVersion": "2", "ü": "ß"]).base64)
      .relationship("z").attribute("b").attribute("a")
    let second = MappingXML.Entity("b", number: 1, from: nil, to: "Tag").with("migrationpolicyclassname", "string", "")
    let third = MappingXML.Entity("c", number: 3, from: "Old", to: nil)
    let file = try MappingXML(first, second, third).file()
    #expect(file.entityMappings.map(\.name) == ["Tag", "Très \"beau\" <x>", "Old"])
    #expect(file.findings.isEmpty)
    let entry = file.entityMappings[1]
    #expect(entry.filterPredicate == (try Predicate(format: "size < 5 AND name == 'a & b'")))
    #expect(entry.entityMigrationPolicyClassName == "App.Policy")
    #expect(entry.userInfo == ["modelVersion": "2", "ü": "ß"])
    #expect(entry.attributeMappings.map(\.name) == ["a", "b"])
    #expect(entry.relationshipMappings.map(\.name) == ["z"])
    #expect(file.entityMappings[0].entityMigrationPolicyClassName == nil)
    #expect(file.sourceModelVersionName == "Model 1")
    #expect(file.destinationModelBundleName == "Model.xcdatamodeld")
  }

  /// Xcode writes UTF-16 units with the low byte first.
  @Test func `Escaped characters in filters and names are decoded`() throws {
    let mapping = MappingXML.Entity("a", from: "Note", to: "File")
      .with("sourcefilterpredicatestring", "string", #"size \u3c00 10000 AND name == "\u26003dd8\u3dd8\u00de""#)
      .with("name", "string", #"a\u5c00u3c00 \u3dd8 \u3c0 \u"#)
    let entry = try MappingXML(mapping).file().entityMappings[0]
    #expect(entry.filterPredicate == (try Predicate(format: "size < 10000 AND name == '&3dd8😀'")))
    #expect(entry.name == #"a\u3c00 \u3dd8 \u3c0 \u"#, "a half pair and what is too short mean themselves")
  }

  @Test func `Objects deleted in the editor are reported and not part of the mapping model`() throws {
    let live = MappingXML.Entity("a", from: "Note", to: "Note")
    let orphan = MappingXML.Entity("b", from: "Note", to: "Note").attribute("title")
    var xml = MappingXML(listed: ["a"], live.objects + orphan.objects)
    xml.objects.append(MappingXML.object("XDDEVATTRIBUTEMAPPING", "c", [("name", "string", "body")], []))
    // Nothing of an orphan is understood, so nothing in it can be wrong.
    xml.objects.append(
      MappingXML.object("XDDEVENTITYMAPPING", "d", [("mappingnumber", "int16", "many")], [("attributemappings", ["?"])])
    )
    let file = try xml.file()
    #expect(file.entityMappings.map(\.name) == ["NoteToNote"])
    #expect(
      file.findings == [
        MappingModelFinding(.orphanEntityMapping, mapping: "NoteToNote"),
        MappingModelFinding(.orphanNumberClash(1), mapping: "NoteToNote"),
        MappingModelFinding(.orphanPropertyMapping, property: "title"),
        MappingModelFinding(.orphanPropertyMapping, property: "body"),
        MappingModelFinding(.orphanEntityMapping, mapping: ""),
      ])
  }

  @Test func `Mappings with equal numbers keep the list's order, and unnumbered ones come last`() throws {
    let file = try MappingXML(
      .init("a", number: nil, from: "A", to: "A"), .init("b", number: 7, from: "B", to: "B"),
      .init("c", number: 2, from: "C", to: "C"), .init("d", number: 2, from: "D", to: "D")
    ).file()
    #expect(file.entityMappings.map(\.name) == ["CToC", "DToD", "BToB", "AToA"])
    #expect(
      file.findings == [
        MappingModelFinding(.numberClash(2, others: ["DToD"]), mapping: "CToC"),
        MappingModelFinding(.missingNumber, mapping: "AToA"),
      ])
  }

  @Test func `Attributes that Xcode is not known to write are reported`() throws {
    var xml = MappingXML(
      MappingXML.Entity("a", from: "A", to: "B").with("mappingtypename", "string", "Magic").with(
        "color", "string", "red"
      )
      .with("mappingnumber", "int32", "1").attribute("x", ("autogenerateexpression", "bool", "1")).attribute("x"))
    xml.objects.append(MappingXML.object("XDDEVOTHER", "o", [], []))
    let kinds = Set(try xml.file().findings.map(\.kind))
    #expect(
      kinds == [
        .unknownMappingType("Magic"), .unknownAttribute("color"), .unknownAttribute("autogenerateexpression"),
        .unexpectedType(attribute: "mappingnumber", type: "int32", expected: "int16"), .duplicateProperty,
        .unknownObject(type: "XDDEVOTHER"),
      ])
    #expect(!kinds.contains { MappingModelFinding($0).isBlocking })
  }

  @Test(arguments: ["Custom", "Add", "Remove", "Copy", "Transform"])
  func `A mapping type in the file takes precedence`(name: String) throws {
    let file = try MappingXML(.init("a", from: "A", to: "B").with("mappingtypename", "string", name)).file()
    #expect(file.entityMappings[0].mappingType == MappingSchema.mappingTypeNames[name])
    #expect(file.entityMappings[0].mappingType != nil)
  }

  @Test(
    arguments: [
      ("valueexpressiondata", "*", "it is not base64"), ("valueexpressiondata", "QUJD", "this is not a keyed archive"),
      ("sourcekeypath", "$source.", "expected a key"),
    ])
  func `An unreadable expression is reported and stops the migration`(
    name: String, text: String, reason: String
  ) throws {
    let type = name.hasSuffix("data") ? "binary" : "string"
    let file = try MappingXML(
      .init("a", from: "Note", to: "Note").relationship(
        "files", (name, type, text), ("sourcemappingname", "string", "x"))
    ).file()
    let finding = try #require(file.findings.first)
    #expect(finding.isBlocking)
    #expect(finding.description.hasPrefix("NoteToNote, files: "))
    #expect(finding.description.contains(reason))
    let error = try #require(throws: MappingModelFileError.self) {
      try file.mappingModel(source: NoteModels.source, destination: NoteModels.destination)
    }
    #expect("\(error)".hasPrefix("M.xml: NoteToNote, files: "))
    #expect(error.migrationError.code == .invalidMappingModel)
    #expect(error.migrationError.subject.path == "M.xml")
    #expect(error.migrationError.detail?.contains(reason) == true)
  }

  @Test func `An unreadable filter or user info stops the migration`() throws {
    let file = try MappingXML(
      .init("a", from: "Note", to: "Note").with("sourcefilterpredicatestring", "string", "title ==")
        .with("userinfodata", "binary", "AAAA")
    ).file()
    #expect(file.findings.count == 2)
    #expect(file.findings.map(\.isBlocking) == [true, true])
    #expect(file.findings[0].description.contains("'title =='"))
    #expect(file.findings[1].description.contains("user info"))
  }

  @Test func `User info that is not text is described and reported`() throws {
    var writer = KeyedArchiveWriter()
    let root = writer.add(["NSDictionary"]) { writer in
      let keys = [writer.add("n"), writer.add("d")]
      let date = writer.add(["NSDate"]) { _ in ["NS.time": .real(1)] }
      return ["NS.keys": .array(keys), "NS.objects": .array([writer.add(.integer(5)), date])]
    }
    let data = writer.bytes(root: root).base64
    let file = try MappingXML(.init("a", from: "A", to: "A").with("userinfodata", "binary", data)).file()
    #expect(file.entityMappings[0].userInfo == ["n": "5", "d": "<NSDate>"])
    #expect(
      file.findings.map(\.kind)
        == [.userInfoDescribed(key: "n", value: "5"), .userInfoDescribed(key: "d", value: "<NSDate>")])
  }

  @Test func `The folder, its file and a compiled file are found by their path`() throws {
    let folder = try TemporaryFolder()
    let bundle = try folder.makeFolder("1 to 2.xcmappingmodel")
    #expect(throws: MappingModelFileError.self) { try MappingModelFile(path: bundle) }
    try Files.write(MappingXML(.init("a", from: "A", to: "A")).bytes, to: "\(bundle)/xcmapping.xml")
    for path in [bundle, bundle + "/", bundle + "/xcmapping.xml"] {
      #expect(try MappingModelFile(path: path).entityMappings.count == 1)
      #expect(try MappingModelFile(path: path).path == path)
    }
    try Files.write(CompiledMapping(mappings: []).bytes(), to: folder.file("x.cdm"))
    #expect(try MappingModelFile(path: folder.file("x.cdm")).isCompiled)
    let error = try #require(throws: MappingModelFileError.self) { try MappingModelFile(path: folder.file("no")) }
    #expect(error.problem == .file(.notFound))
    #expect(error.migrationError.code == .missing)
  }
}
