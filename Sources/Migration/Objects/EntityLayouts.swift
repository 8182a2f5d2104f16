internal import DataModel
internal import PersistentStore

/// The layouts of all entities of a store.
struct EntityLayouts {
  let all: [EntityLayout]
  private let byName: [String: EntityLayout]
  private let byNumber: [Int32: EntityLayout]

  init(_ schema: StoreSchema, ends: [RelationshipKey: Int] = [:]) {
    let places = PropertyLayouts(schema)
    let numbers = Dictionary(
      schema.entityNames.map { ($0, Int32(truncatingIfNeeded: schema.entityNumber($0))) },
      uniquingKeysWith: { first, _ in first })
    var families: [String: Set<Int32>] = [:]
    for (name, number) in numbers {
      for ancestor in places.lineages[name] ?? [] { families[ancestor, default: []].insert(number) }
    }
    var layouts: [EntityLayout] = []
    for entity in schema.model.entities {
      let layout = EntityLayout(
        entity, place: layouts.count, number: numbers[entity.name] ?? 0, family: families[entity.name] ?? [],
        places: places, ends: ends)
      if let layout { layouts.append(layout) }
    }
    all = layouts
    byName = Dictionary(all.map { ($0.entity.name, $0) }, uniquingKeysWith: { first, _ in first })
    byNumber = Dictionary(all.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
  }

  subscript(name: String) -> EntityLayout? { byName[name] }

  subscript(number: Int32) -> EntityLayout? { byNumber[number] }
}
