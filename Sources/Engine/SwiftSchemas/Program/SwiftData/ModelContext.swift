// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The names are Apple's, and so is their documentation.

/// The objects of a store, with the changes that are not saved yet.
public final class ModelContext {
  public static let willSave = Notification.Name("SwiftData.ModelContext.willSave")
  public static let didSave = Notification.Name("SwiftData.ModelContext.didSave")

  public var autosaveEnabled = false
  public var author: String?
  public let container: ModelContainer
  public var insertedModelsArray: [any PersistentModel] { inserted.all }
  public var changedModelsArray: [any PersistentModel] { changed.all }
  public var deletedModelsArray: [any PersistentModel] { deleted.all }
  public var hasChanges: Bool { !(inserted.all.isEmpty && changed.all.isEmpty && deleted.all.isEmpty) }

  private let store: any ObjectStore
  private let entities: [String: StoredEntity]
  private var objects: [PersistentIdentifier: WeakModel] = [:]
  private var inserted = ModelList()
  private var changed = ModelList()
  private var deleted = ModelList()
  /// The relationships of deleted objects that must be empty, with their objects.
  private var denials: [(place: String, models: [any PersistentModel])] = []
  /// The values of objects that were related to this context's in their initializers, where they are not known yet.
  private var expected: [(storage: ModelStorage, relationship: String)] = []
  private var lastKey: Int64 = 0
  /// The number of saves, of any context, that the objects' values are up to date with.
  private var knownSaveCount: Int

  var identifier: String { store.identifier }

  public init(_ container: ModelContainer) {
    self.container = container
    (store, entities) = (container.store, container.entities)
    knownSaveCount = store.saveCount
  }

  /// The entity of a class; another version's class of the same name is not one of this store.
  private func entity(_ type: any PersistentModel.Type) throws -> StoredEntity {
    let name = Schema.entityName(for: type)
    guard let entity = entities[name], entity.type == type else {
      throw StoreFailure(
        description: "'\(ModelBuilder.qualifiedName(type))' is not a model of the version that the store has here")
    }
    // Of all at once: a fetch meets subclasses while rows arrive.
    for (name, entity) in entities where entity.places.isEmpty {
      for (place, column) in try store.columns(of: name).enumerated() { entity.places[column] = place }
    }
    return entity
  }

  // MARK: - Objects

  private func object(_ entity: StoredEntity, _ key: Int64, _ row: [WireValue]? = nil) -> any PersistentModel {
    let identifier = PersistentIdentifier(entityName: entity.name, storeIdentifier: identifier, key: key)
    if let model = objects[identifier]?.model {
      if model.modelStorage.row == nil { model.modelStorage.row = row }
      return model
    }
    let storage = ModelStorage(entity, key: key, in: self)
    storage.row = row
    let model = entity.type.init(modelStorage: storage)
    storage.model = model
    objects[identifier] = WeakModel(model: model)
    return model
  }

  private func object(_ reference: StoreChange.Reference) throws -> any PersistentModel {
    guard let type = entities[reference.entity]?.type else {
      throw StoreFailure(description: "the schema has no entity '\(reference.entity)'")
    }
    return object(try entity(type), reference.key)
  }

  /// The saved row of an object.
  func row(of storage: ModelStorage) -> [WireValue] {
    if let row = storage.row { return row }
    guard let entity = storage.entity, storage.key > 0 else { stop("an object is read that was never saved") }
    do {
      guard let row = try store.row(of: entity.name, key: storage.key) else {
        stop("the '\(entity.name)' with the key \(storage.key) is not in the store")
      }
      storage.row = row
      return row
    } catch {
      stop("\(error)")
    }
  }

  /// The objects that a relationship leads to.
  func destinations(of storage: ModelStorage, _ name: String) -> [any PersistentModel] {
    if let known = storage.links[name] { return known.filter { !$0.modelStorage.isDeleted } }
    guard let entity = storage.entity, storage.key > 0 else { return [] }
    do {
      let found = try store.destinations(of: entity.name, key: storage.key, name).map(object)
        .filter { !$0.modelStorage.isDeleted }
      storage.links[name] = found
      return found
    } catch {
      stop("\(error)")
    }
  }

  /// Sets the objects that a relationship leads to, and its inverse.
  func setDestinations(_ models: [any PersistentModel], of storage: ModelStorage, _ name: String) {
    guard let model = storage.model, let relationship = storage.entity?.relationships[name] else { return }
    let old = destinations(of: storage, name)
    for model in models where model.modelStorage.context == nil { insertAny(model) }
    var known: Set<ObjectIdentifier> = []
    let new = models.filter { !$0.modelStorage.isDeleted && known.insert(ObjectIdentifier($0)).inserted }
    storage.links[name] = new
    guard let inverse = relationship.inverse else { return }
    for other in old where !known.contains(ObjectIdentifier(other)) { unlink(model, from: other, inverse) }
    let former = Set(old.map { ObjectIdentifier($0) })
    for other in new where !former.contains(ObjectIdentifier(other)) { link(model, to: other, inverse, back: name) }
  }

