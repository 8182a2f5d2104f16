import CoreDataExpressions
import DataModel
import TestSupport
import Testing

@testable import MappingModels
@testable import Migration

struct MappingResolvingTests {
  private func resolve(_ mappings: [MappingXML.Entity]) throws -> ResolvedMappingModel {
    try MappingXML(listed: mappings.map(\.id), mappings.flatMap(\.objects)).file()
      .resolve(source: NoteModels.source, destination: NoteModels.destination)
  }

  private func findings(_ mappings: MappingXML.Entity...) throws -> [MappingModelFinding] {
    do {
      _ = try resolve(mappings)
      return []
    } catch let error as MappingModelFileError {
      guard case .unusable(let findings) = error.problem else { throw error }
      return findings
    }
  }

  private let note = MappingXML.Entity("n", number: 1, from: "Note", to: "Note")

  @Test func `Attributes come from those of the same name, and others get their default`() throws {
    let result = try resolve([note.attribute("title").attribute("summary").attribute("body").attribute("caption")])
    let mapping = result.mappingModel.entityMappings[0]
    #expect(
      mapping.attributeMappings == [
        PropertyMapping(name: "body", valueExpression: .source("body")),
        PropertyMapping(name: "caption", valueExpression: .source("headline")),
        PropertyMapping(name: "summary", valueExpression: nil),
        PropertyMapping(name: "title", valueExpression: .source("title")),
      ])
    #expect(mapping.sourceEntityVersionHash == NoteModels.source.entity(named: "Note")?.versionHash)
    #expect(mapping.destinationEntityVersionHash == NoteModels.destination.entity(named: "Note")?.versionHash)
    // The renaming identifier is followed, but not without a word.
    let renamed = MappingModelFinding(.renamedProperty(source: "headline"), mapping: "NoteToNote", property: "caption")
    #expect(result.findings.contains(renamed))
  }

  @Test func `Properties missing from the file or from the entity are reported`() throws {
    let result = try resolve([note.attribute("titel").attribute("passing").relationship("files").relationship("recent")]
    )
    // Transient properties need neither a mapping nor a finding.
    #expect(result.mappingModel.entityMappings[0].attributeMappings.isEmpty)
    #expect(result.mappingModel.entityMappings[0].relationshipMappings.map(\.name) == ["files"])
    #expect(
      Set(result.findings)
        == Set(
          ["body", "caption", "summary", "title", "folder", "tags"].map {
            MappingModelFinding(.unmentionedProperty, mapping: "NoteToNote", property: $0)
          } + [
            MappingModelFinding(.unknownProperty(nearest: "title"), mapping: "NoteToNote", property: "titel"),
            MappingModelFinding(.noDestinationInstances(entity: "File"), mapping: "NoteToNote", property: "files"),
          ]))
  }

  @Test func `Types are derived from the policy and the entities`() throws {
    let result = try resolve([
      note.with("migrationpolicyclassname", "string", "P"), MappingXML.Entity("a", number: 2, from: "File", to: "File"),
      MappingXML.Entity("b", number: 3, from: "File", to: "Tag"),
      MappingXML.Entity("c", number: 4, from: nil, to: "Tag"),
      MappingXML.Entity("d", number: 5, from: "Folder", to: nil),
    ])
    let mappings = result.mappingModel.entityMappings
    #expect(mappings.map(\.mappingType) == [.custom, .copy, .transform, .add, .remove])
    #expect(mappings.map(\.name) == ["NoteToNote", "FileToFile", "FileToTag", "Tag", "Folder"])
  }

  private func relationship(_ name: String, _ mappings: [MappingXML.Entity]) throws -> CoreDataExpressions.Expression? {
    let model = try resolve(mappings).mappingModel
    let found = model.entityMappings[0].relationshipMappings.first { $0.name == name }
    return try #require(found).valueExpression
  }

  @Test func `A relationship uses the only entity mapping that makes its destinations`() throws {
    let folder = MappingXML.Entity("f", number: 2, from: "Folder", to: "Folder")
    #expect(
      try relationship("folder", [note.relationship("folder"), folder])
        == .destinationInstances(entityMappingNamed: "FolderToFolder", sourceInstances: .source("folder")))
    // Without a source, nothing can be looked up under it.
    let added = MappingXML.Entity("g", number: 3, from: nil, to: "Folder")
    #expect(
      try relationship("folder", [note.relationship("folder"), folder, added])
        == .destinationInstances(entityMappingNamed: "FolderToFolder", sourceInstances: .source("folder")))
  }

  @Test(arguments: ["File", "File1", "File4"])
  func `A relationship is reported if several entity mappings make its destinations`(
    entity: String
  ) throws {
    let deepest = MappingXML.Entity("f", number: 2, from: "File", to: entity)
    #expect(
      try relationship("files", [note.relationship("files"), deepest])
        == .destinationInstances(entityMappingNamed: "FileTo\(entity)", sourceInstances: .source("files")))
    let other = MappingXML.Entity("g", number: 3, from: "Folder", to: "File3")
    #expect(
      try relationship("files", [note.relationship("files"), deepest, other])
        == .destinationInstances(sourceRelationshipNamed: "files", sourceInstances: .source("files")))
  }

  @Test func `Orphaned entity mappings make no destinations`() throws {
    let live = note.relationship("folder")
    let folder = MappingXML.Entity("f", number: 2, from: "Folder", to: "Folder")
    let orphan = MappingXML.Entity("o", number: 2, from: "Folder", to: "Folder").with("name", "string", "Old")
    let xml = MappingXML(listed: ["n", "f"], live.objects + folder.objects + orphan.objects)
    let model = try xml.file().mappingModel(source: NoteModels.source, destination: NoteModels.destination)
    #expect(
      model.entityMappings[0].relationshipMappings[0].valueExpression
        == .destinationInstances(entityMappingNamed: "FolderToFolder", sourceInstances: .source("folder")))
  }

  @Test func `A relationship without a source or without generation is empty`() throws {
    let tag = MappingXML.Entity("t", number: 2, from: "Folder", to: "Tag")
    #expect(try relationship("tags", [note.relationship("tags"), tag]) == nil)
    let folder = MappingXML.Entity("f", number: 2, from: "Folder", to: "Folder")
    let off = note.relationship("folder", ("autogenerateexpression", "bool", "0"))
    #expect(try relationship("folder", [off, folder]) == nil)
    let added = MappingXML.Entity("n", number: 1, from: nil, to: "Note").relationship(
      "folder", ("sourcemappingname", "string", "FolderToFolder"))
    #expect(try relationship("folder", [added, folder]) == nil)
  }

  @Test(
    arguments: [
      ("$source", Expression.source), ("$source.folder.notes", .key("folder", "notes", of: .source)),
      (
        "$source.files.@distinctUnionOfSets.note",
        .keyPath(.source, [.key("files"), .collectionOperator(.distinctUnionOfSets), .key("note")])
      ),
      (nil, .source("files")),
    ] as [(String?, CoreDataExpressions.Expression)])
  func `A key path and the name of an entity mapping are combined`(
    path: String?, sources: CoreDataExpressions.Expression
  )
    throws
  {
    let file = MappingXML.Entity("f", number: 2, from: "Note", to: "File")
    var fields = [("sourcemappingname", "string", "NoteToFile")]
    if let path { fields.append(("sourcekeypath", "string", path)) }
    var mapping = note
    mapping.rows = [("XDDEVRELATIONSHIPMAPPING", [("name", "string", "files")] + fields)]
    #expect(
      try relationship("files", [mapping, file])
        == .destinationInstances(entityMappingNamed: "NoteToFile", sourceInstances: sources))
  }

  @Test func `A key path without an entity mapping finds it like a generated expression does`() throws {
    let file = MappingXML.Entity("f", number: 2, from: "File", to: "File")
    let other = MappingXML.Entity("g", number: 3, from: "File", to: "File2")
    let mapping = note.relationship(
      "files", ("sourcekeypath", "string", "$source.folder.files"), ("sourcemappingname", "string", ""))
    let sources = Expression.key("folder", "files", of: .source)
    #expect(
      try relationship("files", [mapping, file])
        == .destinationInstances(entityMappingNamed: "FileToFile", sourceInstances: sources))
    #expect(
      try relationship("files", [mapping, file, other])
        == .destinationInstances(sourceRelationshipNamed: "files", sourceInstances: sources))
    let bare = note.relationship("files", ("sourcekeypath", "string", "$source"))
    #expect(
      try findings(bare, file, other)
        == [MappingModelFinding(.unclearEntityMapping, mapping: "NoteToNote", property: "files")])
  }

  @Test func `Expressions in the file are used unchanged`() throws {
    let sum = try Expression(format: "$source.title.length + 2.0")
    let result = try resolve([
      note.attribute("title", ("valueexpressiondata", "binary", MappingXML.archive(sum)))
        .relationship(
          "files", ("valueexpressiondata", "binary", MappingXML.archive(.source)),
          ("autogenerateexpression", "bool", "1"))
    ])
    #expect(result.mappingModel.entityMappings[0].attributeMappings[0].valueExpression == sum)
    #expect(result.mappingModel.entityMappings[0].relationshipMappings[0].valueExpression == .source)
  }

  @Test func `All missing entities are named at once with the nearest names`() throws {
    #expect(
      try findings(
        MappingXML.Entity("a", from: "Note", to: "Notes"),
        MappingXML.Entity("b", number: 2, from: "Foldre", to: "Zebra"))
        == [
          MappingModelFinding(.missingEntity("Notes", .destination, nearest: "Note"), mapping: "NoteToNotes"),
          MappingModelFinding(.missingEntity("Foldre", .source, nearest: "Folder"), mapping: "FoldreToZebra"),
          MappingModelFinding(.missingEntity("Zebra", .destination, nearest: nil), mapping: "FoldreToZebra"),
        ])
  }

  @Test func `Duplicate, unknown and missing names of entity mappings stop the migration`() throws {
    #expect(
      try findings(note, MappingXML.Entity("b", number: 2, from: "Note", to: "Note"))
        == [MappingModelFinding(.duplicateEntityMapping, mapping: "NoteToNote")])
    let unknown = note.relationship("files", ("sourcemappingname", "string", "NoteToNot"))
    #expect(
      try findings(unknown) == [
        MappingModelFinding(
          .unknownEntityMapping("NoteToNot", nearest: "NoteToNote"), mapping: "NoteToNote", property: "files")
      ])
    #expect(try findings(MappingXML.Entity("a", from: nil, to: nil)) == [MappingModelFinding(.noEntities, mapping: "")])
  }

  @Test func `Every finding has a sentence`() {
    let kinds: [MappingModelFinding.Kind] = [
      .orphanEntityMapping, .orphanPropertyMapping, .orphanNumberClash(1), .numberClash(1, others: ["b"]),
      .missingNumber,
      .unknownObject(type: "t"), .unknownAttribute("a"), .unexpectedType(attribute: "a", type: "b", expected: "c"),
      .unknownMappingType("t"), .duplicateProperty, .userInfoDescribed(key: "k", value: "v"), .unmentionedProperty,
      .unknownProperty(nearest: nil), .renamedProperty(source: "s"), .noDestinationInstances(entity: "E"),
      .duplicateEntityMapping, .noEntities, .unreadableExpression("r"), .unreadableFilterPredicate("r"),
      .unreadableUserInfo("r"), .missingEntity("E", .source, nearest: "F"),
      .versionHashMismatch(entity: "E", .source, file: VersionHash(bytes: []), model: VersionHash(bytes: [])),
      .unknownEntityMapping("m", nearest: nil), .unclearEntityMapping,
    ]
    #expect(Set(kinds.map { MappingModelFinding($0).sentence }).count == kinds.count)
    #expect(!kinds.contains { MappingModelFinding($0).sentence.isEmpty })
  }
}
