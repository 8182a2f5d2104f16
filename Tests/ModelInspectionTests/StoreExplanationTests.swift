import DataModel
import Migration
import MigrationDiagnostics
import ModelInspection
import PersistentStore
import PropertyListFormat
import TestSupport
import Testing

@Suite struct StoreExplanationTests {
  private let folder: TemporaryFolder
  private var path: String { folder.file("Store.sqlite") }

  init() throws { folder = try TemporaryFolder() }

  private func makeStore(_ model: ManagedObjectModel, encoding: String = "UTF-8") throws {
    let schema = StoreSchema(model)
    let plist = PropertyList.dictionary(StoreMetadata.new(for: model, uuid: "U").properties).binary()
    let rows = schema.entityNames.map { name in
      let parent = model.entity(named: name)?.superentityName.map(schema.entityNumber) ?? 0
      return "INSERT INTO Z_PRIMARYKEY VALUES (\(schema.entityNumber(name)), '\(name)', \(parent), 0)"
    }
    let statements = schema.tableStatements + StoreSchema.fixedTableStatements + schema.indexStatements + rows
    try Database.run(
      """
      PRAGMA encoding = '\(encoding)';
      \(statements.joined(separator: ";\n"));
      INSERT INTO Z_METADATA VALUES (1, 'U', x'\(VersionHash(bytes: plist))');
      """, in: path)
  }

  private func named(_ model: ManagedObjectModel) -> NamedModel {
    NamedModel(model: model, name: "wanted", precision: .source)
  }

  private func explain(
    _ model: ManagedObjectModel, otherModels: [ManagedObjectModel] = []
  ) throws -> StoreExplanation {
    let store = try StoreReader(path: path)
    defer { try? store.close() }
    return try StoreExplanation(of: store, comparedWith: named(model), otherModels: otherModels)
  }

  @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
  func `A store fits the model that it was written with`(encoding: String) throws {
    try makeStore(TrackModels.v2, encoding: encoding)
    let explanation = try explain(TrackModels.v2)
    #expect(explanation.fits)
    #expect(explanation.evidence == .versionHashes)
    #expect(explanation.entities.isEmpty)
    #expect(explanation.columns.isEmpty)
  }