  private func unlink(_ model: any PersistentModel, from other: any PersistentModel, _ name: String) {
    let storage = other.modelStorage
    storage.links[name] = destinations(of: storage, name).filter { $0 !== model }
    noteChange(other, name)
  }

  private func link(_ model: any PersistentModel, to other: any PersistentModel, _ name: String, back: String) {
    let storage = other.modelStorage
    guard let relationship = storage.entity?.relationships[name] else { return }
    let old = destinations(of: storage, name)
    guard !old.contains(where: { $0 === model }) else { return }
    if relationship.isToMany {
      storage.links[name] = old + [model]
    } else {
      storage.links[name] = [model]
      // One object has it at a time.
      for former in old { unlink(other, from: former, back) }
    }
    noteChange(other, name)
  }

  /// Notes that a property has an unsaved value.
  func noteChange(_ model: any PersistentModel, _ name: String) {
    let storage = model.modelStorage
    guard !storage.isDeleted else { return }
    storage.changedNames.insert(name)
    if !inserted.contains(model) { changed.append(model) }
  }

  // MARK: - Changes

  /// Notes the values of an object that is related to one of this context and has to be inserted before it saves.
  func expect(_ storage: ModelStorage, relatedBy name: String) { expected.append((storage, name)) }

  public func insert<T: PersistentModel>(_ model: T) { insertAny(model) }

  func insertAny(_ model: any PersistentModel) {
    let storage = model.modelStorage
    guard storage.context == nil else { return }
    guard let entity = try? entity(type(of: model)) else {
      stop("'\(ModelBuilder.qualifiedName(type(of: model)))' is not a model of the version that the store has here")
    }
    lastKey -= 1
    (storage.entity, storage.context, storage.key, storage.model) = (entity, self, lastKey, model)
    objects[storage.identifier] = WeakModel(model: model)
    inserted.append(model)
    storage.changedNames = Set(storage.values.keys)
    for name in entity.relationships.keys.sorted() {
      guard let value = storage.values.removeValue(forKey: name) else { continue }
      setDestinations(ModelStorage.models(in: value), of: storage, name)
    }
  }

  public func delete<T: PersistentModel>(_ model: T) { deleteAny(model) }

  private func deleteAny(_ model: any PersistentModel) {
    let storage = model.modelStorage
    guard storage.context === self, !storage.isDeleted, let entity = storage.entity else { return }
    let destinations = entity.relationships.mapValues { ($0, self.destinations(of: storage, $0.name)) }
    storage.isDeleted = true
    for (_, (relationship, models)) in destinations.sorted(by: { $0.key < $1.key }) {
      switch relationship.arguments?.deleteRule ?? .nullify {
      case .cascade: models.forEach(deleteAny)
      case .deny: if !models.isEmpty { denials.append(("\(entity.name).\(relationship.name)", models)) }
      case .noAction: break
      case .nullify:
        guard let inverse = relationship.inverse else { break }
        for other in models where !other.modelStorage.isDeleted { unlink(model, from: other, inverse) }
      }
    }
    changed.remove(model)
    if inserted.contains(model) { inserted.remove(model) } else { deleted.append(model) }
  }

  public func delete<T: PersistentModel>(
    model: T.Type, where predicate: Predicate<T>? = nil, includeSubclasses: Bool = true
  ) throws {
    for object in try fetch(FetchDescriptor<T>(predicate: predicate))
    where includeSubclasses || type(of: object) == model {
      delete(object)
    }
  }

  public func processPendingChanges() {}

  public func transaction(block: () throws -> Void) throws {
    do {
      try block()
      try save()
    } catch {
      rollback()
      throw error
    }
  }

  public func save() throws {
    if let (_, name) = expected.first(where: { $0.storage.context == nil }) {
      throw StoreFailure(
        description: "an object that got its '\(name)' in its initializer was not inserted; SwiftData would insert it, "
          + "but this program needs 'context.insert(_:)'")
    }
    guard hasChanges else { return }
    if let (place, _) = denials.first(where: { $0.models.contains { !$0.modelStorage.isDeleted } }) {
      throw StoreFailure(description: "an object cannot be deleted: '\(place)' still leads to others, and denies it")
    }
    let unsaved = inserted.all + changed.all
    let states = unsaved.map { ($0, $0.modelStorage.key, $0.modelStorage.changedNames) }
    do {
      try store.saving {
        try checkUniqueness()
        let keys = try store.insert(inserted.all.map { $0.modelStorage.reference.entity })
        for (model, key) in zip(inserted.all, keys) { setKey(key, of: model) }
        try saveChanges(of: unsaved.map(\.modelStorage))
      }
    } catch {
      // The next save has the same changes.
      for (model, key, names) in states {
        setKey(key, of: model)
        model.modelStorage.changedNames = names
      }
      throw error
    }
    forget()
    knownSaveCount += 1
  }

