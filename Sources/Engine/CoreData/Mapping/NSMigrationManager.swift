internal import DataModel
public import Migration
internal import MigrationDiagnostics
public import PersistentStore

/// Performs a migration with a mapping model, and holds the state that policies share.
open class NSMigrationManager: NSObject {
  /// The model of the source.
  public let sourceModel: NSManagedObjectModel
  /// The model of the destination.
  public let destinationModel: NSManagedObjectModel
  /// Custom policies found by their names in this list, in addition to those that a mapping names with their module.
  public var policies = PolicyRegistry()
  /// The number of instances that the last migration removed, by entity: those that no entity mapping migrates.
  ///
  /// As in Core Data, a mapping model that drops an entity and its instances is applied without confirmation. Apple's
  /// class does not report the number either, so this property has a name that Core Data does not use.
  public internal(set) var removedInstancesCountByEntity: [String: Int] = [:]
  /// The contents of the store besides its instances that the last migration could not carry over.
  public internal(set) var droppedContent: [DroppedContent] = []
  /// The engine's manager, while a migration runs; it holds this object, by way of its policies.
  private(set) weak var engine: MigrationManager?
  /// The mappings passed to policies, by name: what one policy writes into a mapping, the next one reads.
  private var mappings: [String: NSEntityMapping] = [:]
  /// The values that policies share under keys that are not text.
  private var otherUserInfo: [AnyHashable: Any] = [:]
  /// The values that are shared while no migration runs.
  private var ownUserInfo: [String: Any] = [:]
  /// Whether a policy has set the shared information, which may be an empty dictionary to be filled later.
  private var isUserInfoSet = false
  private var contexts: Contexts {
    if let knownContexts { return knownContexts }
    let made = Contexts(self)
    knownContexts = made
    return made
  }
  /// The contexts, once they were asked for.
  @exclusivity(unchecked) private var knownContexts: Contexts?
  private var observers: [Observer] = []
  private var lastProgress: Float = 0
  private lazy var noMapping = NSEntityMapping()

  /// Creates a manager.
  public init(sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel) {
    self.sourceModel = sourceModel
    self.destinationModel = destinationModel
  }

  /// The facade of an engine's manager, created on first use.
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
    engine.onChange = { [weak self] in self?.notifyObservers() }
    engine.userInfo.merge(ownUserInfo) { _, own in own }
    self.mappings = Dictionary(mappings.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    knownContexts = Contexts(self)
  }

  /// Stops acting as a facade, and keeps what policies have shared.
  private func endUse() {
    if let engine {
      ownUserInfo = engine.userInfo
      lastProgress = engine.migrationProgress
    }
    engine = nil
    knownContexts = Contexts(self)
  }

  /// The contexts of the engine's manager, if there is one.
  private final class Contexts {
    let source: NSManagedObjectContext
    let destination: NSManagedObjectContext

    init(_ manager: NSMigrationManager) {
      source = NSManagedObjectContext(manager.engine?.sourceContext, manager.sourceModel)
      destination = NSManagedObjectContext(manager.engine?.destinationContext, manager.destinationModel)
    }
  }

  /// The mapping passed to policies for one of the engine's.
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
  /// The mapping model of the migration.
  open var mappingModel: NSMappingModel {
    guard let engine else { return NSMappingModel() }
    let model = NSMappingModel()
    model.entityMappings = engine.mappingModel.entityMappings.map { mapping(for: $0) }
    return model
  }
  /// The entity mapping in progress.
  open var currentEntityMapping: NSEntityMapping {
    (engine?.currentEntityMapping).map { mapping(for: $0) } ?? noMapping
  }
  /// The progress of the migration, from 0 to 1.
  open var migrationProgress: Float { engine?.migrationProgress ?? lastProgress }
  /// Whether a store-specific migration manager may be used; it has no effect here, where all migrations run the same
  /// way.
  open var usesStoreSpecificMigrationManager = false

  /// Information shared between policies: the engine's `userInfo`, and entries whose keys are not text.
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

  /// Records which destination instance was created for a source instance by a mapping.
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
    engine?.associate(source, destination, mappingName: entityMapping.engineName)
  }

  /// The instances that a mapping created for source instances; without sources, all instances of the mapping.
  open func destinationInstances(
    forEntityMappingName mappingName: String, sourceInstances: [NSManagedObject]? = nil
  ) -> [NSManagedObject] {
    let sources = sourceInstances.map { $0.compactMap { $0.instance } }
    return engine?.destinationInstances(forEntityMappingName: mappingName, sourceInstances: sources).map { $0.handle() }
      ?? []
  }

  /// The source instances of a mapping's destination instances; without destinations, all sources of the mapping.
  open func sourceInstances(
    forEntityMappingName mappingName: String, destinationInstances: [NSManagedObject]? = nil
  ) -> [NSManagedObject] {
    let destinations = destinationInstances?.compactMap(\.instance)
    return engine?.sourceInstances(forEntityMappingName: mappingName, destinationInstances: destinations)
      .map { $0.handle() } ?? []
  }

  /// Ends the migration with an error as soon as the calling policy returns.
  open func cancelMigrationWithError(_ error: any Error) {
    engine?.cancelMigrationWithError(PolicyFailure.wrapping(error))
  }

  /// Clears the shared information.
  open func reset() { userInfo = nil }
}

/// `migrationProgress` and `currentEntityMapping` can be observed.
extension NSMigrationManager: KeyValueObservable {
  /// An observation, which its maker keeps.
  private struct Observer {
    weak var observation: NSKeyValueObservation?
  }

  /// Calls an observation whenever a property may have changed.
  public func addObservation(_ observation: NSKeyValueObservation) {
    observers.removeAll { $0.observation == nil }
    observers.append(Observer(observation: observation))
  }

  fileprivate func notifyObservers() {
    for observer in observers { observer.observation?.notify() }
  }
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
  ///   - sStoreType: `NSSQLiteStoreType`, the only type supported.
  ///   - sOptions: Ignored.
  ///   - mappings: The mapping model.
  ///   - dURL: The new file.
  ///   - dStoreType: `NSSQLiteStoreType`, the only type supported.
  ///   - dOptions: Ignored.
  /// - Throws: An `NSError` of `NSCocoaErrorDomain` with Core Data's code, and the engine's `MigrationError` as its
  ///   underlying error.
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
    for mapping in mappings.mappings {
      guard let expression = mapping.unknownSourceExpression else { continue }
      throw MigrationError(
        .invalidMappingModel, MigrationError.Subject(path: source, name: mapping.name),
        detail: "its source expression '\(expression)' is not a fetch of its source entity from '$manager'")
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

/// The hooks of Core Data's manager, for which the hop is the mapping model that it was given.
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

  /// Always `true`: changes that another program commits meanwhile would be missing from the new store.
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
