internal import Expressions
internal import Migration

extension NSManagedObject {
  /// What a path of keys leads to, such as `note.body`.
  ///
  /// Of a to-many relationship, the values of all destinations are collected; `@count`, `@sum` and the like are known.
  public func value(forKeyPath keyPath: String) -> Any? {
    if keyPath.contains("@") { return computedValue(keyPath) }
    var keys = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)[...]
    guard let first = keys.popFirst() else { return nil }
    var value = value(forKey: first)
    for key in keys { value = follow(key, from: value) }
    return value
  }

  /// Sets the value at the end of a path of keys.
  public func setValue(_ value: Any?, forKeyPath keyPath: String) {
    guard let dot = keyPath.lastIndex(of: ".") else { return setValue(value, forKey: keyPath) }
    let owner = self.value(forKeyPath: String(keyPath[..<dot]))
    (owner as? NSManagedObject)?.setValue(value, forKey: String(keyPath[keyPath.index(after: dot)...]))
  }

  private func follow(_ key: String, from value: Any?) -> Any? {
    switch value {
    case nil: nil
    case let handle as NSManagedObject: handle.value(forKey: key)
    case let handles as NSOrderedSet: NSOrderedSet(array: handles.array.compactMap { follow(key, from: $0) })
    case let handles as NSSet: NSSet(array: handles.allObjects.compactMap { follow(key, from: $0) })
    case let values as [String: Any]: values[key]
    default: unknown(key)
    }
  }

  private func unknown(_ key: String) -> Any? {
    record("a path of keys leads to '\(key)' of a plain value", property: key)
    return nil
  }

  private func computedValue(_ keyPath: String) -> Any? {
    NSExpression(format: keyPath).expressionValue(with: self, context: nil)
  }
}
