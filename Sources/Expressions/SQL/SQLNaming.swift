/// Tells how a store keeps the properties of its entities.
public protocol SQLNaming {
  /// How a property is kept, or `nil` if the entity has none of that name.
  func property(_ key: String, of entity: String) -> SQLProperty?
}
