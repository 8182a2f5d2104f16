import DataModel
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing
import TrackLibrary

/// The derivation of the model that a library's own model becomes.
@Suite("The derived second version of a library's own model") final class DerivationTests {
  private typealias Kind = OwnModelLibrary

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let needed = [Kind.text("artistName"), Kind.text("json")]

  /// Returns the model after the migration, and the remarks about it.
  private func derived(_ model: ManagedObjectModel, rows: String...) throws -> (ManagedObjectModel, [String]) {
    var library = Kind("derived", [], rows)
    library.model = model
    try library.write(to: folder.file("L"))
    let remarks = try migrated(LibraryMigration(path: folder.file("L"))).modelRemarks
    return (try TrackLibraryReader(path: folder.file("L")).model, remarks ?? [])
  }

  private func derived(_ entities: [EntityDescription]) throws -> (ManagedObjectModel, [String]) {
    try derived(TrackModels.model(entities))
  }

  private func refusal(_ entities: EntityDescription...) throws -> String {
    Files.remove(folder.file("L"))
    try Kind("refused", entities, []).write(to: folder.file("L"))
    let before = try folder.snapshot()
    let error = #expect(throws: MigrationError.self) { try LibraryMigration(path: self.folder.file("L")).run() }
    #expect(error?.code == .inferenceFailed)
    #expect(error.map { ErrorMessage($0).advice.contains("'mappingModelPaths'") } == true)
    #expect(try folder.snapshot() == before)
    return error?.detail ?? ""
  }

  @Test func `The derivation of the built-in first version is the built-in second version`() throws {
    // An additional entity makes the model the library's own.
    let (model, remarks) = try derived(TrackModels.v1.entities + [EntityDescription("Zoo")])
    var hashes = model.entityVersionHashesByName
    #expect(hashes.removeValue(forKey: "Zoo") != nil)
    #expect(hashes == TrackModels.v2.entityVersionHashesByName)
    #expect(remarks.isEmpty)
  }

  @Test func `Notes, classes, identifiers, configurations and fetch requests are kept`() throws {
    let track = EntityDescription(
      "Track", managedObjectClassName: "App.Track", renamingIdentifier: "Song", versionHashModifier: "2",
      userInfo: ["a": "b"],
      attributes: Self.needed + [
        AttributeDescription(
          "stars", .integer16, defaultValue: .integer(3), renamingIdentifier: "rating", userInfo: ["c": "d"])
      ])
    var model = try ManagedObjectModel(
      entities: [track, EntityDescription("Other")], versionIdentifiers: ["one"],
      configurations: ["Local": ["Track"], "Cloud": ["Other"]])
    model.fetchRequestTemplates = [FetchRequestDescription("all", entityName: "Track", predicate: "stars > 1")]
    var derivation = TrackModelDerivation(model)
    let new = try derivation.derivedModel()
    #expect(new.versionIdentifiers == ["one"])
    #expect(new.configurations == ["Local": ["Track", "Artist"], "Cloud": ["Other"]])
    #expect(new.fetchRequestTemplates.map(\.name) == ["all"])
    let entity = try #require(new.entity(named: "Track"))
    #expect(entity.managedObjectClassName == "App.Track" && entity.userInfo == ["a": "b"])
    #expect(entity.renamingIdentifier == "Song" && entity.versionHashModifier == "2")
    #expect(entity.attributes.first?.userInfo == ["c": "d"] && entity.attributes.first?.defaultValue == .integer(3))
    #expect(derivation.remarks.isEmpty)
  }

