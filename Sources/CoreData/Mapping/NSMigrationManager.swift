internal import DataModel
public import Migration
internal import MigrationDiagnostics
public import PersistentStore

/// Carries out a mapping model, and holds what policies share.
open class NSMigrationManager: NSObject {
  /// The model of the source.
  public let sourceModel: NSManagedObjectModel
  /// The model of the destination.
  public let destinationModel: NSManagedObjectModel
  /// Custom policies that are found by their names in this list, besides those that a mapping names with their module.
  public var policies = PolicyRegistry()
  /// The instances of entities that the last migration removed, by entity: those that no entity mapping takes over.
  ///
  /// As in Core Data, a mapping model that drops an entity with its instances is carried out without a question. Apple's
  /// class does not tell it either, so this has a name of its own.
  public internal(set) var removedInstancesCountByEntity: [String: Int] = [:]
  /// What the last migration could not carry over of what the store held besides its instances.
  public internal(set) var droppedContent: [DroppedContent] = []
  /// The engine's manager, while a migration runs; it holds this object, by way of its policies.
  private(set) weak var engine: MigrationManager?
  /// The mappings that policies are handed, by their names: what a policy writes into one, the next one reads.
  private var mappings: [String: NSEntityMapping] = [:]
  /// What policies share under keys that are no text.
  private var otherUserInfo: [AnyHashable: Any] = [:]
  /// What is shared while no migration runs.
  private var ownUserInfo: [String: Any] = [:]
  /// Whether a policy has set what is shared, which may be an empty dictionary to be filled.
  private var isUserInfoSet = false
  private lazy var contexts = makeContexts()

  /// Creates a manager.
  public init(sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel) {
    self.sourceModel = sourceModel
    self.destinationModel = destinationModel
  }

  /// The manager that stands for one of the engine's, made on first use.
  static func facade(of engine: MigrationManager) -> NSMigrationManager {
    if let manager = engine.facade as? NSMigrationManager { return manager }
    let manager = NSMigrationManager(
      sourceModel: NSManagedObjectModel(engine.sourceModel),
      destinationModel: NSManagedObjectModel(engine.destinationModel))
    manager.use(engine, [])
    return manager
  }

  /// Begins to stand for a manager of the engine.
  fileprivate func use(_ engine: MigrationManager, _ mappings: [NSEntityMapping]) {
    self.engine = engine
    engine.facade = self
    engine.userInfo.merge(ownUserInfo) { _, own in own }
    self.mappings = Dictionary(mappings.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    contexts = makeContexts()
  }

  /// Stands for nothing again, and keeps what policies have shared.
  private func endUse() {
    if let engine { ownUserInfo = engine.userInfo }
    engine = nil
    contexts = makeContexts()
  }

  private func makeContexts() -> (source: NSManagedObjectContext, destination: NSManagedObjectContext) {
    (
      NSManagedObjectContext(engine?.sourceContext, sourceModel),
      NSManagedObjectContext(engine?.destinationContext, destinationModel)
    )
  }

  /// The mapping that policies are handed for one of the engine's.
  func mapping(for mapping: EntityMapping) -> NSEntityMapping {
    if let known = mappings[mapping.name] { return known }
    let made = NSEntityMapping(mapping)
    mappings[mapping.name] = made
    return made
  }

  // MARK: What policies ask for

  /// The source's instances.
  open var sourceContext: NSManagedObjectContext { contexts.source }
  /// The destination's instances.
  open var destinationContext: NSManagedObjectContext { contexts.destination }
  /// What is done.
  open var mappingModel: NSMappingModel {
    guard let engine else { return NSMappingModel() }
    let model = NSMappingModel()
    model.entityMappings = engine.mappingModel.entityMappings.map { mapping(for: $0) }
    return model
  }
  /// The entity mapping at work.
  open var currentEntityMapping: NSEntityMapping {
    (engine?.currentEntityMapping).map { mapping(for: $0) } ?? NSEntityMapping()
  }
  /// How much is done, from 0 to 1.
  open var migrationProgress: Float { engine?.migrationProgress ?? 0 }
  /// Whether a store's own way of migrating may be used; here there is one way for all.
  open var usesStoreSpecificMigrationManager = false

  /// Whatever policies want to share: the engine's `userInfo`, and what has other keys than text.
  open var userInfo: [AnyHashable: Any]? {
    get {
      var shared = otherUserInfo
      for (key, value) in engine?.userInfo ?? ownUserInfo { shared[key] = value }
      return shared.isEmpty && !isUserInfoSet ? nil : shared
    }
    set {
      isUserInfoSet = newValue != nil
      otherUserInfo = [:]
      var shared: [String: Any] = [:]
      for (key, value) in newValue ?? [:] {
        if let name = key.base as? String { shared[name] = value } else { otherUserInfo[key] = value }
      }
      if let engine { engine.userInfo = shared } else { ownUserInfo = shared }
    }
  }

  /// The source entity of a mapping.
  open func sourceEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
    mEntity.sourceEntityName.flatMap { sourceModel.entitiesByName[$0] }
  }

