internal import DataModel
internal import Migration
internal import MigrationDiagnostics

/// The queue that a context is used on; here, contexts are used on whatever thread calls them.
public enum NSManagedObjectContextConcurrencyType: UInt, Sendable {
  /// A queue of the context's own.
  case privateQueueConcurrencyType = 1
  /// The main queue.
  case mainQueueConcurrencyType = 2
}

/// The rule for two contexts that have changed the same instance; without effect here, where only new stores are
/// changed.
open class NSMergePolicy: NSObject {
  /// The kinds of policies.
  public enum MergeType: UInt, Sendable {
    case errorMergePolicyType, mergeByPropertyStoreTrumpMergePolicyType, mergeByPropertyObjectTrumpMergePolicyType
    case overwriteMergePolicyType, rollbackMergePolicyType
  }

  /// The kind.
  public let mergeType: MergeType

  /// Creates a policy of a kind.
  public init(merge type: MergeType) { mergeType = type }

  /// The save fails.
  nonisolated(unsafe) public static let error = NSMergePolicy(merge: .errorMergePolicyType)
  /// The policy by which stored values win.
  nonisolated(unsafe) public static let mergeByPropertyStoreTrump = NSMergePolicy(
    merge: .mergeByPropertyStoreTrumpMergePolicyType)
  /// The policy by which values in memory win.
  nonisolated(unsafe) public static let mergeByPropertyObjectTrump = NSMergePolicy(
    merge: .mergeByPropertyObjectTrumpMergePolicyType)
  /// The policy by which the instance in memory replaces the stored one.
  nonisolated(unsafe) public static let overwrite = NSMergePolicy(merge: .overwriteMergePolicyType)
  /// The policy by which changes in memory are discarded.
  nonisolated(unsafe) public static let rollback = NSMergePolicy(merge: .rollbackMergePolicyType)
}

/// The save fails if two contexts have changed the same instance.
nonisolated(unsafe) public let NSErrorMergePolicy: Any = NSMergePolicy.error
/// The policy by which stored values win.
nonisolated(unsafe) public let NSMergeByPropertyStoreTrumpMergePolicy: Any = NSMergePolicy.mergeByPropertyStoreTrump
/// The policy by which values in memory win.
nonisolated(unsafe) public let NSMergeByPropertyObjectTrumpMergePolicy: Any = NSMergePolicy.mergeByPropertyObjectTrump
/// The policy by which the instance in memory replaces the stored one.
nonisolated(unsafe) public let NSOverwriteMergePolicy: Any = NSMergePolicy.overwrite
/// The policy by which changes in memory are discarded.
nonisolated(unsafe) public let NSRollbackMergePolicy: Any = NSMergePolicy.rollback

