internal import DataModel
internal import Diagnostics
internal import Migration

extension NSManagedObject {
  /// The value of a property; see `value(forKey:)`.
  func property(_ key: String) -> Any? {
    if let attribute = entity.attributes[key] {
      guard let instance else { return (looseValue(forKey: key) ?? attribute.defaultValue).flatMap(Unwrapping.value) }
      return instance.value(forKey: key, expectedAt: attribute.place).flatMap { attribute.boxed($0) }
    }
    if let relationship = entity.relationships[key]?.relationship {
      guard let instance else { return looseValue(forKey: key).flatMap(Unwrapping.value) }
      let destinations = instance.instances(forKey: key)
      if !relationship.isToMany { return destinations.first?.handle() }
      let handles = destinations.map { $0.handle() }
      return relationship.isOrdered ? NSOrderedSet(array: handles) : NSSet(array: handles)
    }
    return value(forUndefinedKey: key)
  }

  /// Sets a property; see `setValue(_:forKey:)`.
  func setProperty(_ value: Any?, _ key: String) {
    let value = value.flatMap { Unwrapping.value($0) }
    // What is wrong with a value shows when the object is inserted.
    guard let instance else { return setLooseValue(value, forKey: key) }
    if let description = entity.attributes[key] {
      guard let value else { return instance.setValue(nil, forKey: key) }
      guard let unboxed = description.unboxed(value) else {
        return record(
          "a value of type \(description.attribute.type.xmlName) is wanted, but there is \(Unwrapping.kindName(value))",
          property: key)
      }
      instance.setValue(unboxed, forKey: key, expectedAt: description.place)
    } else if entity.relationships[key] != nil {
      guard let value else { return instance.setInstances([], forKey: key) }
      guard let instances = Unwrapping.instances(value) else {
        return record("instances are wanted, but there is \(Unwrapping.kindName(value))", property: key)
      }
      instance.setInstances(instances, forKey: key)
    } else {
      setValue(value, forUndefinedKey: key)
    }
  }

  /// The value of an attribute or relationship.
  public func primitiveValue(forKey key: String) -> Any? { value(forKey: key) }

  /// Sets an attribute or relationship.
  public func setPrimitiveValue(_ value: Any?, forKey key: String) { setValue(value, forKey: key) }

  /// The values of several keys, with `NSNull` for nil.
  public func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
    var values: [String: Any] = [:]
    values.reserveCapacity(keys.count)
    for key in keys { values[key] = value(forKey: key) ?? NSNull() }
    return values
  }

  /// Sets several keys.
  public func setValuesForKeys(_ keyedValues: [String: Any]) {
    for (key, value) in keyedValues.sorted(by: { $0.key < $1.key }) { setValue(value, forKey: key) }
  }

  /// The destinations of some relationships, as identities.
  public func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] {
    instance?.instances(forKey: key).map { $0.handle().objectID } ?? []
  }
}
