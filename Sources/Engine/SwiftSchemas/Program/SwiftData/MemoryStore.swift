/// A store that the app makes for itself: it ends with the program, unless each save writes it to a file.
final class MemoryStore: ObjectStore, @unchecked Sendable {
  let identifier = UUID().uuidString
  private let entities: [String: StoredEntity]
  private let write: ((MemoryStore) throws -> Void)?
  private var content = Content()
  private(set) var saveCount = 0
  /// Contexts of several threads may have the store.
  private let lock = NSRecursiveLock()

  /// The instances.
  private struct Content {
    var rows: [String: [Int64: [String: WireValue]]] = [:]
    var links: [Place: [StoreChange.Reference]] = [:]
    /// The last keys, by the entities that inherit from no other: instances of these and of their subentities share them.
    var lastKeys: [String: Int64] = [:]
  }

  /// A relationship of an instance.
  private struct Place: Hashable {
    let root: String
    let key: Int64
    let relationship: String
  }

  /// - Parameter write: Keeps the instances; if it throws, what was saved is undone.
  init(_ entities: [String: StoredEntity], write: ((MemoryStore) throws -> Void)? = nil) {
    (self.entities, self.write) = (entities, write)
  }

  private func root(_ entity: String) -> String { entities[entity]?.root ?? entity }

  private func locked<Result>(_ body: () throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body()
  }

  // MARK: - Reading

  func columns(of entity: String) -> [String] { entities[entity]?.columns ?? [] }

  func forEachRow(of entity: String, _ body: (_ entity: String, _ key: Int64, _ row: [WireValue]) -> Void) {
    locked {
      let names = entities.values.filter { $0.names.contains(entity) }.map(\.name)
      let keys = names.flatMap { name in (content.rows[name] ?? [:]).keys.map { (name, $0) } }.sorted { $0.1 < $1.1 }
      for (name, key) in keys { body(name, key, row(of: name, key: key) ?? []) }
    }
  }

  func row(of entity: String, key: Int64) -> [WireValue]? {
    locked {
      guard let values = content.rows[entity]?[key] else { return nil }
      return columns(of: entity).map { values[$0] ?? .none }
    }
  }

  func destinations(of entity: String, key: Int64, _ relationship: String) -> [StoreChange.Reference] {
    locked { content.links[Place(root: root(entity), key: key, relationship: relationship)] ?? [] }
  }

  /// All instances.
  var instances: [StoreChange.Reference] {
    locked { content.rows.flatMap { entity, rows in rows.keys.map { (entity, $0) } } }
  }

  /// The changes that give a new instance the values of one of this store.
  func changes(of instance: StoreChange.Reference) -> [StoreChange] {
    locked {
      let row = content.rows[instance.entity]?[instance.key] ?? [:]
      let values = columns(of: instance.entity).map { column in
        StoreChange.set(instance, column: column, row[column] ?? .none)
      }
      let names = (entities[instance.entity]?.relationships ?? [:]).keys.sorted()
      return values
        + names.compactMap { name in
          let found = destinations(of: instance.entity, key: instance.key, name)
          return found.isEmpty ? nil : .link(instance, relationship: name, found)
        }
    }
  }

  // MARK: - Saving

  func saving(_ body: () throws -> Void) throws {
    try locked {
      let saved = content
      do {
        try body()
        try write?(self)
        saveCount += 1
      } catch {
        content = saved
        throw error
      }
    }
  }

  func insert(_ entities: [String]) -> [Int64] {
    locked {
      entities.map { entity in
        let key = (content.lastKeys[root(entity)] ?? 0) + 1
        content.lastKeys[root(entity)] = key
        content.rows[entity, default: [:]][key] = [:]
        return key
      }
    }
  }

  func save(_ changes: [StoreChange]) {
    locked {
      for change in changes {
        switch change {
        case .set(let object, let column, let value): content.rows[object.entity]?[object.key]?[column] = value
        case .link(let object, let relationship, let destinations): link(object, relationship, destinations)
        case .delete(let object): delete(object)
        }
      }
    }
  }

  private func delete(_ object: StoreChange.Reference) {
    content.rows[object.entity]?[object.key] = nil
    for relationship in (entities[object.entity]?.relationships ?? [:]).values {
      let place = Place(root: root(object.entity), key: object.key, relationship: relationship.name)
      guard let others = content.links.removeValue(forKey: place), let inverse = relationship.inverse else { continue }
      for other in others { unlink(object, from: other, inverse) }
    }
  }

  private func link(
    _ object: StoreChange.Reference, _ name: String, _ destinations: [StoreChange.Reference]
  ) {
    let place = Place(root: root(object.entity), key: object.key, relationship: name)
    let old = content.links[place] ?? []
    content.links[place] = destinations
    guard let inverse = entities[object.entity]?.relationships[name]?.inverse else { return }
    for other in old { unlink(object, from: other, inverse) }
    for other in destinations {
      content.links[Place(root: root(other.entity), key: other.key, relationship: inverse), default: []].append(object)
    }
  }

  private func unlink(_ object: StoreChange.Reference, from other: StoreChange.Reference, _ relationship: String) {
    let place = Place(root: root(other.entity), key: other.key, relationship: relationship)
    content.links[place]?.removeAll { $0.key == object.key && root($0.entity) == root(object.entity) }
  }
}
