internal import Migration

/// Determines what a value of any type contains.
enum Unwrapping {
  /// The value inside optionals, however deeply nested; nil for nil and `NSNull`.
  static func value(_ value: Any) -> Any? {
    if isPlain(type(of: value)) { return value }
    if value is NSNull { return nil }
    guard let optional = value as? any OptionalValue else { return value }
    return optional.wrappedValue.flatMap { Self.value($0) }
  }

  /// The value, if it is of exactly this type.
  ///
  /// A cast, which tries conversions too, takes several times as long.
  static func exactly<Wanted>(_ wanted: Wanted.Type, _ value: Any) -> Wanted? {
    func opened<Actual>(_ actual: Actual) -> Wanted? { unsafeBitCast(actual, to: Wanted.self) }
    // Opening a value copies it.
    return type(of: value) == wanted ? _openExistential(value, do: opened) : nil
  }

  /// Whether values of a type are never optionals, for the types that nearly all values have.
  ///
  /// Checking a value for a protocol takes many times as long as comparing its type with a known one.
  private static func isPlain(_ type: Any.Type) -> Bool {
    type == String.self || type == Date.self || type == Set<NSManagedObject>.self || type == Int.self
      || type == Double.self || type == Bool.self || type == Data.self || type == UUID.self || type == URL.self
  }

  /// The identities of the instances that a value is or contains, in its own order, or ordered by primary key if it has
  /// none.
  ///
  /// - Returns: `nil` if it contains anything else, or an object without a context.
  static func objectIDs(_ value: Any) -> [ManagedObjectID]? {
    // Cast to another type, a set would be tried as everything else first.
    if let handles = exactly(Set<NSManagedObject>.self, value) { return sorted(objectIDs(handles)) }
    return switch value {
    case let handle as NSManagedObject: objectIDs(CollectionOfOne(handle))
    case let handles as [NSManagedObject]: objectIDs(handles)
    case let handles as Set<NSManagedObject>: sorted(objectIDs(handles))
    case let handles as NSOrderedSet: objectIDs(of: handles.array)
    case let handles as NSSet: sorted(objectIDs(of: handles.allObjects))
    case let handles as NSArray: objectIDs(of: handles.map { $0 })
    default: nil
    }
  }

  private static func objectIDs(of values: [Any]) -> [ManagedObjectID]? {
    let handles = values.compactMap { $0 as? NSManagedObject }
    return handles.count == values.count ? objectIDs(handles) : nil
  }

  private static func objectIDs(_ handles: some Collection<NSManagedObject>) -> [ManagedObjectID]? {
    var ids: [ManagedObjectID] = []
    ids.reserveCapacity(handles.count)
    for handle in handles {
      guard let instance = handle.instance else { return nil }
      ids.append(instance.objectID)
    }
    return ids
  }

  /// The order of a set differs from run to run, and results must not.
  private static func sorted(_ ids: consuming [ManagedObjectID]?) -> [ManagedObjectID]? {
    ids?.sort()
    return ids
  }

  /// The kind of a value, for messages.
  static func kindName(_ value: Any) -> String {
    switch value {
    case is NSManagedObject: "an instance"
    case is Date: "a date"
    case is String: "text"
    case is Data: "data"
    case is NSNumber: "a number"
    case is NSSet, is NSOrderedSet, is NSArray: "a collection"
    default: "a value of type \(type(of: value))"
    }
  }
}

/// An optional with any content.
private protocol OptionalValue {
  var wrappedValue: Any? { get }
}

extension Optional: OptionalValue {
  var wrappedValue: Any? { self }
}
