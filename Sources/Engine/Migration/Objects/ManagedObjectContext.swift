public import DataModel
public import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase
internal import Verification

/// The instances of one of the two stores of a migration.
///
/// The source's context is read-only: a value set on a source instance lasts only as long as the object. The
/// destination's context keeps what policies insert and change, and writes it during the migration.
public final class ManagedObjectContext {
  let instances: any InstanceStore
  let layouts: EntityLayouts
  @exclusivity(unchecked) private var live = ObjectsInUse()
  /// The object of the CoreData module that represents this one, which removes itself when it is released.
  package var facade: Unmanaged<AnyObject>? {
    get { ownFacade }
    set { ownFacade = newValue }
  }
  @exclusivity(unchecked) private var ownFacade: Unmanaged<AnyObject>?
  /// Reads an external data file of an attribute; `nil` if there is no file with this name.
  var readExternalData: ((_ name: String) throws -> [UInt8]?)?
  /// The external data files that copied attributes still refer to.
  var keptFileNames: Set<String> = []
  /// The first error in code that cannot throw.
  @exclusivity(unchecked) private var failure: (any Error)?
  /// The number of insertions, changes and deletions.
  @exclusivity(unchecked) package private(set) var changeCount = 0
  /// The changes; nil if they are not recorded, as in migrations.
  @exclusivity(unchecked) package var changes: ContextChanges?

  /// The changes that code of a stage has made; nil if it has not told them.
  var stageChanges: StageChanges?
  /// The oddities in the work of that code, as text for people.
  var stageRemarks: [String] = []

  /// The texts that are not valid UTF-8 but were read as text, each once.
  private(set) var repairedTexts: Set<RepairedText> = []

  init(_ instances: any InstanceStore) {
    self.instances = instances
    layouts = instances.layouts
  }

  /// The objects in use, in no order.
  package var objectsInUse: [ManagedObject] { live.all }

  /// The model of the store.
  public var managedObjectModel: ManagedObjectModel { instances.schema.model }

  /// The names of all entities with instances in this context.
  package var entityNames: [String] { layouts.all.map(\.entity.name) }

  /// Whether the instances are those of the source store.
  package var isSource: Bool { instances.kind == .source }

  /// Inserts a new instance with its attributes' default values.
  public func insertNewObject(forEntityName name: String) throws(MigrationError) -> ManagedObject {
    try insertNewObject(try layout(named: name))
  }

  func insertNewObject(_ layout: EntityLayout) throws(MigrationError) -> ManagedObject {
    guard !layout.entity.isAbstract else {
      throw MigrationError(
        .policyFailed, MigrationError.Subject(entity: layout.entity.name), detail: "an abstract entity has no instances"
      )
    }
    changeCount &+= 1
    let object = try instances.insert(layout, in: self)
    changes?.insert(object.objectID)
    return object
  }

  /// The instances that match a request, ordered by primary key unless it says otherwise.
  public func fetch(_ request: FetchRequest) throws(MigrationError) -> [ManagedObject] {
    let layout = try layout(named: request.entityName)
    var found: [ManagedObject]
    do {
      found = try instances.fetch(request, layout, in: self)
      if !request.sortDescriptors.isEmpty { found = try request.sorted(found) }
    } catch {
      throw fetchFailure(error, request.entityName)
    }
    found.removeFirst(min(max(request.fetchOffset, 0), found.count))
    if request.fetchLimit > 0, found.count > request.fetchLimit {
      found.removeLast(found.count - request.fetchLimit)
    }
    return found
  }

  /// Calls a closure with the instances with a text as the value of a property, in the order of their keys.
  ///
  /// Policies look instances up in this way one by one, so it does without a request and a list.
  ///
  /// - Returns: Whether that was possible; otherwise only a fetch can tell.
  package func forEach(
    _ entityName: String, where key: String, equals text: String, _ includesSubentities: Bool,
    _ body: (ManagedObject) -> Void
  ) throws(MigrationError) -> Bool {
    guard let destination = instances as? DestinationInstances else { return false }
    let layout = try layout(named: entityName)
    guard let attribute = layout.searchableIndex(key) else { return false }
    do {
      try destination.forEachInstance(
        of: layout, where: attribute, equals: .string(text), includesSubentities, in: self, body)
      return true
    } catch {
      throw fetchFailure(error, entityName)
    }
  }