  @Test func `Indexes and constraints are kept except those of removed properties, which are named`() throws {
    let (model, remarks) = try derived([
      EntityDescription(
        "Track", uniquenessConstraints: [["title", "stars"], ["title", "json"]],
        attributes: Self.needed + [
          Kind.text("title"), AttributeDescription("stars", .integer16),
          AttributeDescription("plain", .string, derivationExpression: "canonical:(artistName)"),
          AttributeDescription("loud", .string, derivationExpression: "uppercase:(title)"),
        ],
        fetchIndexes: [
          FetchIndexDescription("byTitle", properties: ["title"]),
          FetchIndexDescription("byName", properties: ["stars", "artistName"]),
          FetchIndexDescription("byPlain", properties: ["plain"]),
        ])
    ])
    let track = try #require(model.entity(named: "Track"))
    #expect(track.attributes.map(\.name) == ["loud", "stars", "title"])
    #expect(track.uniquenessConstraints == [["title", "stars"]])
    #expect(track.fetchIndexes.map(\.name) == ["byTitle"])
    #expect(
      remarks == [
        "the derived attribute Track.plain is gone: it was derived from what is gone",
        "the uniqueness constraint title, json of Track is gone",
        "the fetch index byName of Track is gone", "the fetch index byPlain of Track is gone",
      ])
    let indexes = try Database.rows(
      "SELECT name FROM sqlite_schema WHERE tbl_name = 'ZTRACK' AND type = 'index'", in: folder.file("L"))
    #expect(indexes.contains("Z_Track_byTitle") && !indexes.contains("Z_Track_byName"))
  }

  @Test func `An index whose condition or expression uses a removed property is dropped`() throws {
    func index(_ name: String, _ subject: FetchIndexSubject, _ predicate: String? = nil) -> FetchIndexDescription {
      FetchIndexDescription(name, elements: [FetchIndexElementDescription(subject)], partialIndexPredicate: predicate)
    }
    let track = EntityDescription(
      "Track", attributes: Self.needed + [Kind.text("title")],
      fetchIndexes: [
        index("a", .property("title"), "artistName != nil"), index("b", .expression("length:(json)")),
        index("c", .property("title"), "title != nil"), index("d", .expression("length:(title)")), index("e", .entity),
        index("f", .property("title"), "jsonish == nil"),
      ])
    var derivation = TrackModelDerivation(TrackModels.model([track]))
    #expect(try derivation.derivedModel().entity(named: "Track")?.fetchIndexes.map(\.name) == ["c", "d", "e", "f"])
    #expect(derivation.remarks == ["the fetch index a of Track is gone", "the fetch index b of Track is gone"])
  }

  @Test func `Old renaming identifiers do not mislead the derivation`() throws {
    // The attribute 'raw' was once called 'json', and the entity 'Band' was an 'Artist'.
    let model = TrackModels.model([
      EntityDescription("Band", renamingIdentifier: "Artist", attributes: [Kind.text("name")]),
      EntityDescription(
        "Track",
        attributes: Self.needed + [
          AttributeDescription("raw", .string, renamingIdentifier: "json"),
          AttributeDescription("title", .string, renamingIdentifier: "subtitle"),
          AttributeDescription("subtitle", .string, renamingIdentifier: "title"),
        ]),
    ])
    _ = try derived(
      model, rows: "INSERT INTO ZBAND (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 1, 'B')",
      "INSERT INTO ZTRACK (Z_PK, Z_ENT, Z_OPT, ZJSON, ZRAW, ZTITLE, ZSUBTITLE) VALUES (1, 2, 1, '{}', 'r', 't', 's')")
    #expect(try Database.rows("SELECT ZRAW, ZTITLE, ZSUBTITLE FROM ZTRACK", in: folder.file("L")) == ["r|t|s"])
    #expect(try Database.rows("SELECT ZNAME FROM ZBAND", in: folder.file("L")) == ["B"])
    #expect(try Database.rows("SELECT count(*) FROM ZARTIST", in: folder.file("L")) == ["0"])
  }

  @Test func `A model without room for artists is refused`() throws {
    let track = EntityDescription("Track", attributes: Self.needed)
    #expect(try refusal(track, EntityDescription("Artist")) == "its model has an entity 'Artist' already")
    let taken = "of its model has a property 'artists' already"
    #expect(
      try refusal(EntityDescription("Track", attributes: Self.needed + [Kind.text("artists")])).hasSuffix(taken))
    #expect(
      try refusal(track, EntityDescription("Live", superentityName: "Track", attributes: [Kind.text("artists")]))
        == "the entity 'Live' \(taken)")
    #expect(
      try refusal(
        EntityDescription("Media", isAbstract: true, attributes: [Kind.text("artists")]),
        EntityDescription("Track", superentityName: "Media", attributes: Self.needed)) == "the entity 'Media' \(taken)")
  }

  @Test func `A model whose parent instances would lose their JSON is refused`() throws {
    let detail = try refusal(
      EntityDescription("Media", attributes: [Kind.text("json")]),
      EntityDescription("Track", superentityName: "Media", attributes: [Kind.text("artistName")]))
    #expect(detail == "the attribute 'json' belongs to 'Media' too, which is a parent of 'Track' and not abstract")
  }

  @Test func `An abstract parent's other children keep its property`() throws {
    let (model, _) = try derived([
      EntityDescription("Thing", isAbstract: true, attributes: [Kind.text("json")]),
      EntityDescription("Media", isAbstract: true, superentityName: "Thing"),
      EntityDescription("Track", superentityName: "Media", attributes: [Kind.text("artistName")]),
      EntityDescription("Video", superentityName: "Media"),
      EntityDescription("Clip", superentityName: "Video"),
      EntityDescription("Note", superentityName: "Thing"),
    ])
    let holders = model.entities.filter { $0.attribute(named: "json") != nil }.map(\.name)
    #expect(holders == ["Clip", "Note", "Video"])
    #expect(model.entities.filter { !$0.ownAttributes.isEmpty }.map(\.name) == ["Artist", "Note", "Video"])
  }
}