  /// The destination entity of a mapping.
  open func destinationEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
    mEntity.destinationEntityName.flatMap { destinationModel.entitiesByName[$0] }
  }

  /// Records which destination instance a source instance has become under a mapping.
  open func associate(
    sourceInstance: NSManagedObject, withDestinationInstance destinationInstance: NSManagedObject,
    for entityMapping: NSEntityMapping
  ) {
    guard let source = sourceInstance.instance, let destination = destinationInstance.instance else {
      cancelMigrationWithError(
        MigrationError(
          .policyFailed, MigrationError.Subject(name: entityMapping.name),
          detail: "an instance of no context is associated"))
      return
    }
    engine?.associate(source, destination, mappingName: entityMapping.value.name)
  }

  /// The instances that source instances have become under a mapping; all of the mapping's when no sources are named.
  open func destinationInstances(
    forEntityMappingName mappingName: String, sourceInstances: [NSManagedObject]? = nil
  ) -> [NSManagedObject] {
    let sources = sourceInstances?.compactMap(\.instance)
    return engine?.destinationInstances(forEntityMappingName: mappingName, sourceInstances: sources).map { $0.handle() }
      ?? []
  }

  /// The instances that destination instances were made from under a mapping; all of the mapping's when none are named.
  open func sourceInstances(
    forEntityMappingName mappingName: String, destinationInstances: [NSManagedObject]? = nil
  ) -> [NSManagedObject] {
    let destinations = destinationInstances?.compactMap(\.instance)
    return engine?.sourceInstances(forEntityMappingName: mappingName, destinationInstances: destinations)
      .map { $0.handle() } ?? []
  }

  /// Makes the migration end with an error, as soon as the policy that calls this returns.
  open func cancelMigrationWithError(_ error: any Error) {
    engine?.cancelMigrationWithError(PolicyFailure.wrapping(error))
  }

  /// Forgets what was shared.
  open func reset() { userInfo = nil }
}

extension NSMigrationManager {
  /// Migrates a store into a new file.
  ///
  /// The source is only read, and other programs are kept from writing to it until the new store is complete, where this
  /// process may write to it. The destination must not exist; on any failure there is none. As in Core Data, entities may
  /// be dropped with their instances, which ``removedInstancesCountByEntity`` tells afterwards. Large values in files of
  /// their own and the app's own tables come along; ``droppedContent`` tells of what does not.
  ///
  /// - Parameters:
  ///   - sourceURL: The store.
  ///   - sStoreType: `NSSQLiteStoreType`, the only one there is.
  ///   - sOptions: Nothing is taken from them.
  ///   - mappings: What is to be done.
  ///   - dURL: The new file.
  ///   - dStoreType: `NSSQLiteStoreType`, the only one there is.
  ///   - dOptions: Nothing is taken from them.
  /// - Throws: An `NSError` of `NSCocoaErrorDomain` with Core Data's code, and the engine's `MigrationError` under it.
  public func migrateStore(
    from sourceURL: URL, sourceType sStoreType: String, options sOptions: [AnyHashable: Any]? = nil,
    with mappings: NSMappingModel?, toDestinationURL dURL: URL, destinationType dStoreType: String,
    destinationOptions dOptions: [AnyHashable: Any]? = nil
  ) throws {
    do {
      try requireSQLite(sStoreType, sourceURL)
      try requireSQLite(dStoreType, dURL)
      guard let mappings else {
        throw MigrationError(.invalidMappingModel, path: sourceURL.exactPath, detail: "there is no mapping model")
      }
      try migrate(sourceURL.exactPath, dURL.exactPath, mappings)
    } catch let error as MigrationError {
      throw error.cocoaError
    }
  }