  /// Returns the error for a failed fetch.
  private func fetchFailure(_ error: any Error, _ entityName: String) -> MigrationError {
    if let error = error as? MigrationError { return error }
    if let error = error as? SQLiteError { return MigrationError(error, path: instances.path) }
    return MigrationError(
      .policyFailed, MigrationError.Subject(entity: entityName), detail: "a fetch failed: \(error)")
  }

  /// Calls a closure with the instances that match a request, one by one, in the order of their keys.
  ///
  /// Those of a store that can only be read are not all in memory at once.
  ///
  /// - Parameter request: A request without sort descriptors, offset and limit.
  package func forEach(_ request: FetchRequest, _ body: (ManagedObject) throws -> Void) throws {
    guard let source = instances as? SourceInstances else { return try fetch(request).forEach(body) }
    do {
      try source.forEach(
        try layout(named: request.entityName), request.predicate, variables: request.variables,
        includesSubentities: request.includesSubentities, in: self, body)
    } catch let error as SQLiteError {
      // What the closure throws goes on as it is.
      throw fetchFailure(error, request.entityName)
    }
  }

  /// The way in which a request is carried out, apart from its order and limit; `nil` if it does not read a store.
  package func explanation(of request: FetchRequest) throws(MigrationError) -> FetchExplanation? {
    guard let source = instances as? SourceInstances else { return nil }
    let layout = try layout(named: request.entityName)
    return try reporting(path: source.path) {
      try source.explanation(layout, request.predicate, includesSubentities: request.includesSubentities)
    }
  }

  /// The number of instances that match a request.
  public func count(for request: FetchRequest) throws(MigrationError) -> Int {
    try fetch(request).count
  }

  /// The instance with an ID.
  ///
  /// Whether the store has a row for it becomes apparent when a value is read. A deleted instance is not returned.
  public func object(with objectID: ManagedObjectID) -> ManagedObject? {
    if let object = live[objectID] { return object.isDeleted ? nil : object }
    guard objectID.store == instances.kind, let layout = layouts[objectID.entityNumber],
      !instances.isDeleted(objectID)
    else { return nil }
    let object = ManagedObject(layout, objectID, in: self)
    object.isStored = true
    live.insert(object)
    return object
  }

  /// The instance with a primary key, as one of exactly this entity.
  package func object(ofEntityNamed name: String, primaryKey: Int64) -> ManagedObject? {
    layouts[name].flatMap {
      object(with: ManagedObjectID(store: instances.kind, entityNumber: $0.number, primaryKey: primaryKey))
    }
  }

  /// Deletes an inserted instance, with all links from and to it.
  ///
  /// The destinations of relationships with the cascade delete rule are deleted too; the other rules act like nullify.
  public func delete(_ object: ManagedObject) {
    guard object.managedObjectContext === self else { return object.managedObjectContext.delete(object) }
    guard !object.isDeleted else { return }
    changeCount &+= 1
    changes?.delete(object.objectID)
    instances.delete(object)
  }

  func layout(named name: String) throws(MigrationError) -> EntityLayout {
    guard let layout = layouts[name] else {
      throw MigrationError(
        .invalidMappingModel, MigrationError.Subject(entity: name), detail: "the model has no such entity")
    }
    return layout
  }

  func add(_ object: ManagedObject) { live.insert(object) }

  func forget(_ objectID: ManagedObjectID) { live.remove(objectID) }

  /// A text whose invalid bytes a policy or an expression has seen as U+FFFD.
  struct RepairedText: Hashable {
    let objectID: ManagedObjectID
    let attributeIndex: Int
  }

  /// Records that text that is not valid UTF-8 was read.
  func noteRepairedText(of object: ManagedObject, _ index: Int) {
    repairedTexts.insert(RepairedText(objectID: object.objectID, attributeIndex: index))
  }

  /// The number of texts that are not valid UTF-8 and that were read with U+FFFD in place of the invalid bytes, and the first
  /// of them, by entity and row.
  package func repairedTexts(
    exampleCount: Int
  ) -> (count: Int, examples: [(entity: String, row: Int64, attribute: String)]) {
    let sorted = repairedTexts.sorted { ($0.objectID, $0.attributeIndex) < ($1.objectID, $1.attributeIndex) }
    return (
      repairedTexts.count,
      sorted.prefix(exampleCount).compactMap { text in
        layouts[text.objectID.entityNumber].map {
          ($0.entity.name, text.objectID.primaryKey, $0.attributeNames[text.attributeIndex])
        }
      }
    )
  }

  // Errors in calls that cannot throw.

  /// Records an error where nothing can be thrown; it ends the migration as soon as the policy returns.
  package func record(_ error: any Error) { failure = failure ?? error }

