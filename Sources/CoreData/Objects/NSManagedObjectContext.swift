internal import DataModel
internal import Migration
internal import MigrationDiagnostics

/// The instances of one of the two stores of a migration.
///
/// A migration runs on one thread, and so do its policies.
open class NSManagedObjectContext: NSObject {
  /// The engine's context; nil before a migration begins.
  let engine: ManagedObjectContext?
  let model: NSManagedObjectModel
  private let missingEntity = NSEntityDescription()
  /// The entities, in the engine's order.
  private lazy var entities = (engine?.entityNames ?? []).map { entity(named: $0) }

  init(_ engine: ManagedObjectContext?, _ model: NSManagedObjectModel) {
    self.engine = engine
    self.model = model
    super.init()
    engine?.facade = .passUnretained(self)
  }

  deinit {
    // A later facade may have replaced this one.
    guard let engine, engine.facade?.toOpaque() == Unmanaged.passUnretained(self).toOpaque() else { return }
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
    return place < entities.count ? entities[place] : missingEntity
  }

  func entity(named name: String) -> NSEntityDescription { model.entitiesByName[name] ?? missingEntity }

  /// The entity that the model assigns to a class; one without a name if there is none.
  func entity(of objectClass: NSManagedObject.Type) -> NSEntityDescription {
    let names = [String(reflecting: objectClass), String(describing: objectClass), ".\(objectClass)"]
    return model.entities.first { names.contains($0.managedObjectClassName) } ?? entity(named: "\(objectClass)")
  }

  /// Inserts an instance; an error ends the migration as soon as the policy returns.
  func insertInstance(of entity: NSEntityDescription) -> ManagedObject? {
    do {
      return try engine?.insertNewObject(forEntityName: entity.content.name)
    } catch {
      engine?.record(error)
      return nil
    }
  }

  /// Inserts an object that was made without a context.
  open func insert(_ object: NSManagedObject) { object.insert(into: self) }

  /// Deletes an instance that was inserted.
  open func delete(_ object: NSManagedObject) {
    if let instance = object.instance { instance.managedObjectContext.delete(instance) }
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
  open var hasChanges: Bool { engine.map { !$0.isSource } ?? false }

  /// Does nothing: the migration writes inserted instances.
  open func save() throws {}

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
