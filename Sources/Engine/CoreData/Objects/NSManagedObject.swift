internal import CoreDataExpressions
internal import DataModel
internal import Migration
internal import MigrationDiagnostics

/// The result type of a fetch request.
public protocol NSFetchRequestResult {}

extension NSDictionary: NSFetchRequestResult {}
extension NSNumber: NSFetchRequestResult {}

/// An instance of an entity, as an app's policies see it: a handle on an instance of the engine.
///
/// Two handles on the same instance are equal, and usually identical. There is a second handle only if a fetch asks for
/// a different class than an earlier one did.
///
/// Getters and setters cannot throw. An error, such as a date set for a number, is recorded with the entity, the
/// property and the row, and ends the migration as soon as the policy returns.
open class NSManagedObject: NSObject, NSFetchRequestResult {
  /// The entity.
  public let entity: NSEntityDescription
  @exclusivity(unchecked) final private(set) var instance: ManagedObject?
  /// The values of an object without a context, with `NSNull` for those that were cleared.
  private var looseValues: [String: Any] = [:]

  /// Creates a handle; only this module calls it.
  ///
  /// A subclass with its own designated initializer must also declare this one.
  public required init(_ handle: ManagedObjectHandle) {
    entity = handle.entity
    instance = handle.instance
  }

