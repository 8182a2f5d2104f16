/// A store that the app makes for itself, which ends with the program.
final class MemoryStore: ObjectStore {
  let identifier = UUID().uuidString
  private let entities: [String: StoredEntity]
  private var rows: [String: [Int64: [String: WireValue]]] = [:]
  private var links: [Place: [StoreChange.Reference]] = [:]
  private var lastKey: Int64 = 0

  /// A relationship of an instance.
  private struct Place: Hashable {
    let key: Int64
    let relationship: String
  }

  init(_ entities: [String: StoredEntity]) { self.entities = entities }

  func columns(of entity: String) -> [String] { entities[entity]?.columns ?? [] }

  func forEachRow(of entity: String, _ body: (_ entity: String, _ key: Int64, _ row: [WireValue]) -> Void) {
    let names = entities.values.filter { $0.names.contains(entity) }.map(\.name)
    let keys = names.flatMap { name in (rows[name] ?? [:]).keys.map { (name, $0) } }.sorted { $0.1 < $1.1 }
    for (name, key) in keys { body(name, key, row(of: name, key: key) ?? []) }
  }

  func row(of entity: String, key: Int64) -> [WireValue]? {
    guard let values = rows[entity]?[key] else { return nil }
    return columns(of: entity).map { values[$0] ?? .none }
  }

  func destinations(of entity: String, key: Int64, _ relationship: String) -> [StoreChange.Reference] {
    links[Place(key: key, relationship: relationship)] ?? []
  }

  func save(_ changes: [StoreChange]) -> [Int64] {
    var keys: [Int64: Int64] = [:]
    var inserted: [Int64] = []
    func saved(_ reference: StoreChange.Reference) -> StoreChange.Reference {
      (reference.entity, keys[reference.key] ?? reference.key)
    }
    for change in changes {
      switch change {
      case .insert(let object):
        lastKey += 1
        keys[object.key] = lastKey
        inserted.append(lastKey)
        rows[object.entity, default: [:]][lastKey] = [:]
      case .set(let object, let column, let value): rows[object.entity]?[saved(object).key]?[column] = value
      case .link(let object, let relationship, let destinations):
        link(saved(object), relationship, destinations.map(saved))
      case .delete(let object):
        rows[object.entity]?[object.key] = nil
        links = links.filter { $0.key.key != object.key }.mapValues { $0.filter { $0.key != object.key } }
      }
    }
    return inserted
  }

  private func link(
    _ object: StoreChange.Reference, _ name: String, _ destinations: [StoreChange.Reference]
  ) {
    let place = Place(key: object.key, relationship: name)
    let old = links[place] ?? []
    links[place] = destinations
    guard let relationship = entities[object.entity]?.relationships[name], let inverse = relationship.inverse else {
      return
    }
    for other in old { links[Place(key: other.key, relationship: inverse)]?.removeAll { $0.key == object.key } }
    for other in destinations {
      links[Place(key: other.key, relationship: inverse), default: []].append(object)
    }
  }
}