  private func setKey(_ key: Int64, of model: any PersistentModel) {
    objects[model.modelStorage.identifier] = nil
    model.modelStorage.key = key
    objects[model.modelStorage.identifier] = WeakModel(model: model)
  }

  private func saveChanges(of storages: [ModelStorage]) throws {
    var (changes, size) = ([StoreChange](), 0)
    for storage in storages {
      let new = self.changes(of: storage)
      changes += new
      size += new.reduce(0) { $0 + $1.byteCount }
      (storage.changedNames, storage.row) = ([], nil)
      // All at once might not fit into memory.
      guard changes.count >= 1000 || size >= 1 << 20 else { continue }
      try store.save(changes)
      (changes, size) = ([], 0)
    }
    try store.save(changes + deleted.all.map { .delete($0.modelStorage.reference) })
  }

  /// Forgets the values that another context may have changed in the store.
  private func refresh() {
    guard store.saveCount != knownSaveCount else { return }
    knownSaveCount = store.saveCount
    for storage in objects.values.compactMap(\.model).map(\.modelStorage)
    where storage.changedNames.isEmpty && storage.key > 0 && !storage.isDeleted {
      (storage.row, storage.values, storage.links) = (nil, [:], [:])
    }
  }

  /// Checks that no two objects have one unique value, where one of them is inserted or has changed.
  ///
  /// SwiftData would take the values of the new object for the one that is there.
  private func checkUniqueness() throws {
    let unsaved = (inserted.all + changed.all).map(\.modelStorage)
    for entity in entities.values.sorted(by: { $0.name < $1.name }) {
      for names in entity.uniqueness where names.allSatisfy({ entity.forms[$0] != nil }) {
        let affected = unsaved.filter {
          $0.entity?.names.contains(entity.name) == true && !$0.changedNames.isDisjoint(with: names)
        }
        guard !affected.isEmpty else { continue }
        // It finds the places of columns.
        _ = try self.entity(entity.type)
        var (known, clash) = (Set<[UInt8]>(), false)
        for storage in affected {
          guard let key = uniqueKey(names, of: storage) else { continue }
          if !known.insert(key).inserted { clash = true }
        }
        let keys = Set(affected.map(\.key) + deleted.all.map(\.modelStorage.key))
        try store.forEachRow(of: entity.name) { name, key, row in
          guard !clash, !keys.contains(key), let owner = entities[name] else { return }
          let values = names.flatMap { owner.values($0, row) }
          if !values.contains(.none), known.contains(WireValue.list(values).frame) { clash = true }
        }
        guard clash else { continue }
        let places = names.map { "'\(entity.name).\($0)'" }.joined(separator: " and ")
        throw StoreFailure(
          description: "two objects have the same value of \(places), which is unique; SwiftData would merge them "
            + "(upsert), which is not done here: fetch the object that is there and change that")
      }
    }
  }

  /// The values of properties as bytes; `nil` if one of them is none, which may occur several times.
  private func uniqueKey(_ names: [String], of storage: ModelStorage) -> [UInt8]? {
    guard let entity = storage.entity else { return nil }
    let values = names.flatMap { name -> [WireValue] in
      guard let form = entity.forms[name] else { return [.none] }
      if let value = storage.values[name] {
        let columns = form.encoded(value)
        return form.columns.map { name in columns.first { $0.column == name }?.value ?? .none }
      }
      return storage.key > 0 ? entity.values(name, row(of: storage)) : [.none]
    }
    return values.contains(.none) ? nil : WireValue.list(values).frame
  }

  private func changes(of storage: ModelStorage) -> [StoreChange] {
    guard let entity = storage.entity else { return [] }
    return storage.changedNames.sorted().flatMap { name -> [StoreChange] in
      if let form = entity.forms[name], let value = storage.values[name] {
        return form.encoded(value).map { .set(storage.reference, column: $0.column, $0.value) }
      }
      guard let relationship = entity.relationships[name], !isSaved(byInverseOf: relationship) else { return [] }
      return [
        .link(
          storage.reference, relationship: name, destinations(of: storage, name).map(\.modelStorage.reference))
      ]
    }
  }

  /// Whether the other side of a relationship has the key, which one value there says.
  private func isSaved(byInverseOf relationship: Entity.Relationship) -> Bool {
    guard relationship.isToMany, let inverse = relationship.inverse else { return false }
    return entities[relationship.destination]?.relationships[inverse]?.isToMany == false
  }

