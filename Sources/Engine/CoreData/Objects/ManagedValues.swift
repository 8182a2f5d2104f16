// What the copies of an app's classes call that the plugin PolicySources makes, where Apple's systems have @NSManaged.

extension NSManagedObject {
  /// The value of a property in the type that the class declares.
  ///
  /// Instances are of the declared class, and a property of an enumeration has the case of its raw value. What has no value
  /// although the class declares one is zero or empty, as on Apple's systems for numbers; a value of another type is an
  /// error that ends the migration.
  public func managedValue<Value>(forKey key: String) -> Value {
    let found = DeclaredType.instanceClass(in: Value.self).map { property(key, as: $0) } ?? value(forKey: key)
    if let value = found as? Value { return value }
    if let found, let value = DeclaredType.enumerationCase(Value.self, found) as? Value { return value }
    if let found {
      record("the class declares \(Value.self), but there is \(Unwrapping.kindName(found))", property: key)
    }
    guard let stand = DeclaredType.empty(Value.self, in: self, key) as? Value else {
      fatalError("'\(entity.name ?? "").\(key)' has no value, and \(Value.self) has none that is empty.")
    }
    return stand
  }

  /// Sets a property.
  public func setManagedValue<Value>(_ value: Value, forKey key: String) {
    // An optional in an `Any` would be a value of its own.
    let plain = Unwrapping.value(value)
    setValue(plain.map { ($0 as? any RawRepresentable)?.rawValue ?? $0 }, forKey: key)
  }

  /// Adds one instance, or all of a collection.
  public func addManagedValues(_ values: Any, forKey key: String) {
    changeManagedValues(key) { $0 + Self.instances(values) }
  }

  /// Removes one instance, or all of a collection.
  public func removeManagedValues(_ values: Any, forKey key: String) {
    let removed = NSSet(array: Self.instances(values))
    changeManagedValues(key) { $0.filter { !removed.contains($0) } }
  }

  /// Inserts instances at the indexes that they will have.
  public func insertManagedValues(_ values: Any, at indexes: Any, forKey key: String) {
    changeManagedValues(key) { old in
      var new = old
      for (index, value) in zip(Self.indexes(indexes), Self.instances(values)) {
        guard index <= new.count else { return missing(index, key, old) }
        new.insert(value, at: index)
      }
      return new
    }
  }

  /// Removes the instances at some indexes.
  public func removeManagedValues(at indexes: Any, forKey key: String) {
    changeManagedValues(key) { old in
      var new = old
      for index in Self.indexes(indexes).reversed() {
        guard new.indices.contains(index) else { return missing(index, key, old) }
        new.remove(at: index)
      }
      return new
    }
  }

  /// Replaces the instances at some indexes.
  public func replaceManagedValues(at indexes: Any, with values: Any, forKey key: String) {
    changeManagedValues(key) { old in
      var new = old
      for (index, value) in zip(Self.indexes(indexes), Self.instances(values)) {
        guard new.indices.contains(index) else { return missing(index, key, old) }
        new[index] = value
      }
      return new
    }
  }

  private func changeManagedValues(_ key: String, _ change: ([Any]) -> [Any]) {
    setValue(change(Self.instances(value(forKey: key) ?? [Any]())), forKey: key)
  }

  private func missing(_ index: Int, _ key: String, _ old: [Any]) -> [Any] {
    record("there is no destination \(index)", property: key)
    return old
  }

  private static func instances(_ values: Any) -> [Any] {
    (values as? NSSet)?.allObjects ?? (values as? NSOrderedSet)?.array ?? (values as? [Any]) ?? [values]
  }

  /// The indexes of Objective-C's accessors: one, or a set in ascending order.
  private static func indexes(_ value: Any) -> [Int] {
    (value as? NSIndexSet).map { Array($0) } ?? (value as? IndexSet).map { Array($0) } ?? (value as? Int).map { [$0] }
      ?? []
  }

  /// The entity that the class stands for, by its name.
  ///
  /// Without a context there is no model to look it up in.
  public class func entity() -> NSEntityDescription { NSEntityDescription(named: "\(self)") }
}

/// The properties of a type that a class declares for a property.
private enum DeclaredType {
  /// The class of instances: of one, or of those in a set or an array.
  static func instanceClass(in type: Any.Type) -> NSManagedObject.Type? {
    if let instance = type as? NSManagedObject.Type { return instance == NSManagedObject.self ? nil : instance }
    return (type as? any Wrapping.Type).flatMap { instanceClass(in: $0.wrapped) }
  }

  /// The case of an enumeration, whose raw value the store has.
  static func enumerationCase(_ type: Any.Type, _ value: Any) -> Any? {
    if let type = type as? any RawRepresentable.Type { return type.managedCase(value) }
    return (type as? any Wrapping.Type).flatMap { enumerationCase($0.wrapped, value) }
  }

  /// Returns the value of a property that has none.
  static func empty(_ type: Any.Type, in owner: NSManagedObject, _ key: String) -> Any? {
    switch type {
    case let type as any ExpressibleByNilLiteral.Type: type.init(nilLiteral: ())
    case let type as any Numeric.Type: type.zero
    case is Bool.Type: false
    case is String.Type: ""
    case is Data.Type: Data()
    case is Date.Type: Date(timeIntervalSinceReferenceDate: 0)
    case is NSNumber.Type: NSNumber(value: 0)
    case is NSString.Type: NSString()
    case is NSDate.Type: NSDate(timeIntervalSinceReferenceDate: 0)
    case is NSData.Type: NSData()
    case is NSSet.Type: NSSet()
    case is NSOrderedSet.Type: NSOrderedSet()
    case let type as any ExpressibleByArrayLiteral.Type: type.emptyValue
    case let type as NSManagedObject.Type:
      type.init(
        ManagedObjectHandle(
          instance: nil, entity: owner.entity.relationships[key]?.destinationEntity ?? NSEntityDescription()))
    case let type as any RawRepresentable.Type: type.managedCase(0)
    default: nil
    }
  }
}

/// A type that has others in it.
private protocol Wrapping {
  static var wrapped: Any.Type { get }
}

extension Optional: Wrapping {
  fileprivate static var wrapped: Any.Type { Wrapped.self }
}

extension Set: Wrapping {
  fileprivate static var wrapped: Any.Type { Element.self }
}

extension Array: Wrapping {
  fileprivate static var wrapped: Any.Type { Element.self }
}

extension RawRepresentable {
  fileprivate static func managedCase(_ value: Any) -> Self? { (value as? RawValue).flatMap { Self(rawValue: $0) } }
}

extension ExpressibleByArrayLiteral {
  fileprivate static var emptyValue: Self { [] }
}

/// The name of a method, as Objective-C spells it.
public struct Selector: ExpressibleByStringLiteral, Sendable, Hashable, CustomStringConvertible {
  /// The name.
  public let description: String

  /// Names a method.
  public init(_ name: String) { description = name }

  /// Names a method.
  public init(stringLiteral value: String) { description = value }
}

/// Runs a block; on Linux, there is no pool to drain.
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }

/// The variable of a mapping's expression that has the migration manager.
public let NSMigrationManagerKey = "manager"
/// The variable that has the source instance.
public let NSMigrationSourceObjectKey = "source"
/// The variable that has the destination instance.
public let NSMigrationDestinationObjectKey = "destination"
/// The variable that has the entity mapping.
public let NSMigrationEntityMappingKey = "entityMapping"
/// The variable that has the property mapping.
public let NSMigrationPropertyMappingKey = "propertyMapping"
/// The variable that has the policy.
public let NSMigrationEntityPolicyKey = "entityPolicy"
