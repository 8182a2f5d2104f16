/// An entity of the version that a store has, with the class of its objects.
final class StoredEntity {
  let name: String
  let type: any PersistentModel.Type
  /// The forms of the attributes, with those that are inherited.
  private(set) var forms: [String: StoredForm] = [:]
  private(set) var relationships: [String: Entity.Relationship] = [:]
  /// The properties whose values together are unique among the instances of the entity and its subentities.
  let uniqueness: [[String]]
  /// Its own name, and those of the entities that it inherits from.
  private(set) var names: Set<String> = []
  /// The entity at the end of that line.
  private(set) var root: String
  /// The places of the columns in rows, by name; the store says which.
  var places: [String: Int] = [:]

  private init(_ entity: Entity, _ type: any PersistentModel.Type, _ model: ModelBuilder) {
    (name, root, self.type, uniqueness) = (entity.name, entity.name, type, entity.uniqueness)
    var next: Entity? = entity
    while let entity = next {
      names.insert(entity.name)
      root = entity.name
      let types = Dictionary(
        (model.classes[entity.name]?.schemaMetadata ?? []).map { ($0.name, $0.type) },
        uniquingKeysWith: { first, _ in first })
      for attribute in entity.attributes {
        forms[attribute.name] = types[attribute.name].map { StoredForm(attribute, of: name, type: $0, model) }
      }
      for relationship in entity.relationships { relationships[relationship.name] = relationship }
      next = entity.parent.flatMap { parent in model.entities.first { $0.name == parent } }
    }
  }

  /// The names of the columns, in an order that stays the same.
  var columns: [String] { forms.values.flatMap(\.columns).sorted() }

  /// The entities of some classes, and of those that they lead to.
  static func all(of types: [any PersistentModel.Type]) -> [String: StoredEntity] {
    let model = ModelBuilder(types)
    var entities: [String: StoredEntity] = [:]
    for entity in model.entities {
      guard let type = model.classes[entity.name] else { continue }
      entities[entity.name] = StoredEntity(entity, type, model)
    }
    return entities
  }

  /// The columns of an attribute in a row.
  func values(_ name: String, _ row: [WireValue]) -> [WireValue] {
    (forms[name]?.columns ?? []).map { column in
      places[column].flatMap { row.indices.contains($0) ? row[$0] : nil } ?? .none
    }
  }

  /// The value of an attribute in a row.
  func decoded<Value>(_ name: String, _ row: [WireValue], key: Int64) -> Value {
    guard let form = forms[name] else { stop("'\(self.name).\(name)' is not an attribute of the model") }
    return form.decoded(key) { column in
      places[column].flatMap { row.indices.contains($0) ? row[$0] : nil } ?? .none
    }
  }
}