  public func rollback() {
    for model in inserted.all { objects[model.modelStorage.identifier] = nil }
    for storage in inserted.all.map(\.modelStorage) {
      storage.values.merge(storage.links.mapValues { $0 as Any }) { first, _ in first }
      (storage.context, storage.entity, storage.key, storage.links) = (nil, nil, 0, [:])
    }
    for storage in changed.all.map(\.modelStorage) {
      for name in storage.changedNames { (storage.values[name], storage.links[name]) = (nil, nil) }
      storage.changedNames = []
    }
    for storage in deleted.all.map(\.modelStorage) {
      // Deletion has forgotten which values were changed; the row has those that count.
      (storage.isDeleted, storage.values, storage.links, storage.changedNames) = (false, [:], [:], [])
    }
    // What leads to a deleted object has to be read again.
    for model in objects.values.compactMap(\.model) where model.modelStorage.changedNames.isEmpty {
      model.modelStorage.links = [:]
    }
    forget()
  }

  private func forget() {
    (inserted, changed, deleted) = (ModelList(), ModelList(), ModelList())
    (denials, expected) = ([], [])
  }

  // MARK: - Fetching

  /// The objects that a request finds, unsaved ones among them, without its order, offset and limit.
  private func matches<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] {
    let entity = try entity(T.self)
    refresh()
    var found: [T] = []
    var failure: (any Error)?
    func add(_ model: any PersistentModel) {
      guard failure == nil, !model.modelStorage.isDeleted, let model = model as? T else { return }
      do {
        if try descriptor.predicate?.evaluate(model) != false { found.append(model) }
      } catch {
        failure = error
      }
    }
    // The predicate may ask the store for related objects, so all rows are read first.
    var rows: [any PersistentModel] = []
    try store.forEachRow(of: entity.name) { name, key, row in
      guard let type = entities[name]?.type, let entity = try? self.entity(type) else { return }
      rows.append(object(entity, key, row))
    }
    rows.forEach(add)
    for model in inserted.all where model.modelStorage.entity?.names.contains(entity.name) == true { add(model) }
    if let failure { throw failure }
    return found
  }

  public func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] {
    var found = try matches(descriptor)
    let orders = descriptor.sortBy.map { FetchOrder($0) }
    if !orders.isEmpty {
      found.sort { left, right in
        let results = orders.lazy.map { $0.compare(left, right) }
        return results.first { $0 != .orderedSame } == .orderedAscending
      }
    }
    found.removeFirst(min(max(descriptor.fetchOffset ?? 0, 0), found.count))
    if let limit = descriptor.fetchLimit, limit > 0 { found.removeLast(max(found.count - limit, 0)) }
    return found
  }

  public func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>, batchSize: Int) throws -> [T] {
    try fetch(descriptor)
  }

  public func fetchCount<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> Int {
    var descriptor = descriptor
    descriptor.sortBy = []
    return try fetch(descriptor).count
  }

  public func fetchIdentifiers<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> [PersistentIdentifier] {
    try fetch(descriptor).map(\.persistentModelID)
  }

  public func enumerate<T: PersistentModel>(
    _ fetch: FetchDescriptor<T>, batchSize: Int = 5000, allowEscapingMutations: Bool = false,
    block: (T) throws -> Void
  ) throws {
    for model in try self.fetch(fetch) { try block(model) }
  }

  public func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel {
    if let model = objects[persistentModelID]?.model { return model }
    do {
      return try object((persistentModelID.entityName, persistentModelID.key))
    } catch {
      stop("\(error)")
    }
  }

  public func registeredModel<T: PersistentModel>(for persistentModelID: PersistentIdentifier) -> T? {
    objects[persistentModelID]?.model as? T
  }
}

/// An object that lives as long as the app uses it.
private struct WeakModel {
  weak var model: (any PersistentModel)?
}

/// Objects in the order in which they were added, each once.
private struct ModelList {
  private var models: [(model: any PersistentModel, isThere: Bool)] = []
  private var places: [ObjectIdentifier: Int] = [:]

  var all: [any PersistentModel] { models.filter(\.isThere).map(\.model) }

  func contains(_ model: any PersistentModel) -> Bool { places[ObjectIdentifier(model)] != nil }

  mutating func append(_ model: any PersistentModel) {
    guard !contains(model) else { return }
    places[ObjectIdentifier(model)] = models.count
    models.append((model, true))
  }

  mutating func remove(_ model: any PersistentModel) {
    guard let place = places.removeValue(forKey: ObjectIdentifier(model)) else { return }
    models[place].isThere = false
  }
}

extension ModelStorage {
  fileprivate var reference: StoreChange.Reference { (entity?.name ?? "", key) }
}