  /// Creates an instance and inserts it into a context, if there is one.
  public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
    self.entity = entity
    super.init()
    if let context { insert(into: context) }
  }

  /// Creates an instance of the entity that the model assigns to this class, and inserts it into a context.
  public convenience init(context: NSManagedObjectContext) {
    self.init(entity: context.entity(of: type(of: self)), insertInto: context)
  }

  deinit {
    guard let instance, let facade = instance.facade, facade.toOpaque() == Unmanaged.passUnretained(self).toOpaque()
    else { return }
    instance.facade = nil
  }

  /// Inserts an object that had no context, with the values that have been set on it.
  func insert(into context: NSManagedObjectContext) {
    guard instance == nil, let inserted = context.insertInstance(ofEntityNamed: entity.content.name) else { return }
    instance = inserted
    inserted.facade = .passUnretained(self)
    let values = looseValues
    looseValues = [:]
    awakeFromInsert()
    for (key, value) in values.sorted(by: { $0.key < $1.key }) { setValue(value, forKey: key) }
  }

  /// A request for all instances of the entity named like this class.
  @_disfavoredOverload
  open class func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> {
    NSFetchRequest(entityName: String(describing: self))
  }

  // MARK: Key-value coding

  /// The value of an attribute, the destination of a to-one relationship, or an `NSSet` or `NSOrderedSet` of the
  /// destinations of a to-many one.
  ///
  /// Numbers are `NSNumber` and decimals `NSDecimalNumber`, so that `as?` returns whatever kind of number fits. The
  /// rest are `String`, `Date`, `Data`, `UUID` and `URL`, which also cast to `NSString` and so on.
  open func value(forKey key: String) -> Any? { property(key) }

  /// Sets an attribute or a relationship; nil and `NSNull` clear it.
  ///
  /// A to-many relationship takes sets, ordered sets and arrays, both Swift's and Foundation's.
  open func setValue(_ value: Any?, forKey key: String) { setProperty(value, key) }

  /// Called for a key that the entity does not have; ends the migration unless overridden.
  open func value(forUndefinedKey key: String) -> Any? {
    if key == "objectID" { return objectID }
    record("the entity has no such property", property: key)
    return nil
  }

  /// Called for a key that the entity does not have; ends the migration unless overridden.
  open func setValue(_ value: Any?, forUndefinedKey key: String) {
    record("the entity has no such property", property: key)
  }

  // MARK: State

  /// The context that the instance belongs to.
  open var managedObjectContext: NSManagedObjectContext? {
    (instance?.managedObjectContext).map { NSManagedObjectContext.facade(of: $0) }
  }
  /// The identity of the instance.
  open var objectID: NSManagedObjectID { NSManagedObjectID(instance?.objectID, entity) }
  /// Whether the instance was deleted.
  open var isDeleted: Bool { instance?.isDeleted ?? false }
  /// Whether the instance was inserted and not saved since: true for all destination instances of a migration.
  open var isInserted: Bool {
    guard let instance, !instance.isDeleted else { return false }
    let context = instance.managedObjectContext
    return context.changes.map { $0.inserted.contains(instance.objectID) } ?? !context.isSource
  }
  /// Whether the instance was changed since it was saved.
  open var isUpdated: Bool { oldValues != nil }
  /// Whether there are changes to save.
  open var hasChanges: Bool { isInserted || isUpdated || isDeleted }
  /// Whether the values have not been read yet; policies do not need to know.
  open var isFault: Bool { false }

  // MARK: What subclasses override

  /// Called when the instance has been inserted.
  open func awakeFromInsert() {}
  /// Called when the first handle on an instance that was there is made.
  open func awakeFromFetch() {}
  /// Called before a new store is written.
  open func willSave() {}
  /// Called after a new store was written.
  open func didSave() {}
  /// Called before the instance is deleted.
  open func prepareForDeletion() {}
  /// Checks an inserted instance before a new store is written; by default, against the rules of its entity.
  open func validateForInsert() throws { try validateProperties() }
  /// Checks a changed instance before a new store is written; by default, against the rules of its entity.
  open func validateForUpdate() throws { try validateProperties() }
  /// Checks an instance before it is deleted; by default, nothing keeps it.
  open func validateForDelete() throws {}

  // MARK: Calls with no effect here

  /// Does nothing: values are read on demand.
  open func willAccessValue(forKey key: String?) {}
  /// Does nothing: values are read on demand.
  open func didAccessValue(forKey key: String?) {}
  /// Does nothing: instances have no observers during a migration.
  open func willChangeValue(forKey key: String) {}
  /// Does nothing: instances have no observers during a migration.
  open func didChangeValue(forKey key: String) {}

  // MARK: Identity

  /// Whether both are the same instance.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSManagedObject else { return false }
    if let instance { return instance === other.instance }
    return self === other
  }

  /// A number that handles on the same instance share.
  ///
  /// Sets and dictionaries hash it once more.
  open override var hash: Int {
    Int(bitPattern: instance.map { ObjectIdentifier($0) } ?? ObjectIdentifier(self))
  }

  /// The entity and the primary key.
  open override var description: String {
    "<\(entity.content.name) \(instance.map { String($0.objectID.primaryKey) } ?? "of no context")>"
  }

  // MARK: Errors

  /// Records an error where nothing can be thrown.
  func record(_ detail: String, property: String? = nil) {
    instance?.managedObjectContext.record(
      MigrationError(
        .policyFailed,
        MigrationError.Subject(
          entity: entity.content.name, property: property, row: instance?.objectID.primaryKey), detail: detail))
  }
}

extension NSManagedObject {
  /// The value of a property; see `value(forKey:)`.
  ///
  /// - Parameter wanted: The class of a relationship's destinations.
  func property(_ key: String, as wanted: NSManagedObject.Type = NSManagedObject.self) -> Any? {
    if let text = instance?.text(forKey: key) { return text }
    if let attribute = entity.attribute(named: key) {
      guard let instance else { return (looseValues[key] ?? attribute.defaultValue).flatMap(Unwrapping.value) }
      return instance.value(forKey: key, expectedAt: attribute.place).flatMap { attribute.boxed($0) }
    }
    if let relationship = entity.relationship(named: key) {
      guard let instance else { return looseValues[key].flatMap(Unwrapping.value) }
      let destinations = instance.instances(forKey: key)
      if !relationship.relationship.isToMany { return destinations.first?.handle(as: wanted) }
      let handles = destinations.map { $0.handle(as: wanted) }
      return relationship.relationship.isOrdered ? NSOrderedSet(array: handles) : NSSet(array: handles)
    }
    if entity.isComposite(key) { return instance == nil ? looseValues[key].flatMap(Unwrapping.value) : composite(key) }
    return value(forUndefinedKey: key)
  }

