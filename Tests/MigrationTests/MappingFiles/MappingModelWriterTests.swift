import CoreDataExpressions
import DataModel
import TestSupport
import Testing

@testable import MappingModels
@testable import Migration

struct MappingModelWriterTests {
  private let note = NoteModels.source.entity(named: "Note")
  private let newNote = NoteModels.destination.entity(named: "Note")

  private func xml(_ mappings: EntityMapping...) throws -> String {
    try MappingModelWriter(
      source: NoteModels.source, destination: NoteModels.destination,
      sourceModelPath: "App/Model.xcdatamodeld/Model 1.xcdatamodel",
      destinationModelPath: "App/Model.xcdatamodeld/Model 2.xcdatamodel"
    ).xml(of: MappingModel(entityMappings: mappings))
  }

  private func read(_ xml: String) throws -> ResolvedMappingModel {
    try MappingModelFile(xml: Array(xml.utf8))
      .resolve(source: NoteModels.source, destination: NoteModels.destination)
  }

  @Test(arguments: 1...150 as ClosedRange<UInt64>)
  func `A written mapping model reads back equal`(seed: UInt64) throws {
    let random = RandomMapping(seed: seed)
    let writer = MappingModelWriter(
      source: random.source, destination: random.destination, sourceModelPath: "a & b", destinationModelPath: "<c>")
    let xml = try writer.xml(of: random.mappingModel)
    let file = try MappingModelFile(xml: Array(xml.utf8))
    #expect(file.findings.isEmpty)
    #expect(file.sourceModelPath == "a & b")
    #expect(file.destinationModelPath == "<c>")
    #expect(try file.mappingModel(source: random.source, destination: random.destination) == random.mappingModel)
    #expect(try writer.xml(of: random.mappingModel) == xml)
  }

  @Test func `Text that looks escaped reads back unchanged`() throws {
    let mapping = EntityMapping(name: #"\u3c00 \\u26 \\u3c00"#, mappingType: .copy, source: note, destination: newNote)
    let xml = try xml(mapping)
    #expect(xml.contains(#"\u5c00u3c00 \\u26 \\u5c00u3c00"#))
    #expect(try read(xml).mappingModel.entityMappings.map(\.name) == [mapping.name])
  }

  @Test func `Expressions that Xcode generates are omitted`() throws {
    let mapping = EntityMapping(
      mappingType: .copy, source: note, destination: newNote,
      attributeMappings: [
        PropertyMapping(name: "body", valueExpression: .source("body")),
        PropertyMapping(name: "summary", valueExpression: nil),
      ],
      relationshipMappings: [
        PropertyMapping(
          name: "files",
          valueExpression: .destinationInstances(entityMappingNamed: "F", sourceInstances: .source("files")))
      ])
    let file = EntityMapping(
      name: "F", mappingType: .copy, source: NoteModels.source.entity(named: "File"),
      destination: NoteModels.destination.entity(named: "File"))
    let xml = try xml(mapping, file)
    #expect(!xml.contains("valueexpressiondata"))
    #expect(!xml.contains("sourcekeypath"))
    #expect(try read(xml).mappingModel.entityMappings == [mapping, file])
  }

  @Test func `A renamed property is written with its expression`() throws {
    let mapping = EntityMapping(
      mappingType: .copy, source: note, destination: newNote,
      attributeMappings: [PropertyMapping(name: "caption", valueExpression: .source("headline"))])
    let xml = try xml(mapping)
    #expect(xml.contains("valueexpressiondata"))
    #expect(try read(xml).mappingModel.entityMappings == [mapping])
  }

  @Test func `A property that must not be generated is left out`() throws {
    var mapping = EntityMapping(
      mappingType: .copy, source: note, destination: newNote,
      attributeMappings: ["caption", "title"].map { PropertyMapping(name: $0, valueExpression: nil) },
      relationshipMappings: [PropertyMapping(name: "folder", valueExpression: nil)])
    let folder = EntityMapping(
      mappingType: .copy, source: NoteModels.source.entity(named: "Folder"),
      destination: NoteModels.destination.entity(named: "Folder"))
    let result = try read(try xml(mapping, folder)).mappingModel
    mapping.attributeMappings = []
    mapping.relationshipMappings = []
    #expect(result.entityMappings == [mapping, folder])
  }

  @Test func `A key path and an entity mapping are written as Xcode's inspector shows them`() throws {
    let mapping = EntityMapping(
      mappingType: .copy, source: note, destination: newNote,
      relationshipMappings: [
        PropertyMapping(
          name: "files",
          valueExpression: .destinationInstances(entityMappingNamed: "NoteToNote", sourceInstances: .source))
      ])
    let xml = try xml(mapping)
    #expect(xml.contains("<attribute name=\"sourcekeypath\" type=\"string\">$source</attribute>"))
    #expect(xml.contains("<attribute name=\"sourcemappingname\" type=\"string\">NoteToNote</attribute>"))
    #expect(try read(xml).mappingModel.entityMappings == [mapping])
  }

  private func problem(_ mappings: EntityMapping...) -> MappingModelFileProblem? {
    do {
      _ = try MappingModelWriter(
        source: NoteModels.source, destination: NoteModels.destination, sourceModelPath: "",
        destinationModelPath: ""
      ).xml(of: MappingModel(entityMappings: mappings))
      return nil
    } catch { return (error as MappingModelFileError).problem }
  }

  @Test func `A setting that the file cannot hold is an error that names it`() {
    let negative = EntityMapping(
      mappingType: .copy, source: note, destination: newNote,
      attributeMappings: [PropertyMapping(name: "title", valueExpression: .negative(.source("a")))])
    #expect(
      problem(negative)
        == .unwritableExpression(
          mapping: "NoteToNote", property: "title", reason: "'-$source.a' has no known archived form"))
    let control = EntityMapping(name: "a\u{1}b", mappingType: .copy, source: note, destination: newNote)
    #expect(problem(control) == .unwritableText("U+1"))
    let plain = EntityMapping(mappingType: .copy, source: note, destination: newNote)
    guard case .unusable? = problem(plain, plain),
      case .unusable? = problem(.init(mappingType: .copy, source: newNote, destination: note))
    else {
      Issue.record("a mapping model that does not fit was written")
      return
    }
    let many = Array(repeating: plain, count: 32_768)
    let writer = MappingModelWriter(
      source: NoteModels.source, destination: NoteModels.destination, sourceModelPath: "",
      destinationModelPath: "")
    let error = #expect(throws: MappingModelFileError.self) { try writer.xml(of: MappingModel(entityMappings: many)) }
    #expect(error?.problem == .tooManyEntityMappings(limit: 32_767))
  }
}
