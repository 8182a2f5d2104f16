internal import DataModel
internal import PersistentStore

/// The layouts of all entities of a store.
struct EntityLayouts {
  let all: [EntityLayout]
  private let byName: [String: EntityLayout]
  private let byNumber: [Int32: EntityLayout]

  init(_ schema: StoreSchema, ends: [RelationshipKey: Int] = [:]) {
    let lineages = schema.model.lineages
    all = schema.model.entities.compactMap { EntityLayout($0, schema: schema, lineages: lineages, ends: ends) }
    byName = Dictionary(all.map { ($0.entity.name, $0) }, uniquingKeysWith: { first, _ in first })
    byNumber = Dictionary(all.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
  }

  subscript(name: String) -> EntityLayout? { byName[name] }

  subscript(number: Int32) -> EntityLayout? { byNumber[number] }
}
