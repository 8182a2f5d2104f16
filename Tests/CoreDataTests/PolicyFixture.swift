import CoreData
import DataModel
import Migration
import MigrationDiagnostics
import PersistentStore
import TestSupport

/// A small store in a private folder that apps' policies migrate.
struct PolicyFixture {
  let folder: TemporaryFolder
  let source: String
  let destination: String
  let sourceModel: ManagedObjectModel
  var registry = PolicyRegistry()

  /// Writes a store with rows that SQL inserts.
  init(_ model: ManagedObjectModel, _ sql: String = "") throws {
    folder = try TemporaryFolder()
    source = folder.file("Old.sqlite")
    destination = folder.file("New.sqlite")
    sourceModel = model
    try StoreWriter(path: source, schema: StoreSchema(model), layout: .coreData).finish(
      metadata: .new(for: model, uuid: "ID"))
    if !sql.isEmpty { try Database.run(sql, in: source) }
  }

  /// Makes a library of tracks.
  init(_ rows: [TrackRow]) throws {
    folder = try TemporaryFolder()
    source = folder.file("Old.sqlite")
    destination = folder.file("New.sqlite")
    sourceModel = TrackModels.v1
    try TrackLibraryBuilder(rows).write(to: source)
  }

  /// Migrates with one custom mapping for each pair of entities.
  @discardableResult
  func migrate(to model: ManagedObjectModel, _ mappings: EntityMapping...) throws -> MigrationStatistics {
    let reader = try StoreReader(path: source)
    let manager = try MigrationManager(
      source: reader, sourceModel: sourceModel, mappingModels: [MappingModel(entityMappings: mappings)],
      destination: StoreWriter(path: destination, schema: StoreSchema(model), layout: reader.layout),
      options: MigrationManager.Options(policies: registry))
    return try manager.migrate()
  }

  /// Returns the mapping of an entity to the same entity of another model.
  func mapping(
    _ name: String, to destination: String? = nil, in model: ManagedObjectModel, policy: String? = nil,
    userInfo: [String: String] = [:]
  ) -> EntityMapping {
    guard let old = sourceModel.entity(named: name), let new = model.entity(named: destination ?? name) else {
      preconditionFailure("a test names no entity")
    }
    var mapping = EntityMapping.suggested(from: old, to: new, policy: policy)
    mapping.userInfo = userInfo
    return mapping
  }

  func rows(_ sql: String) throws -> [String] { try Database.rows(sql, in: destination) }
}
