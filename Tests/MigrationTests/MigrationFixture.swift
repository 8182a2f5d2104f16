import DataModel
import Migration
import MigrationDiagnostics
import PersistentStore
import TestSupport

/// A track library of version 1 that is migrated to version 2 in a private folder.
struct MigrationFixture {
  let folder: TemporaryFolder
  let source: String
  let destination: String
  var registry = PolicyRegistry()
  var cancellation = MigrationCancellation()
  var threadCount: Int?
  private var migratesPerInstance = true
  var mappings: [EntityMapping]

  init(_ rows: [TrackRow], encoding: String = "UTF-8") throws {
    var builder = TrackLibraryBuilder(rows)
    builder.encoding = encoding
    try self.init(builder)
  }

  init(_ builder: TrackLibraryBuilder) throws {
    folder = try TemporaryFolder()
    source = folder.file("Old.sqlite")
    destination = folder.file("New.sqlite")
    mappings = [Self.tracks()]
    try builder.write(to: source)
  }

  static func entity(_ name: String, in model: ManagedObjectModel) -> EntityDescription {
    guard let entity = model.entity(named: name) else { preconditionFailure("a test names no entity") }
    return entity
  }

  /// The mapping of tracks, with the default policy or a custom one.
  static func tracks(policy: String? = nil, name: String? = nil) -> EntityMapping {
    var mapping = EntityMapping.suggested(
      from: entity("Track", in: TrackModels.v1), to: entity("Track", in: TrackModels.v2), policy: policy)
    if let name { mapping.name = name }
    return mapping
  }

  mutating func use(_ make: @escaping () -> EntityMigrationPolicy) {
    registry.register("Custom", make)
    migratesPerInstance = !(make() is any BatchMigrationPolicy)
    mappings = [Self.tracks(policy: "Custom")]
  }

  /// - Parameter path: Another name of the source.
  @discardableResult
  func migrate(
    from path: String? = nil, onProgress: ((MigrationProgress) -> Void)? = nil
  ) throws -> MigrationStatistics {
    let reader = try StoreReader(path: path ?? source)
    let writer = try StoreWriter(path: destination, schema: StoreSchema(TrackModels.v2), layout: reader.layout)
    let manager = try MigrationManager(
      source: reader, sourceModel: TrackModels.v1, mappingModels: [MappingModel(entityMappings: mappings)],
      destination: writer, rejects: RejectsFile(path: folder.file("rejects")),
      options: options(onProgress))
    return try manager.migrate()
  }

  func rows(_ sql: String) throws -> [String] { try Database.rows(sql, in: destination) }

  /// Every instance goes through its policy, unless that works in batches: these tests are about policies.
  private func options(_ onProgress: ((MigrationProgress) -> Void)?) -> MigrationManager.Options {
    var options = MigrationManager.Options(
      policies: registry, cancellation: cancellation, onProgress: onProgress)
    options.migratesPerInstance = migratesPerInstance
    options.threadCount = threadCount
    return options
  }
}