  /// Throws the error recorded since the last call.
  func rethrow() throws {
    guard let failure else { return }
    self.failure = nil
    throw failure
  }

  /// Runs throwing code where nothing can be thrown.
  @discardableResult
  func attempt<Result>(_ work: () throws -> Result) -> Result? {
    do {
      return try work()
    } catch {
      record(error)
      return nil
    }
  }
}

// What objects request from their context, which cannot throw.
extension ManagedObjectContext {
  func load(_ object: ManagedObject) {
    attempt { try instances.load(object) }
  }

  func externalValue(named name: String, of object: ManagedObject, _ index: Int) -> AttributeValue? {
    attempt {
      guard let bytes = try readExternalData?(name) else {
        throw MigrationError(
          .missingExternalFile,
          MigrationError.Subject(
            entity: object.entity.name, property: object.layout.attributes[index].description.name,
            row: object.objectID.primaryKey),
          detail: "its data lies in the file '\(name)' beside the store, which is not there")
      }
      return .data(bytes)
    }
  }

  func attributeChanged(_ object: ManagedObject, _ index: Int, from old: AttributeValue?, to new: AttributeValue?) {
    changeCount &+= 1
    if changes != nil { changes?.update(object.objectID, object.layout.attributeNames[index], from: .attribute(old)) }
    instances.attributeChanged(object, index, from: old, to: new)
  }

  func destinations(of object: ManagedObject, _ relationship: EntityLayout.Relationship) -> [ManagedObject] {
    attempt { try instances.destinations(of: object, relationship).compactMap { self.object(with: $0) } } ?? []
  }

  func setDestinations(
    _ destinations: [ManagedObjectID], of object: ManagedObject, _ relationship: EntityLayout.Relationship
  ) {
    changeCount &+= 1
    if changes != nil {
      let old = self.destinations(of: object, relationship).map(\.objectID)
      changes?.update(object.objectID, relationship.description.name, from: .relationship(old))
    }
    attempt { try instances.setDestinations(destinations, of: object, relationship) }
  }
}

/// The source or the destination of a context's instances.
protocol InstanceStore: AnyObject {
  var kind: ManagedObjectID.Store { get }
  var schema: StoreSchema { get }
  /// The file, as the user named it.
  var path: String { get }
  var layouts: EntityLayouts { get }

  /// Creates a new instance.
  func insert(_ layout: EntityLayout, in context: ManagedObjectContext) throws(MigrationError) -> ManagedObject

  /// Deletes an inserted instance.
  func delete(_ object: ManagedObject)

  /// Whether an instance was deleted.
  func isDeleted(_ objectID: ManagedObjectID) -> Bool

  /// Reads the values of an instance.
  func load(_ object: ManagedObject) throws

  /// Handles a new value.
  func attributeChanged(_ object: ManagedObject, _ index: Int, from old: AttributeValue?, to new: AttributeValue?)

  /// The destinations of a relationship.
  func destinations(of object: ManagedObject, _ relationship: EntityLayout.Relationship) throws -> [ManagedObjectID]

  /// Sets the destinations of a relationship.
  func setDestinations(
    _ destinations: [ManagedObjectID], of object: ManagedObject, _ relationship: EntityLayout.Relationship
  ) throws

  /// The instances that match a request, in the order of their keys; the caller applies order, offset and limit.
  func fetch(
    _ request: FetchRequest, _ layout: EntityLayout, in context: ManagedObjectContext
  ) throws -> [ManagedObject]
}

/// The changes in a context since it was saved last, for apps that ask for them.
package struct ContextChanges {
  /// The earlier value of a property.
  package enum OldValue {
    /// The value of an attribute.
    case attribute(AttributeValue?)
    /// The destinations of a relationship.
    case relationship([ManagedObjectID])
  }

  /// The instances that were inserted and are still there.
  package private(set) var inserted: Set<ManagedObjectID> = []
  /// The earlier values of changed properties of other instances, by their names.
  package private(set) var updated: [ManagedObjectID: [String: OldValue]] = [:]

  package init() {}

  mutating func insert(_ id: ManagedObjectID) { inserted.insert(id) }

  mutating func delete(_ id: ManagedObjectID) {
    updated[id] = nil
    inserted.remove(id)
  }

  /// Notes what a property was before its first change.
  mutating func update(_ id: ManagedObjectID, _ name: String, from old: @autoclosure () -> OldValue) {
    guard !inserted.contains(id), updated[id]?[name] == nil else { return }
    updated[id, default: [:]][name] = old()
  }
}