  @Test func `A store without a model is explained by its tables and hashes`() throws {
    try makeStore(TrackModels.v1)
    let explanation = try explain(TrackModels.v2, otherModels: [TrackModels.v1])
    #expect(!explanation.fits)
    #expect(explanation.entities.map(\.name) == ["Artist", "Track"])
    #expect(explanation.entities.map { $0.storeHash == nil } == [true, false])
    guard case .changes(let changes)? = explanation.entities.last?.finding else {
      Issue.record("nothing was found")
      return
    }
    #expect(changes.map(\.subject) == [.attribute("artistName"), .attribute("json"), .relationship("artists")])
    #expect(changes.map(\.kind) == [.removed, .removed, .added])
    #expect(
      explanation.columns.map(\.kind) == [
        .missingTable, .unexplainedColumn("ZARTISTNAME", type: "VARCHAR"), .unexplainedColumn("ZJSON", type: "VARCHAR"),
      ])
  }

  @Test func `A column is traced to an attribute that no version has`() throws {
    func model(_ attributes: [AttributeDescription]) -> ManagedObjectModel {
      TrackModels.model([
        EntityDescription("Base", attributes: [AttributeDescription("name", .string)]),
        EntityDescription("Sub entity", superentityName: "Base", attributes: attributes),
      ])
    }
    try makeStore(model([AttributeDescription("genre", .integer32, isOptional: false)]))
    let explanation = try explain(
      model([AttributeDescription("added", .date), AttributeDescription("also", .uuid)]))
    #expect(
      explanation.columns.map(\.kind) == [
        .missingColumn("ZADDED"), .missingColumn("ZALSO"), .unexplainedColumn("ZGENRE", type: "INTEGER"),
      ])
    #expect(explanation.columns.map(\.propertyName) == ["added", "also", nil])
    guard case .changes(let changes)? = explanation.entities.first?.finding else {
      Issue.record("nothing was found")
      return
    }
    #expect(explanation.entities.map(\.name) == ["Sub entity"])
    #expect(
      changes.map(\.kind) == [
        .added, .added, .removed, .changed(.attributeType, from: "Integer 32", to: nil),
        .changed(.isOptional, from: "NO", to: nil),
      ])
  }

  @Test func `A renamed entity is reported once, under its new name`() throws {
    func model(_ name: String, _ renamingIdentifier: String? = nil) -> ManagedObjectModel {
      TrackModels.model([
        EntityDescription(
          name, renamingIdentifier: renamingIdentifier, attributes: [AttributeDescription("a", .string)])
      ])
    }
    try makeStore(model("Old"))
    let explanation = try explain(model("New", "Old"), otherModels: [model("Old")])
    #expect(explanation.entities.map(\.name) == ["New"])
    #expect(explanation.entities.first?.storeHash == model("Old").entity(named: "Old")?.versionHash)
  }

  @Test(arguments: [
    "DROP TABLE ZARTIST", "DROP INDEX Z_1TRACKS_Z_2TRACKS_INDEX", "ALTER TABLE ZTRACK DROP COLUMN ZTITLE",
    // A view is not a table: it would run SQL from the file's author.
    "ALTER TABLE ZARTIST RENAME TO x; CREATE VIEW ZARTIST AS SELECT * FROM x",
  ])
  func `A store whose hashes fit, but not its tables, is damaged`(change: String) throws {
    try makeStore(TrackModels.v2)
    try Database.run(change, in: path)
    let error = #expect(throws: MigrationError.self) { try explain(TrackModels.v2) }
    #expect(error?.code == .damaged)
  }

  @Test func `A store may hold the entities of one configuration`() throws {
    let part = TrackModels.v1
    let entities = part.entities + [EntityDescription("Other")]
    func whole(_ configurations: [String: [String]]) throws -> ManagedObjectModel {
      try ManagedObjectModel(entities: entities, configurations: configurations)
    }
    try makeStore(part)
    let explanation = try explain(whole(["A": [], "B": ["Other"], "C": ["Track"], "D": ["Track", "Other"]]))
    #expect(explanation.fits)
    #expect(explanation.configurationName == "C")
    #expect(explanation.columns.isEmpty)
    let other = try explain(whole(["B": ["Other"], "D": ["Track", "Other"], "E": ["Track", "none"]]))
    #expect(!other.fits)
    #expect(other.configurationName == nil)
  }

  @Test func `The nearest version is the one with the fewest differing entities`() throws {
    try makeStore(TrackModels.v2)
    let bundle = try folder.makeFolder("M.xcdatamodeld")
    let optional = TrackModels.model(
      TrackModels.v2.entities.map { entity in
        entity.name == "Artist"
          ? EntityDescription(
            "Artist", attributes: [AttributeDescription("id", .string)], relationships: entity.ownRelationships)
          : entity
      })
    for (name, model) in [("1", TrackModels.v1), ("2", optional), ("4", TrackModels.model([]))] {
      try named(model).write(toNewFolder: "\(bundle)/\(name).xcdatamodel", from: bundle)
    }
    try Files.write("garbage", to: "\(try folder.makeFolder("M.xcdatamodeld/3.xcdatamodel"))/contents")
    let store = try StoreReader(path: path)
    let fits = VersionFit.all(try ModelBundle(path: bundle), for: store)
    #expect(fits.map(\.versionName) == ["1", "2", "3", "4"])
    #expect(fits.map(\.fits) == [false, false, false, false])
    #expect(fits.map(\.distance) == [2, 1, 0, 2])
    #expect(fits[0].differing == ["Track"])
    #expect(fits[0].onlyInStore == ["Artist"])
    #expect(fits[2].error?.code == .unusableModel)
    #expect(fits[3].onlyInStore == ["Artist", "Track"])
    #expect(VersionFit.nearest(of: fits)?.versionName == "2")
  }
}
