public import DataModel

/// The identity of an instance: its table and its primary key there.
public struct ManagedObjectID: Sendable, Hashable {
  /// The root entity, whose table holds the instance.
  public let rootEntityName: String
  /// The primary key in the table.
  public let primaryKey: Int64
}

/// An instance of an entity, as policies see it.
public final class ManagedObject {
  /// The entity.
  public let entity: EntityDescription
  /// The identity.
  public let objectID: ManagedObjectID
  private var values: [String: AttributeValue]
  private var related: [String: [ManagedObject]] = [:]
  /// The instance as expressions see it: always the same object, since objects are equal only to themselves.
  private(set) lazy var expressionObject = ManagedObjectValues(self)

  init(_ entity: EntityDescription, _ objectID: ManagedObjectID, values: [String: AttributeValue]) {
    self.entity = entity
    self.objectID = objectID
    self.values = values
  }

  /// The value of an attribute.
  public func value(forKey key: String) -> AttributeValue? { values[key] }

  /// Sets the value of an attribute.
  public func setValue(_ value: AttributeValue?, forKey key: String) { values[key] = value }

  /// The instances that a relationship leads to.
  public func instances(forKey key: String) -> [ManagedObject] { related[key] ?? [] }

  /// Sets what a relationship leads to.
  ///
  /// An instance that occurs twice is kept once.
  public func setInstances(_ instances: [ManagedObject], forKey key: String) {
    var seen: Set<ManagedObjectID> = []
    related[key] = instances.filter { seen.insert($0.objectID).inserted }
  }
}