  /// Sets a property; see `setValue(_:forKey:)`.
  private func setProperty(_ value: Any?, _ key: String) {
    if let value, let instance {
      if let text = Unwrapping.exactly(String.self, value), instance.setText(text, forKey: key) { return }
      if let handles = Unwrapping.exactly(Set<NSManagedObject>.self, value), let ids = Unwrapping.objectIDs(handles),
        instance.setDestinations(ids, forKey: key)
      {
        return
      }
    }
    setOther(value, key)
  }

  /// Sets a property to what is neither text nor a set of instances, or where the property is of another kind.
  private func setOther(_ value: Any?, _ key: String) {
    let attribute = entity.attribute(named: key)
    if let value, let instance, let attribute, let unboxed = attribute.unboxedExactly(value) {
      return instance.setValue(unboxed, forKey: key, expectedAt: attribute.place)
    }
    let value = value.flatMap { Unwrapping.value($0) }
    // An invalid value is reported when the object is inserted.
    guard let instance else {
      // The old value is released afterwards, because its own code may set a value then.
      let old = looseValues.updateValue(value ?? NSNull(), forKey: key)
      return withExtendedLifetime(old) {}
    }
    if let attribute {
      guard let value else { return instance.setValue(nil, forKey: key) }
      guard let unboxed = attribute.unboxed(value) else {
        return record(
          "a value of type \(attribute.attribute.type.xmlName) is wanted, but there is \(Unwrapping.kindName(value))",
          property: key)
      }
      instance.setValue(unboxed, forKey: key, expectedAt: attribute.place)
    } else if entity.relationship(named: key) != nil {
      guard let value else { return instance.setInstances([], forKey: key) }
      guard let ids = Unwrapping.objectIDs(value) else {
        return record("instances are wanted, but there is \(Unwrapping.kindName(value))", property: key)
      }
      _ = instance.setDestinations(ids, forKey: key)
    } else if entity.isComposite(key) {
      setComposite(value, key)
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
    var values = keys.map { value(forKey: $0) ?? NSNull() }
    return entity.list(of: keys).dictionary(taking: &values)
  }

  /// Sets several keys.
  public func setValuesForKeys(_ keyedValues: [String: Any]) {
    for (key, value) in keyedValues.sorted(by: { $0.key < $1.key }) { setValue(value, forKey: key) }
  }

  /// The IDs of a relationship's destinations.
  public func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] {
    instance?.instances(forKey: key).map { $0.handle().objectID } ?? []
  }

  // MARK: - Key paths

  /// The value at a key path, such as `note.body`.
  ///
  /// For a to-many relationship, the values of all destinations are collected; `@count`, `@sum` and similar operators
  /// are supported.
  public func value(forKeyPath keyPath: String) -> Any? {
    if keyPath.contains("@") { return computedValue(keyPath) }
    var keys = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)[...]
    guard let first = keys.popFirst() else { return nil }
    var value = value(forKey: first)
    for key in keys { value = follow(key, from: value) }
    return value
  }

  /// Sets the value at a key path.
  public func setValue(_ value: Any?, forKeyPath keyPath: String) {
    guard let dot = keyPath.lastIndex(of: "."), entity.attribute(named: keyPath) == nil, !entity.isComposite(keyPath)
    else { return setValue(value, forKey: keyPath) }
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

  // MARK: - Collections

  /// The destinations of a to-many relationship, as a mutable set that changes the relationship.
  public func mutableSetValue(forKey key: String) -> NSMutableSet { ManagedObjectMutableSet(self, key) }

  /// The destinations of an ordered to-many relationship, as a mutable ordered set that changes the relationship.
  public func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet {
    ManagedObjectMutableOrderedSet(self, key)
  }
}
