internal import DataModel
internal import Migration
internal import MigrationDiagnostics
internal import PersistentStore

/// The file of a container: it is made, read or migrated, depending on what is there.
struct StoreFile {
  private let configuration: ModelConfiguration
  private let schema: Schema
  private let plan: (any SchemaMigrationPlan.Type)?

  init(_ configuration: ModelConfiguration, _ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?) {
    (self.configuration, self.schema, self.plan) = (configuration, schema, plan)
  }

  private var path: String { configuration.url.path }

  func open(_ entities: [String: StoredEntity]) throws -> any ObjectStore {
    do {
      let model = try schema.engineModel
      guard try FileSystem.isThere(path) else { return try new(model, entities) }
      try migrate(to: model)
      let reader = try StoreReader(path: path)
      // Version hashes are metadata: the tables may be others.
      try reader.requireLayout(of: model)
      let context = try ManagedObjectContext(reading: reader, model)
      return RemoteStore(EngineConnection(context, isReadOnly: true), identifier: reader.metadata.uuid)
    } catch let error as MigrationError {
      throw StoreFailure(error)
    }
  }

  private func new(_ model: ManagedObjectModel, _ entities: [String: StoredEntity]) throws -> any ObjectStore {
    guard configuration.allowsSave else {
      throw StoreFailure(description: "'\(path)' does not exist, and 'allowsSave' is false")
    }
    // The folder of stores without a place of their own is not there in a new account.
    if configuration.isInDefaultPlace {
      try FileManager.default.createDirectory(
        at: configuration.url.deletingLastPathComponent(), withIntermediateDirectories: true)
    }
    let file = NewFile(path: path, model: model)
    let store = MemoryStore(entities, write: file.write)
    // As in SwiftData, there is a file as soon as the container is opened.
    try store.saving {}
    return store
  }

  // MARK: - Migrating

  private func migrate(to model: ManagedObjectModel) throws {
    let reader = try StoreReader(path: path)
    let isCurrent = model.isCompatible(withVersionHashes: reader.metadata.versionHashes)
    try reader.close()
    guard !isCurrent else { return }
    guard configuration.allowsSave else {
      throw StoreFailure(description: "'\(path)' is of another version, and 'allowsSave' is false")
    }
    var migration = try plan.map { try self.migration($0, to: model) } ?? lightweightMigration(to: model)
    // As in SwiftData, which leaves no backup and drops what the new version does not have.
    migration.settings.keepsBackup = false
    migration.settings.allowsLoss = true
    _ = try migration.run()
  }

  private func lightweightMigration(to model: ManagedObjectModel) -> StoreMigration {
    var migration = StoreMigration(path: path, versions: [LoadedModelVersion(name: "schema", model: model)])
    migration.destinationVersionName = "schema"
    return migration
  }

  private func migration(
    _ plan: any SchemaMigrationPlan.Type, to model: ManagedObjectModel
  ) throws -> StoreMigration {
    let versions = try plan.schemas.map { schema in
      let model = try Schema(versionedSchema: schema).engineModel
      return LoadedModelVersion(name: ModelBuilder.qualifiedName(schema), model: model)
    }
    guard let wanted = versions.last(where: { $0.model.versionChecksum == model.versionChecksum }) else {
      throw StoreFailure(
        description: "the schema of the container is not a version of the plan '\(ModelBuilder.qualifiedName(plan))'")
    }
    var migration = StoreMigration(path: path, versions: versions)
    migration.destinationVersionName = wanted.name
    let stages = AppStages(plan.engineValue, PlanCode(plan: plan))
    migration.stages = try stages.stages(versions)
    migration.appStages = stages
    return migration
  }
}

/// A file that each save writes as a whole.
private final class NewFile {
  private let path: String
  private let model: ManagedObjectModel
  private var written: NewStore?

  init(path: String, model: ManagedObjectModel) { (self.path, self.model) = (path, model) }

  func write(_ store: MemoryStore) throws {
    do {
      let new = try NewStore(model: model)
      if let written { new.takeOver(written) }
      let instances = store.instances
      for instance in instances.sorted(by: { $0.key < $1.key }) {
        try new.insert(instance.entity, primaryKey: instance.key)
      }
      let engine = RemoteStore(EngineConnection(new.context, isReadOnly: false), identifier: path)
      try engine.save(instances.flatMap(store.changes))
      try new.write(to: path)
      written = new
    } catch let error as MigrationError {
      throw StoreFailure(error)
    }
  }
}

extension Schema {
  /// The model as the engine has it.
  fileprivate var engineModel: ManagedObjectModel {
    get throws {
      let text = ModelText(ModelBuilder(types), identifier: "\(version)").text
      do {
        return try ManagedObjectModel(xml: Array(text.utf8))
      } catch {
        throw MigrationError(error)
      }
    }
  }
}
