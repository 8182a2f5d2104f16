import DataModel
import Migration
import MigrationDiagnostics
import PersistentStore
import TestSupport

/// A store of any model that is migrated to another in a private folder.
struct ObjectFixture {
  let folder: TemporaryFolder
  let sourceModel: ManagedObjectModel
  let destinationModel: ManagedObjectModel
  var registry = PolicyRegistry()
  var mappingModels: [MappingModel]

  var source: String { folder.file("Old.sqlite") }
  var destination: String { folder.file("New.sqlite") }

  /// Makes a source of some rows, and a mapping of each entity that has instances to itself.
  ///
  /// - Parameters:
  ///   - encoding: The text encoding of the source.
  ///   - sql: Statements that fill the source.
  init(
    _ sourceModel: ManagedObjectModel, to destinationModel: ManagedObjectModel? = nil, encoding: String = "UTF-8",
    sql: [String] = []
  ) throws {
    folder = try TemporaryFolder()
    self.sourceModel = sourceModel
    self.destinationModel = destinationModel ?? sourceModel
    mappingModels = []
    var layout = FileLayout.coreData
    layout.encoding = encoding
    try StoreWriter(path: source, schema: StoreSchema(sourceModel), layout: layout).finish(
      metadata: .new(for: sourceModel, uuid: "ID"))
    let statements = ["BEGIN"] + sql + ["COMMIT"]
    try Database.run(statements.joined(separator: ";\n"), in: source)
    mappingModels = [
      MappingModel(
        entityMappings: sourceModel.entities.filter { !$0.isAbstract }.compactMap { entity in
          self.destinationModel.entity(named: entity.name).map { EntityMapping.suggested(from: entity, to: $0) }
        })
    ]
  }

  /// Gives the mapping of an entity to itself a policy.
  mutating func use(_ policy: EntityMigrationPolicy, for entity: String) {
    registry.register(entity) { policy }
    change(entity) { $0.entityMigrationPolicyClassName = entity }
  }

  /// Changes the first mapping of a source entity.
  mutating func change(_ entity: String, _ body: (inout EntityMapping) -> Void) {
    for index in mappingModels.indices {
      let place = mappingModels[index].entityMappings.firstIndex { $0.sourceEntityName == entity }
      if let place { return body(&mappingModels[index].entityMappings[place]) }
    }
  }

  /// Prepares a migration.
  func manager() throws -> MigrationManager {
    let reader = try StoreReader(path: source)
    var options = MigrationManager.Options(policies: registry)
    // Without this, statements on whole tables would replace the default policy.
    options.migratesPerInstance = true
    return try MigrationManager(
      source: reader, sourceModel: sourceModel, mappingModels: mappingModels,
      destination: try StoreWriter(
        path: destination, schema: StoreSchema(destinationModel), layout: reader.layout),
      options: options)
  }

  @discardableResult
  func migrate() throws -> MigrationStatistics { try manager().migrate() }

  func rows(_ sql: String) throws -> [String] { try Database.rows(sql, in: destination) }
}

/// Does what a test says when the instances of a mapping have been made, or when each is connected.
final class ClosurePolicy: EntityMigrationPolicy {
  typealias Body = (EntityMapping, MigrationManager) throws -> Void

  private let onBegin: Body
  private let onCreate: ((ManagedObject, EntityMapping, MigrationManager) throws -> Void)?
  private let onRelate: ((ManagedObject, MigrationManager) throws -> Void)?
  private let onEndCreation: Body

  init(
    begin onBegin: @escaping Body = { _, _ in },
    create onCreate: ((ManagedObject, EntityMapping, MigrationManager) throws -> Void)? = nil,
    relate onRelate: ((ManagedObject, MigrationManager) throws -> Void)? = nil,
    endCreation onEndCreation: @escaping Body = { _, _ in }
  ) {
    self.onBegin = onBegin
    self.onCreate = onCreate
    self.onRelate = onRelate
    self.onEndCreation = onEndCreation
  }

  override func begin(_ mapping: EntityMapping, with manager: MigrationManager) throws {
    try onBegin(mapping, manager)
  }

  override func createDestinationInstances(
    forSource sInstance: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    guard let onCreate else {
      return try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    }
    try onCreate(sInstance, mapping, manager)
  }

  override func endInstanceCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {
    try onEndCreation(mapping, manager)
  }

  override func createRelationships(
    forDestination dInstance: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    guard let onRelate else {
      return try super.createRelationships(forDestination: dInstance, in: mapping, manager: manager)
    }
    try onRelate(dInstance, manager)
  }
}
