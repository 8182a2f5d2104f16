// What the copies of an app's classes call that the plugin PolicySources makes, where Apple's systems have @NSManaged.

extension NSManagedObject {
  /// The value of a property in the type that the class declares.
  ///
  /// A required number that has no value is zero, as on Apple's systems.
  public func managedValue<Value>(forKey key: String) -> Value {
    let value = value(forKey: key)
    if let value = value as? Value { return value }
    if let number = (value as? NSNumber ?? 0) as? Value { return number }
    if let missing = Value.self as? any ExpressibleByNilLiteral.Type, let none = missing.init(nilLiteral: ()) as? Value
    {
      return none
    }
    switch Value.self {
    case is String.Type: if let empty = "" as? Value { return empty }
    case is Date.Type: if let date = Date(timeIntervalSinceReferenceDate: 0) as? Value { return date }
    case is NSSet.Type: if let empty = NSSet() as? Value { return empty }
    case is NSOrderedSet.Type: if let empty = NSOrderedSet() as? Value { return empty }
    default: break
    }
    fatalError("'\(entity.name ?? "").\(key)' is no \(Value.self): \(value ?? "nil")")
  }

  /// Sets a property.
  public func setManagedValue<Value>(_ value: Value, forKey key: String) {
    // An optional in an `Any` would be a value of its own.
    let mirror = Mirror(reflecting: value)
    setValue(mirror.displayStyle == .optional ? mirror.children.first?.value : value, forKey: key)
  }

  /// Adds one instance, or all of a set.
  public func addManagedValues(_ values: Any, forKey key: String) {
    for instance in Self.instances(values) { mutableSetValue(forKey: key).add(instance) }
  }

  /// Removes one instance, or all of a set.
  public func removeManagedValues(_ values: Any, forKey key: String) {
    for instance in Self.instances(values) { mutableSetValue(forKey: key).remove(instance) }
  }

  private static func instances(_ values: Any) -> [Any] {
    (values as? NSSet)?.allObjects ?? (values as? NSOrderedSet)?.array ?? [values]
  }

  /// The entity that the class stands for, by its name.
  ///
  /// Without a context there is no model to look it up in.
  public class func entity() -> NSEntityDescription { NSEntityDescription(named: "\(self)") }
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
