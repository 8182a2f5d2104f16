import DataModel
import Migration
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

/// Stores that hold the entities of one configuration of a model only.
@Suite("Stores of one configuration")
struct ConfigurationTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// `Note` goes to one store and `Log` to another; both gain an attribute.
  private static func model(_ version: Int, configurations: [String: [String]] = Self.configurations) throws
    -> ManagedObjectModel
  {
    let added = version == 1 ? [] : [AttributeDescription("added", .integer16, defaultValue: .integer(7))]
    return try ManagedObjectModel(
      entities: [
        EntityDescription("Log", attributes: [AttributeDescription("line", .string)] + added),
        EntityDescription("Note", attributes: [AttributeDescription("title", .string)] + added),
      ],
      configurations: configurations)
  }

  private static let configurations = ["Cloud": ["Note"], "Local": ["Log"]]

  private func store(_ entity: String) throws -> String {
    let path = folder.file("App.sqlite")
    let whole = try Self.model(1)
    let part = try ManagedObjectModel(entities: whole.entities.filter { $0.name == entity })
    let writer = try StoreWriter(path: path, schema: StoreSchema(part), layout: .coreData)
    try writer.inserter(forEntityNamed: entity, properties: [entity == "Note" ? "title" : "line"])
      .insert(primaryKey: 3, values: [.text("kept")])
    try writer.finish(metadata: .new(for: part, uuid: "ID"))
    return path
  }

  private func migration(_ path: String, _ configurations: [String: [String]] = Self.configurations) throws
    -> StoreMigration
  {
    StoreMigration(
      path: path,
      versions: try [1, 2].map {
        LoadedModelVersion(name: "V\($0)", model: try Self.model($0, configurations: configurations))
      })
  }

  @Test(arguments: ["Note", "Log"]) func `A store is migrated to the same configuration of the next version`(
    entity: String
  )
    throws
  {
    let path = try store(entity)
    guard case .migrated(let result) = try migration(path).run() else { throw MigrationError(.migrationFailed) }
    #expect(result.plan.destination.model.entities.map(\.name) == [entity])
    let column = entity == "Note" ? "ZTITLE" : "ZLINE"
    #expect(try Database.rows("SELECT Z_PK, \(column), ZADDED FROM Z\(entity.uppercased())", in: path) == ["3|kept|7"])
    #expect(try Database.rows("SELECT Z_NAME FROM Z_PRIMARYKEY", in: path) == [entity])
    let metadata = try StoreReader(path: path).metadata
    #expect(metadata.versionHashes == [entity: try #require(try Self.model(2).entity(named: entity)).versionHash])
    guard case .alreadyCurrent = try migration(path).run() else { throw MigrationError(.migrationFailed) }
  }

  @Test func `Only the entity mappings of the store's entities are used`() throws {
    let path = try store("Note")
    var migration = try migration(path)
    let (old, new) = (migration.versions[0].model, migration.versions[1].model)
    let mappings = try ["Log", "Note"].map { name in
      EntityMapping.suggested(
        from: try #require(old.entity(named: name)), to: try #require(new.entity(named: name)),
        policy: name == "Log" ? "NotHere" : nil)
    }
    migration.mappings = [
      LoadedMappingModel(
        name: "M", sourceVersionName: "V1", destinationVersionName: "V2",
        mappingModel: MappingModel(entityMappings: mappings))
    ]
    guard case .migrated(let result) = try migration.run() else { throw MigrationError(.migrationFailed) }
    #expect(result.steps.map(\.method.summary) == ["by 'M'"])
    #expect(try Database.rows("SELECT ZTITLE FROM ZNOTE", in: path) == ["kept"])
  }

  @Test func `A migration requires a configuration with exactly the store's entities`() throws {
    let migration = try migration(store("Note"), ["Both": ["Note", "Log"]])
    #expect(try #require(throws: MigrationError.self) { try migration.run() }.code == .unknownVersion)
  }
}
