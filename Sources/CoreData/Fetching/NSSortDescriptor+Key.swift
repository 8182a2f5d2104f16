extension NSSortDescriptor {
  /// Creates a way to sort instances by the value of a key path.
  public convenience init(key: String?, ascending: Bool) {
    self.init(keyPath: \NSManagedObject.[sortedBy: key ?? "self"], ascending: ascending) { left, right in
      SortedValue.compare(left, right)
    }
  }

  /// The key path, if it was given as text.
  public var key: String? {
    guard let path = keyPath as? KeyPath<NSManagedObject, SortedValue> else { return nil }
    // The path has one step, whose argument any object tells.
    return NSManagedObject(entity: NSEntityDescription(), insertInto: nil)[keyPath: path].key
  }
}

/// A value that instances are sorted by, and what it is called.
public struct SortedValue {
  let key: String
  let object: NSManagedObject

  fileprivate static func compare(_ left: Any, _ right: Any) -> ComparisonResult {
    guard let left = left as? SortedValue, let right = right as? SortedValue else { return .orderedSame }
    return SortedObjects.compare(left.object, right.object, by: left.key)
  }
}

extension NSManagedObject {
  /// The value of a key path, as sort descriptors see it.
  public subscript(sortedBy key: String) -> SortedValue { SortedValue(key: key, object: self) }
}
