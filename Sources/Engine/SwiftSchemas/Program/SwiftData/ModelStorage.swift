/// The values of one object, which its properties read and write.
public final class ModelStorage {
  /// The values of attributes that were read or set, by property.
  var values: [String: Any] = [:]
  /// The destinations of relationships that were read or set.
  var links: [String: [any PersistentModel]] = [:]
  /// The columns of the saved row, in the order of the entity's attributes; `nil` until they are needed.
  var row: [WireValue]?
  /// The properties that have unsaved values.
  var changedNames: Set<String> = []
  var isDeleted = false
  var context: ModelContext?
  var entity: StoredEntity?
  var key: Int64 = 0
  weak var model: (any PersistentModel)?

  /// Holds the values of an object that no store has yet.
  public init() {}

  /// Holds the values of a saved instance.
  init(_ entity: StoredEntity, key: Int64, in context: ModelContext) {
    (self.entity, self.key, self.context) = (entity, key, context)
  }

  var identifier: PersistentIdentifier {
    PersistentIdentifier(
      entityName: entity?.name ?? model.map { Schema.entityName(for: type(of: $0)) } ?? "",
      storeIdentifier: context?.identifier, key: key)
  }

  /// Takes the first value of a property, in an initializer.
  public func initialize<Value>(_ name: String, _ value: Value) {
    values[name] = value
    for context in Self.models(in: value).compactMap(\.modelStorage.context) { context.expect(self, relatedBy: name) }
  }

  /// Reads a property.
  public func value<Value>(_ name: String) -> Value {
    if let context, let entity, entity.relationships[name] != nil {
      return Self.converted(context.destinations(of: self, name))
    }
    if let known = values[name] {
      guard let value = known as? Value else { stop("'\(name)' is not of the type '\(Value.self)'") }
      return value
    }
    guard let context, let entity else {
      if let none = (Value.self as? any OptionalType.Type)?.nothing as? Value { return none }
      stop("'\(name)' is read before it has a value")
    }
    let value: Value = entity.decoded(name, context.row(of: self), key: key)
    values[name] = value
    return value
  }

  /// Writes a property.
  public func set<Value>(_ name: String, _ value: Value, of model: any PersistentModel) {
    guard let context = context ?? Self.models(in: value).lazy.compactMap(\.modelStorage.context).first else {
      values[name] = value
      return
    }
    // An object that is related to one of a store belongs to that store.
    if self.context == nil { context.insertAny(model) }
    if entity?.relationships[name] != nil {
      context.setDestinations(Self.models(in: value), of: self, name)
    } else {
      values[name] = value
    }
    context.noteChange(model, name)
  }

  /// Adds the values of a subclass, which are apart until its object is complete.
  public func absorb(_ other: ModelStorage) -> ModelStorage {
    values.merge(other.values) { $1 }
    return self
  }

  /// The objects in the value of a relationship.
  static func models(in value: Any) -> [any PersistentModel] {
    if let model = value as? any PersistentModel { return [model] }
    return value as? [any PersistentModel] ?? []
  }

  private static func converted<Value>(_ models: [any PersistentModel]) -> Value {
    if let list = models as? Value { return list }
    if let one = models.first.map({ $0 as Any }) ?? (Value.self as? any OptionalType.Type)?.nothing,
      let value = one as? Value
    {
      return value
    }
    stop("a required relationship to '\(Value.self)' leads to nothing")
  }
}
