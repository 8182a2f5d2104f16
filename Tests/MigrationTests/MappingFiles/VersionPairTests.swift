import DataModel
import ModelInspection
import TestSupport
import Testing

@testable import MappingModels
@testable import Migration

struct VersionPairTests {
  private let versions = [
    ("Model 1", NoteModels.source), ("Model 2", NoteModels.destination),
    ("Model 3", TrackModels.model([EntityDescription("Other")])),
  ]

  @Test func `The paths name the versions, which must have the entities`() throws {
    var xml = MappingXML(.init("a", from: "Note", to: "Tag"))
    #expect(
      try xml.file().versionPairs(among: versions) == [ModelVersionPair(source: "Model 1", destination: "Model 2")])
    xml.destinationPath = "App/Model.xcdatamodeld/Model 3.xcdatamodel"
    #expect(try xml.file().versionPairs(among: versions).isEmpty)
    xml.destinationPath = "App/Model.xcdatamodeld/Model 9.xcdatamodel"
    #expect(try xml.file().versionPairs(among: versions).isEmpty)
  }

  @Test func `All versions with the entities are candidates for a file without paths`() throws {
    var xml = MappingXML(.init("a", from: "Note", to: "Folder"))
    (xml.sourcePath, xml.destinationPath) = ("", "")
    #expect(
      try xml.file().versionPairs(among: versions)
        == [
          ModelVersionPair(source: "Model 1", destination: "Model 2"),
          ModelVersionPair(source: "Model 2", destination: "Model 1"),
        ])
    #expect(try xml.file().sourceModelVersionName == nil)
  }

  @Test func `Compiled files are matched by the version hashes`() throws {
    let mapping = CompiledMapping.Entity(
      sourceHash: NoteModels.destination.entity(named: "Note")?.versionHash.bytes,
      destinationHash: NoteModels.source.entity(named: "Note")?.versionHash.bytes)
    let file = try CompiledMapping(mappings: [mapping]).file()
    #expect(file.versionPairs(among: versions) == [ModelVersionPair(source: "Model 2", destination: "Model 1")])
  }

  @Test(
    arguments: [
      ("App/Model.xcdatamodeld/Model 2.4.1.xcdatamodel", "Model.xcdatamodeld", "Model 2.4.1"),
      ("Model.xcdatamodel", nil, "Model"), ("/a/Älter.xcdatamodeld/", nil, "Älter"), ("../B.momd/C.mom", "B.momd", "C"),
      (".xcdatamodel", nil, ".xcdatamodel"),
    ] as [(String, String?, String)])
  func `A path gives a bundle and a version`(path: String, bundle: String?, version: String) throws {
    var xml = MappingXML(.init("a", from: "Note", to: "Note"))
    (xml.sourcePath, xml.destinationPath) = (path, path)
    let file = try xml.file()
    #expect(file.sourceModelBundleName == bundle)
    #expect(file.destinationModelBundleName == bundle)
    #expect(file.sourceModelVersionName == version)
    #expect(file.destinationModelVersionName == version)
  }

  @Test func `The differing entities of a compiled mapping model are explained`() throws {
    let old = TrackModels.model([
      EntityDescription("Tag", attributes: [AttributeDescription("name", .string, isOptional: false)])
    ])
    let new = TrackModels.model([EntityDescription("Tag", attributes: [AttributeDescription("name", .string)])])
    let mapping = CompiledMapping.Entity(
      name: "T", source: "Tag", destination: "Tag", sourceHash: old.entity(named: "Tag")?.versionHash.bytes,
      destinationHash: new.entity(named: "Tag")?.versionHash.bytes, attributes: [("name", .source("name"))])
    let file = try CompiledMapping(mappings: [mapping]).file()
    let model = NamedModel(model: new, name: "new", precision: .source)
    let explanation = MappingExplanation(of: file, from: model, to: model)
    #expect(explanation.remarks.map(\.id) == ["version-hash-mismatch"])
    #expect(explanation.versions.first?.asSource?.differing == ["Tag"])
    let differences = explanation.differences()
    #expect(differences.map(\.side) == [.source])
    guard case .changes(let changes)? = differences.first?.finding else {
      Issue.record("nothing was found")
      return
    }
    #expect(changes.map(\.subject) == [.attribute("name")])
    #expect(changes.map(\.kind) == [.changed(.isOptional, from: "NO", to: "YES")])
  }
}