/// The instances of one of the two stores of a migration, or of a coordinator's first store.
///
/// A migration runs on one thread, and so do its policies. All contexts of a new store share their instances.
open class NSManagedObjectContext: NSObject {
  /// The rule for two contexts that have changed the same instance; ignored here.
  open var mergePolicy: Any = NSMergePolicy.error
  /// The name, for people.
  open var name: String?
  /// Who makes the changes, for persistent history; ignored here.
  open var transactionAuthor: String?
  /// Whether instances that are gone are deleted instead of failing; ignored here.
  open var shouldDeleteInaccessibleFaults = true
  /// Whether changes of other contexts are taken over; ignored here.
  open var automaticallyMergesChangesFromParent = false
  /// The queue that the context is used on.
  public let concurrencyType: NSManagedObjectContextConcurrencyType
  /// The coordinator whose first store the context shows.
  open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
    didSet { ownEngine = nil }
  }
  /// The engine's context; nil before a migration begins, or where there is no store.
  var engine: ManagedObjectContext? {
    if let ownEngine { return ownEngine }
    guard let store else { return nil }
    do throws(MigrationError) {
      ownEngine = try store.makeContext()
    } catch {
      openingError = error
    }
    if let ownEngine, ownEngine.facade == nil { ownEngine.facade = .passUnretained(self) }
    knownEntities = (ownEngine?.entityNames ?? []).map { entity(named: $0) }
    return ownEngine
  }
  @exclusivity(unchecked) private var ownEngine: ManagedObjectContext?
  /// The error of opening the store, if it cannot be read.
  private(set) var openingError: MigrationError?
  private let ownModel: NSManagedObjectModel
  /// The model of the instances.
  var model: NSManagedObjectModel { persistentStoreCoordinator?.managedObjectModel ?? ownModel }
  private let missingEntity = NSEntityDescription()
  /// The entities, in the engine's order.
  private var entities: [NSEntityDescription] {
    if let knownEntities { return knownEntities }
    let entities = (engine?.entityNames ?? []).map { entity(named: $0) }
    knownEntities = entities
    return entities
  }
  @exclusivity(unchecked) private var knownEntities: [NSEntityDescription]?

  init(_ engine: ManagedObjectContext?, _ model: NSManagedObjectModel) {
    (ownEngine, ownModel) = (engine, model)
    concurrencyType = .privateQueueConcurrencyType
    super.init()
    engine?.facade = .passUnretained(self)
  }

  /// Creates a context, which shows what its coordinator has.
  public init(concurrencyType ct: NSManagedObjectContextConcurrencyType) {
    (ownModel, concurrencyType) = (NSManagedObjectModel(), ct)
  }

  /// Creates a context, which shows what its coordinator has.
  public convenience init(_ type: NSManagedObjectContextConcurrencyType) { self.init(concurrencyType: type) }

  /// Creates a context, which shows what its coordinator has.
  public convenience init(_ type: ConcurrencyType) {
    self.init(
      concurrencyType: type == .mainQueue ? .mainQueueConcurrencyType : .privateQueueConcurrencyType)
  }

  /// The queue that a context is used on, as Swift has it.
  public enum ConcurrencyType: Sendable {
    /// A queue of the context's own.
    case privateQueue
    /// The main queue.
    case mainQueue
  }

  deinit {
    // A later facade may have replaced this one.
    guard let engine = ownEngine, engine.facade?.toOpaque() == Unmanaged.passUnretained(self).toOpaque() else { return }
    engine.facade = nil
  }

  /// The facade of one of the engine's contexts, created on first use.
  static func facade(of engine: ManagedObjectContext) -> NSManagedObjectContext {
    engine.facade?.takeUnretainedValue() as? NSManagedObjectContext
      ?? NSManagedObjectContext(engine, NSManagedObjectModel(engine.managedObjectModel))
  }

  /// The entity of an instance of the engine's context.
  func entity(of instance: ManagedObject) -> NSEntityDescription {
    let place = instance.entityPlace
    if let knownEntities, place < knownEntities.count { return knownEntities[place] }
    return place < entities.count ? entities[place] : missingEntity
  }

  func entity(named name: String) -> NSEntityDescription { model.entity(named: name) ?? missingEntity }

  /// The entity that the model assigns to a class; one without a name if there is none.
  func entity(of objectClass: NSManagedObject.Type) -> NSEntityDescription {
    let names = [String(reflecting: objectClass), String(describing: objectClass), ".\(objectClass)"]
    return model.entities.first { names.contains($0.managedObjectClassName) } ?? entity(named: "\(objectClass)")
  }

  /// Inserts an instance; an error ends the migration as soon as the policy returns.
  func insertInstance(ofEntityNamed name: String) -> ManagedObject? {
    do {
      return try engine?.insertNewObject(forEntityName: name)
    } catch {
      engine?.record(error)
      return nil
    }
  }

  /// Inserts an object that was made without a context.
  open func insert(_ object: NSManagedObject) { object.insert(into: self) }

  /// Deletes an instance that was inserted.
  open func delete(_ object: NSManagedObject) {
    guard let instance = object.instance, !instance.isDeleted else { return }
    object.prepareForDeletion()
    instance.managedObjectContext.delete(instance)
  }

  /// The instance with this ID.
  open func object(with objectID: NSManagedObjectID) -> NSManagedObject {
    guard let id = objectID.id, let instance = engine?.object(with: id) else {
      engine?.record(
        MigrationError(
          .policyFailed, MigrationError.Subject(entity: objectID.entity.content.name),
          detail: "the context has no instance \(objectID)"))
      return NSManagedObject(ManagedObjectHandle(instance: nil, entity: objectID.entity))
    }
    return instance.handle()
  }

  /// The instance with this ID, or an error.
  open func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
    guard let id = objectID.id, let instance = engine?.object(with: id) else {
      throw MigrationError(
        .policyFailed, MigrationError.Subject(entity: objectID.entity.content.name),
        detail: "the context has no instance \(objectID)")
    }
    return instance.handle()
  }

  /// Whether there are changes to save.
  open var hasChanges: Bool {
    guard let engine else { return false }
    return store.map { $0.hasChanges(engine) } ?? !engine.isSource
  }

  /// The store that the context shows; nil in a migration.
  private var store: NSPersistentStore? { persistentStoreCoordinator?.persistentStores.first }

  /// Writes a new store, whole.
  ///
  /// In a migration, which writes inserted instances itself, it does nothing.
  ///
  /// - Throws: An `NSError` of `NSCocoaErrorDomain`, with 1560 and all reasons if instances break rules of the model; also
  ///   if the store existed when it was added. The file stays what it was.
  open func save() throws {
    guard let store else { return }
    let (inserted, updated) = (insertedObjects, updatedObjects)
    // A file is checked against the rules of the model as it is written; what a class of the app's own does, only here.
    let own = inserted.union(updated).filter { !store.isCheckedWhenWritten || type(of: $0) != NSManagedObject.self }
    NotificationCenter.default.post(name: Self.willSaveObjectsNotification, object: self)
    for object in own { object.willSave() }
    for object in own { try inserted.contains(object) ? object.validateForInsert() : object.validateForUpdate() }
    do throws(MigrationError) {
      try store.save(ownEngine.map { store.hasChanges($0) } ?? false)
    } catch {
      throw error.savingError
    }
    for object in own { object.didSave() }
    NotificationCenter.default.post(
      name: Self.didSaveObjectsNotification, object: self,
      userInfo: [NSInsertedObjectsKey: inserted, NSUpdatedObjectsKey: updated])
  }

  /// The instances that were inserted since the last save; in a migration, which saves nothing by itself, none.
  open var insertedObjects: Set<NSManagedObject> { objects(engine?.changes?.inserted) }
  /// The instances that were changed since the last save.
  open var updatedObjects: Set<NSManagedObject> { objects(engine?.changes?.updated.keys) }
  private func objects(_ ids: (some Sequence<ManagedObjectID>)?) -> Set<NSManagedObject> {
    Set(ids.map { $0.compactMap { engine?.object(with: $0)?.handle() } } ?? [])
  }

  /// The instances that are in use.
  open var registeredObjects: Set<NSManagedObject> { Set((engine?.objectsInUse ?? []).map { $0.handle() }) }

  /// Does nothing: IDs are permanent from the start.
  open func obtainPermanentIDs(for objects: [NSManagedObject]) throws {}

  /// The instance with this ID, if it is in use.
  open func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
    registeredObjects.first { $0.objectID == objectID }
  }

  /// Does nothing: unused instances are released automatically.
  open func reset() {}

  /// Does nothing: unused instances are released automatically.
  open func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {}

  /// Does nothing: unused instances are released automatically.
  open func refreshAllObjects() {}

  /// Does nothing: relationships and their inverses are always in sync.
  open func processPendingChanges() {}

  /// Runs a block immediately: a migration runs on one thread.
  open func perform(_ block: @escaping () -> Void) { block() }

  /// Runs a block.
  open func performAndWait(_ block: () -> Void) { block() }

  /// Runs a block and returns its result.
  public func performAndWait<Result>(_ block: () throws -> Result) rethrows -> Result { try block() }
}