  private func requireSQLite(_ type: String, _ url: URL) throws(MigrationError) {
    guard type == NSSQLiteStoreType else {
      throw MigrationError(
        .notACoreDataStore, path: url.exactPath, detail: "stores of type '\(type)' are not known here")
    }
  }

  private func migrate(_ source: String, _ destination: String, _ mappings: NSMappingModel) throws(MigrationError) {
    guard let sourceModel = sourceModel.model, let destinationModel = destinationModel.model else {
      throw MigrationError(.unknownVersion, path: source, detail: "a model without entities is given")
    }
    var migration = StoreMigration(path: source, versions: [])
    migration.outputPath = destination
    migration.allowsLoss = true
    migration.policies = policies(for: mappings)
    let hooks = ManagerHooks(self, mappings, from: sourceModel, to: destinationModel)
    migration.hooks = hooks
    // What policies have shared is taken over from it at the end.
    defer { withExtendedLifetime(hooks) { endUse() } }
    guard case .migrated(let result) = try migration.run() else { return }
    removedInstancesCountByEntity = result.steps.first?.statistics.removedInstanceCounts ?? [:]
    droppedContent = result.uncopied
  }

  /// The registered policies, and those whose classes are found by the names in the mappings: `Module.Class`.
  private func policies(for mappings: NSMappingModel) -> PolicyRegistry {
    var registry = PolicyRegistry()
    for name in mappings.mappings.compactMap(\.entityMigrationPolicyClassName) {
      guard let policyClass = NamedClass.find(name) as? NSEntityMigrationPolicy.Type else { continue }
      registry.register(policyClass, as: name)
    }
    return registry.merging(policies)
  }
}

/// What Core Data's manager does in its own way: its hop is the mapping model that it was given.
private final class ManagerHooks: MigrationHooks {
  private let manager: NSMigrationManager
  private let mappings: NSMappingModel
  private let models: (source: ManagedObjectModel, destination: ManagedObjectModel)
  /// The manager that carries it out.
  private var engine: MigrationManager?

  init(
    _ manager: NSMigrationManager, _ mappings: NSMappingModel, from source: ManagedObjectModel,
    to destination: ManagedObjectModel
  ) {
    (self.manager, self.mappings) = (manager, mappings)
    models = (source, destination)
  }

  /// What another program would commit meanwhile, the new store would not have.
  var locksSource: Bool { true }

  func plan(_ migration: StoreMigration, of store: StoreReader) throws(MigrationError) -> MigrationPlan {
    guard models.source.isCompatible(withVersionHashes: store.metadata.versionHashes) else {
      throw MigrationError(
        .unknownVersion, path: migration.path, detail: "it is not of the source model's version")
    }
    return .hop(
      from: LoadedModelVersion(name: "source", model: models.source),
      to: LoadedModelVersion(name: "destination", model: models.destination),
      by: LoadedMappingModel(
        name: "mapping", sourceVersionName: "source", destinationVersionName: "destination",
        mappingModel: mappings.value))
  }

  func prepare(_ engine: MigrationManager) {
    self.engine = engine
    manager.use(engine, mappings.mappings)
  }
}
