import DataModel
import Foundation
import PersistentStore
import SQLiteDatabase
import TestSupport
import Testing

/// Stores that Apple's Core Data wrote, read through the layout that is found in them.
@Suite("The layout of Apple's stores", .enabled(if: Checkout.hasCorpus, "needs ../shared/corpus"))
struct CorpusLayoutTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  static let stores = files(".sqlite")

  private static func files(_ suffix: String) -> [String] {
    let names = FileManager.default.enumerator(atPath: Checkout.corpus)?.compactMap { $0 as? String } ?? []
    return names.filter { $0.hasSuffix(suffix) }.map { "\(Checkout.corpus)/\($0)" }.sorted()
  }

  private func open(_ store: String) throws -> StoreReader {
    let path = folder.file(URL(filePath: store).lastPathComponent)
    try Files.copy(store, to: path)
    if Files.exists(store + "-wal") { try Files.copy(store + "-wal", to: path + "-wal") }
    return try StoreReader(path: path)
  }

  /// Every model that is known to be the store's: from its own cache, and from Xcode's files.
  private func models(of reader: StoreReader) throws -> [ManagedObjectModel] {
    var models: [ManagedObjectModel] = []
    let hasCache = "SELECT count(*) FROM sqlite_schema WHERE name = 'Z_MODELCACHE'"
    if try reader.connection.integer(hasCache) == 1 {
      let statement = try reader.connection.prepare("SELECT Z_CONTENT FROM Z_MODELCACHE")
      if try statement.step(), let bytes = statement.blob(0) {
        models.append(try ManagedObjectModel(modelCache: bytes))
      }
    }
    for bundle in Self.files(".xcdatamodeld") + Self.files(".xcdatamodel") {
      for version in try ModelBundle(path: bundle).versions {
        let model = try version.model()
        if model.isCompatible(withVersionHashes: reader.metadata.versionHashes) {
          models.append(model)
          return models
        }
      }
    }
    return models
  }

  @Test(arguments: stores)
  func `Apple's stores contain everything that their models require, and every row has an entity`(store: String) throws
  {
    let reader = try open(store)
    let models = try models(of: reader)
    #expect(!models.isEmpty)
    for model in models {
      let schema = try StoreSchema(model, introspecting: reader)
      #expect(schema.tables.flatMap(\.entityNames).sorted() == model.entities.map(\.name).sorted())
      for table in schema.tables {
        let name = table.name.quotedIdentifier
        let total = try #require(try reader.connection.integer("SELECT count(*) FROM \(name)"))
        let numbers = table.entityNames.map { Int64(schema.entityNumber($0)) }
        let counts = try numbers.map {
          try reader.connection.integer("SELECT count(*) FROM \(name) WHERE Z_ENT = \($0)") ?? 0
        }
        #expect(counts.reduce(0, +) == total)
        let list = (["Z_PK"] + table.columns.map(\.name.quotedIdentifier)).joined(separator: ", ")
        #expect(try Database.rows("SELECT \(list) FROM \(name)", reader.connection).count == Int(total))
      }
    }
    try reader.close()
  }

  @Test(arguments: stores)
  func `Apple's stores are current with the models that they were written with`(store: String) throws {
    let reader = try open(store)
    for model in try models(of: reader) { try reader.requireLayout(of: model) }
    try reader.close()
  }

  @Test(arguments: stores)
  func `Apple's stores contain nothing that would be reported as an app's own`(store: String) throws {
    let reader = try open(store)
    for model in try models(of: reader) {
      let schema = try StoreSchema(model, introspecting: reader)
      #expect(try reader.droppedContent(besides: schema).map(\.name) == [])
      #expect(try !reader.foreignContent(besides: schema).contains { [.app, .column, .rows].contains($0.kind) })
    }
    try reader.close()
  }

  @Test(arguments: stores)
  func `Every relationship in Apple's stores leads to instances of its destination`(store: String) throws {
    let reader = try open(store)
    for model in try models(of: reader) {
      let schema = try StoreSchema(model, introspecting: reader)
      for entity in model.entities {
        for relationship in entity.ownRelationships where !relationship.isTransient {
          guard let keys = Self.keys(relationship, of: entity, in: schema) else { continue }
          let destination = try #require(schema.table(forEntityNamed: relationship.destinationEntityName)).name
          let astray = """
            SELECT count(*) FROM (\(keys)) WHERE key IS NOT NULL
            AND key NOT IN (SELECT Z_PK FROM \(destination.quotedIdentifier))
            """
          #expect(try reader.connection.integer(astray) == 0, "\(entity.name).\(relationship.name)")
        }
      }
    }
    try reader.close()
  }

  private static func keys(
    _ relationship: RelationshipDescription, of entity: EntityDescription, in schema: StoreSchema
  ) -> String? {
    if let links = schema.layouts.links(ofRelationship: relationship.name, ofEntityNamed: entity.name) {
      return "SELECT \(links.destinationColumn.quotedIdentifier) AS key FROM \(links.table.name.quotedIdentifier)"
    }
    guard !relationship.isToMany, let table = schema.table(forEntityNamed: entity.name),
      let column = schema.column(forProperty: relationship.name, ofEntityNamed: entity.name)
    else { return nil }
    return "SELECT \(column.name.quotedIdentifier) AS key FROM \(table.name.quotedIdentifier)"
  }

  @Test func `A renamed entity whose old name is still present is found by its number`() throws {
    let store = try #require(Self.stores.first { $0.hasSuffix("SampleModel_V2.sqlite") })
    let reader = try open(store)
    #expect(reader.primaryKeys.map(\.entityName).contains("ExpensiveSportCar"))
    let schema = try StoreSchema(try #require(try models(of: reader).last), introspecting: reader)
    #expect(schema.entityNumber("LuxuryCar") == 3)
    try reader.close()
  }

  @Test func `Apple's stores have the same triggers for a derived attribute as ours`() throws {
    let store = try #require(Self.stores.first { $0.hasSuffix("SampleModel2_V1.sqlite") })
    let reader = try open(store)
    let schema = StoreSchema(try #require(try models(of: reader).first))
    let triggers = try Database.rows(
      "SELECT sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY rowid", reader.connection)
    #expect(triggers.count == 5)
    #expect(triggers == schema.triggerStatements)
    #expect(schema.omissions.isEmpty)
    #expect(Set(try reader.foreignContent(besides: schema).map(\.kind)) == [.persistentHistory])
    try reader.close()
  }
}
