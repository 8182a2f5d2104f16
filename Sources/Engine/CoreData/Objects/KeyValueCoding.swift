/// An object that returns a value by its name, as Objective-C's objects do.
///
/// Instances of entities have key-value coding of their own. Other objects can only be read here: in Swift, code cannot
/// set a property by its name.
public protocol KeyValueCoding {}

extension NSObject: KeyValueCoding {}

extension KeyValueCoding where Self: NSObject {
  /// The value of a property, or of a dictionary's key; for a collection, those of its elements.
  ///
  /// - Returns: `nil` for nil, and for a property that the object does not have.
  public func value(forKey key: String) -> Any? { KeyedValue.of(self, key) }

  /// The value at a path of keys.
  public func value(forKeyPath keyPath: String) -> Any? {
    keyPath.split(separator: ".").reduce(self as Any?) { value, key in value.flatMap { KeyedValue.of($0, String(key)) }
    }
  }
}

private enum KeyedValue {
  static func of(_ object: Any, _ key: String) -> Any? {
    switch object {
    case let handle as NSManagedObject: handle.value(forKey: key)
    case let values as [String: Any]: values[key]
    case let ordered as NSOrderedSet: NSOrderedSet(array: ordered.array.compactMap { of($0, key) })
    case let set as NSSet: NSSet(array: set.allObjects.compactMap { of($0, key) })
    case let array as [Any]: array.map { of($0, key) ?? NSNull() }
    default: property(key, of: Mirror(reflecting: object))
    }
  }

  /// A stored property, also one of a parent class.
  private static func property(_ key: String, of mirror: Mirror) -> Any? {
    if let child = mirror.children.first(where: { $0.label == key }) { return Unwrapping.value(child.value) }
    return mirror.superclassMirror.flatMap { property(key, of: $0) }
  }
}
