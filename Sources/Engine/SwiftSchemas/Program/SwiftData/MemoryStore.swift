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

  func insert(_ entities: [String]) -> [Int64] {
    entities.map { entity in
      lastKey += 1
      rows[entity, default: [:]][lastKey] = [:]
      return lastKey
    }
  }

  func save(_ changes: [StoreChange]) {
    for change in changes {
      switch change {
      case .set(let object, let column, let value): rows[object.entity]?[object.key]?[column] = value
      case .link(let object, let relationship, let destinations): link(object, relationship, destinations)
      case .delete(let object):
        rows[object.entity]?[object.key] = nil
        links = links.filter { $0.key.key != object.key }.mapValues { $0.filter { $0.key != object.key } }
      }
    }
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
