import CoreDataExpressions
import DataModel
import TestSupport
import Testing

@testable import MappingModels
@testable import Migration
@testable import ModelInspection

@Suite struct MappingExplanationTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The two versions of notes, and one that has nothing to do with them.
  private func bundle(_ models: [String: ManagedObjectModel] = [:]) throws -> ModelBundle {
    let versions = ["Model 1": NoteModels.source, "Model 2": NoteModels.destination].merging(models) { $1 }
    for (name, model) in versions {
      let path = try folder.makeFolder("Model.xcdatamodeld/\(name).xcdatamodel")
      try Files.write(try model.xml(), to: path + "/contents")
    }
    return try ModelBundle(path: folder.file("Model.xcdatamodeld"))
  }

  private func explain(_ file: MappingModelFile) throws -> MappingExplanation {
    try MappingExplanation(of: file, among: try bundle(["Model 3": TrackModels.model([EntityDescription("Other")])]))
  }

  /// The remarks in short: `error NoteToNote.title unknown-property`.
  private func remarks(_ remarks: [ModelFinding]) -> [String] {
    remarks.map { remark in
      let place = [remark.entityMappingName, remark.propertyName].compactMap(\.self).joined(separator: ".")
      return [remark.severity.rawValue, place, remark.id].filter { !$0.isEmpty }.joined(separator: " ")
    }
  }

  private func notes(_ xml: MappingXML.Entity...) throws -> MappingModelFile {
    try MappingXML(listed: xml.map(\.id), xml.flatMap(\.objects)).file()
  }

  @Test func `A mapping model that fits is explained with its versions and expressions`() throws {
    let explanation = try explain(
      notes(MappingXML.Entity("a", from: "Folder", to: "Folder").attribute("name").relationship("notes")))
    #expect(explanation.fits)
    #expect(explanation.pairs == [ModelVersionPair(source: "Model 1", destination: "Model 2")])
    #expect(explanation.source.versionName == "Model 1")
    #expect(explanation.destination.versionName == "Model 2")
    #expect(explanation.versions.map { $0.asSource?.fits } == [true, false, false])
    #expect(explanation.versions.map { $0.asDestination?.fits } == [false, true, false])
    #expect(explanation.versions.map { $0.asDestination?.missing } == [[], [], ["Folder"]])
    #expect(explanation.mappingModel.entityMappings.first?.attributeMappings.first?.valueExpression == .source("name"))
    // No entity mapping makes notes.
    #expect(remarks(explanation.remarks) == ["warning FolderToFolder.notes no-destination-instances"])
  }

  @Test func `A version that does not exist is named with the nearest one`() throws {
    var xml = MappingXML(.init("a", from: "Tag", to: "Tag"))
    (xml.sourcePath, xml.destinationPath) = (
      "M.xcdatamodeld/Model 2.xcdatamodel", "M.xcdatamodeld/Modell 3.xcdatamodel"
    )
    let explanation = try explain(try xml.file())
    #expect(!explanation.fits)
    #expect(explanation.pairs.isEmpty)
    #expect(remarks(explanation.remarks).first == "error unknown-version")
    #expect(
      explanation.remarks.first?.problem
        == "the file names 'Modell 3' as its destination, which the bundle does not have; the nearest is 'Model 3'")
    #expect(explanation.remarks.first?.advice == "choose the destination model in Xcode again")
    #expect(explanation.source.versionName == "Model 2")
  }

  @Test func `Entities that a version lacks are named with the nearest ones`() throws {
    let explanation = try explain(notes(.init("a", from: "Notes", to: "Nte")))
    let found = explanation.remarks.prefix(2)
    #expect(remarks(Array(found)) == ["error NotesToNte missing-entity", "error NotesToNte missing-entity"])
    #expect(
      found.map(\.problem) == [
        "the source model has no entity 'Notes'; the nearest is 'Note'",
        "the destination model has no entity 'Nte'; the nearest is 'Note'",
      ])
    #expect(!explanation.fits)
  }

  @Test func `The closest versions are chosen for a mapping model that names none`() throws {
    var xml = MappingXML(
      .init("a", from: "Note", to: "Note"), .init("b", number: 2, from: "Tag", to: "Folder"),
      .init("c", number: 3, from: "Nothing", to: "File"))
    (xml.sourcePath, xml.destinationPath) = ("", "")
    let explanation = try explain(try xml.file())
    #expect(explanation.source.versionName == "Model 2")
    #expect(explanation.destination.versionName == "Model 1")
    #expect(explanation.versions.map { $0.asSource?.isNamed } == [nil, nil, nil])
    #expect(
      explanation.versions.map { $0.asSource?.missing } == [
        ["Tag", "Nothing"], ["Nothing"], ["Note", "Tag", "Nothing"],
      ])
  }

  @Test func `Given models are checked against the versions that the file names`() throws {
    let file = try notes(MappingXML.Entity("a", from: "Tag", to: "Tag").attribute("name").relationship("notes"))
    let destination = NamedModel(
      model: NoteModels.destination, name: "M:Model 2", versionName: "Model 2", precision: .source)
    let other = NamedModel(model: NoteModels.destination, name: "M:X", versionName: "X", precision: .source)
    let wrong = MappingExplanation(of: file, from: other, to: destination)
    #expect(remarks(wrong.remarks).first == "error other-version")
    #expect(wrong.remarks.first?.problem == "the file names 'Model 1' as its source, not 'X'")
    #expect(
      wrong.remarks.first?.advice == "compare it with 'Model 1', or choose the source model in Xcode again")
    #expect(!wrong.fits)
    // A model read from a store has no version name that could mismatch.
    let store = NamedModel(model: NoteModels.destination, name: "S.sqlite", precision: .compiled)
    #expect(MappingExplanation(of: file, from: store, to: destination).fits)
    #expect(MappingExplanation(of: file, from: store, to: destination).pairs.isEmpty)
  }

  @Test func `A mapping model from a version to itself is an error`() throws {
    var xml = MappingXML(MappingXML.Entity("a", from: "Tag", to: "Tag").attribute("name").relationship("notes"))
    xml.sourcePath = xml.destinationPath
    let explanation = try explain(try xml.file())
    #expect(remarks(explanation.remarks).first == "error same-version")
    // The same name in another bundle does not count as another version here.
    xml.sourcePath = "Other.xcdatamodeld/Model 2.xcdatamodel"
    #expect(remarks(try explain(try xml.file()).remarks).first == "error same-version")
  }

  @Test func `Unmapped properties and lost values are reported`() throws {
    let explanation = try explain(
      notes(
        MappingXML.Entity("a", from: "Note", to: "Note").attribute("title").attribute("boddy")
          .relationship("folder", ("autogenerateexpression", "bool", "0")).relationship("files"),
        MappingXML.Entity("b", number: 2, from: "File", to: "File").attribute("path").relationship("note")))
    #expect(explanation.fits)
    #expect(
      remarks(explanation.remarks) == [
        // The source has them; 'caption' by its renaming identifier.
        "warning NoteToNote.body unmentioned-property", "warning NoteToNote.caption unmentioned-property",
        "warning NoteToNote.boddy unknown-property", "warning NoteToNote.folder unset-relationship",
        // 'summary' was not stored before.
        "suggestion NoteToNote.summary unmentioned-property", "suggestion NoteToNote.tags unmentioned-property",
      ])
  }

  @Test func `A policy may fill in what a mapping leaves empty`() throws {
    let explanation = try explain(
      notes(
        MappingXML.Entity("a", from: "Note", to: "Note").with("migrationpolicyclassname", "string", "P")
          .attribute("title").relationship("folder", ("autogenerateexpression", "bool", "0")).relationship("files")))
    #expect(explanation.remarks.allSatisfy { $0.severity == .suggestion })
    #expect(remarks(explanation.remarks).contains("suggestion NoteToNote.folder unset-relationship"))
    #expect(remarks(explanation.remarks).contains("suggestion NoteToNote.files no-destination-instances"))
  }

  @Test(
    arguments: [
      ("$source.titel", "titel", "Note", "title"), ("$source.folder.nome", "nome", "Folder", "name"),
      ("uppercase:($source.titel)", "titel", "Note", "title"), ("{1, $source.titel}", "titel", "Note", "title"),
      ("$source.title", nil, nil, nil),
      ("$source.title.length", nil, nil, nil), ("$source.files.@count", nil, nil, nil), ("$other.titel", nil, nil, nil),
      ("$source.folder.notes.title", nil, nil, nil), ("$source.summary", nil, nil, nil),
    ] as [(String, String?, String?, String?)])
  func `Expressions are checked for keys that the source lacks`(
    format: String, key: String?, entity: String?, nearest: String?
  ) throws {
    let archive = try MappingXML.archive(try Expression(format: format))
    let plain = MappingXML.Entity("a", from: "Note", to: "Note")
      .attribute("title", ("valueexpressiondata", "binary", archive))
    let explanation = try explain(notes(plain))
    let found = explanation.remarks.filter { $0.id == "unknown-source-key" }
    #expect(explanation.fits == (key == nil))
    #expect(
      found.map(\.problem)
        == (key.map {
          ["the entity '\(entity ?? "")' of the source has no property '\($0)'; the nearest is '\(nearest ?? "")'"]
        } ?? []))
    // A policy may never ask for the expression.
    #expect(try explain(notes(plain.with("migrationpolicyclassname", "string", "P"))).fits)
  }

  @Test(arguments: [
    "TERNARY($source.titel == nil, 1, 2)", "-$source.titel", "$source.title + $source.titel", "$source.titel[FIRST]",
    "CAST($source.titel, 'NSDate')", "SUBQUERY($source.titel, $x, $x.a == 1)",
    "FUNCTION($manager, 'destinationInstancesForSourceRelationshipNamed:sourceInstances:', 'x', $source.titel)",
  ])
  func `Keys are found anywhere in an expression`(format: String) throws {
    var keys = SourceKeys(NoteModels.source)
    #expect(keys.unknown(in: try Expression(format: format), of: "Note")?.key == "titel")
    #expect(keys.unknown(in: try Expression(format: format.replacing("titel", with: "title")), of: "Note") == nil)
  }

  @Test func `Filters are checked, and keys of subentities are allowed`() throws {
    func filtered(_ format: String) throws -> MappingExplanation {
      try explain(
        notes(
          MappingXML.Entity("a", from: "Note", to: "Note").with("sourcefilterpredicatestring", "string", format)
            .with("migrationpolicyclassname", "string", "P")))
    }
    #expect(try filtered("title != nil AND NOT folder.name BEGINSWITH 'x'").fits)
    #expect(try !filtered("title != nil OR tilte == 'x'").fits)
    let deep = (1...5).map { depth in
      EntityDescription(
        "E\(depth)", superentityName: depth == 1 ? nil : "E\(depth - 1)",
        attributes: [AttributeDescription("a\(depth)", .string)])
    }
    let model = TrackModels.model(deep)
    var keys = SourceKeys(model)
    for name in ["E1", "E3", "E5"] {
      #expect(keys.unknown(in: try Predicate(format: "a5 == nil AND a1 == nil"), of: name) == nil)
      #expect(keys.unknown(in: try Predicate(format: "a6 == nil"), of: name)?.nearest != nil)
    }
  }

  @Test func `Many versions and entities are explained quickly`() throws {
    let entities = (0..<60).map { EntityDescription("Entity\($0)", attributes: [AttributeDescription("a", .string)]) }
    let model = TrackModels.model(entities)
    let file = try notes(
      MappingXML.Entity("a", from: "Entity1", to: "Entity2").attribute("a"))
    let versions = (0..<150).map { number in
      MappingVersionFit(
        "V\(number)",
        .success(NamedModel(model: model, name: "V", versionName: "V\(number)", precision: .source)), file)
    }
    var explanation: MappingExplanation?
    let time = CPUTime.measure { explanation = MappingExplanation(of: file, among: versions, listsLeftovers: false) }
    #expect(time < .seconds(20 * Sanitizer.slowness))
    #expect(explanation?.remarks.count { $0.id == "unknown-version" } == 2)
  }
}
