internal import DataModel
internal import Diagnostics
internal import Migration

/// What a fetch may give.
public protocol NSFetchRequestResult {}

extension NSDictionary: NSFetchRequestResult {}
extension NSNumber: NSFetchRequestResult {}

/// An instance of an entity, as policies of apps see it: a handle on an instance of the engine.
///
/// Two handles on the same instance are equal, and usually identical: only where a fetch asks for another class than an
/// earlier one did is there a second handle.
///
/// Reading and setting cannot throw. What goes wrong, such as a date for a number, is recorded with the entity, the
/// property and the row, and ends the migration as soon as the policy returns.
open class NSManagedObject: NSObject, NSFetchRequestResult {
  /// The entity.
  public let entity: NSEntityDescription
  private(set) var instance: ManagedObject?
  /// The values of an object that is in no context.
  private var looseValues: [String: Any] = [:]

  /// Creates a handle, which only the module does.
  ///
  /// A subclass with a designated initializer of its own must have this one too.
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

  /// Creates an instance of the entity that the model gives this class, and inserts it into a context.
  public convenience init(context: NSManagedObjectContext) {
    self.init(entity: context.entity(of: type(of: self)), insertInto: context)
  }

  deinit {
    guard let instance, let facade = instance.facade, facade.toOpaque() == Unmanaged.passUnretained(self).toOpaque()
    else { return }
    instance.facade = nil
  }

  /// Inserts an object that was in no context, with the values that it has got meanwhile.
  func insert(into context: NSManagedObjectContext) {
    guard instance == nil, let inserted = context.insertInstance(of: entity) else { return }
    instance = inserted
    inserted.facade = .passUnretained(self)
    let values = looseValues
    looseValues = [:]
    for (key, value) in values.sorted(by: { $0.key < $1.key }) { setValue(value, forKey: key) }
  }

  /// A request for all instances of the entity that has the name of this class.
  @_disfavoredOverload
  open class func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> {
    NSFetchRequest(entityName: String(describing: self))
  }

  // MARK: Key-value coding

  /// The value of an attribute, the destination of a to-one relationship, or an `NSSet` or `NSOrderedSet` of the
  /// destinations of a to-many one.
  ///
  /// Numbers are `NSNumber`, decimals `NSDecimalNumber`, so that `as?` gives whatever kind of number fits; the rest are
  /// `String`, `Date`, `Data`, `UUID` and `URL`, which pass for `NSString` and so on.
  open func value(forKey key: String) -> Any? { property(key) }

  /// Sets an attribute or a relationship; nil and `NSNull` clear it.
  ///
  /// A to-many relationship takes sets, ordered sets and arrays, of Swift and of Foundation.
  open func setValue(_ value: Any?, forKey key: String) { setProperty(value, key) }

  /// Called for a key that the entity has not; ends the migration unless it is overridden.
  open func value(forUndefinedKey key: String) -> Any? {
    if key == "objectID" { return objectID }
    record("the entity has no such property", property: key)
    return nil
  }

  /// Called for a key that the entity has not; ends the migration unless it is overridden.
  open func setValue(_ value: Any?, forUndefinedKey key: String) {
    record("the entity has no such property", property: key)
  }

  // MARK: State

  /// The context that the instance belongs to.
  open var managedObjectContext: NSManagedObjectContext? {
    (instance?.managedObjectContext).map { NSManagedObjectContext.facade(of: $0) }
  }
  /// The identity.
  open var objectID: NSManagedObjectID { NSManagedObjectID(instance?.objectID, entity) }
  /// Whether the instance was deleted.
  open var isDeleted: Bool { instance?.isDeleted ?? false }
  /// Whether the instance is new: all of the destination are, none of the source is.
  open var isInserted: Bool { instance.map { !$0.managedObjectContext.isSource && !$0.isDeleted } ?? false }
  /// Whether there is something to save.
  open var hasChanges: Bool { isInserted || isDeleted }
  /// Whether the values are still to be read; policies need not know.
  open var isFault: Bool { false }

  // MARK: Calls that have nothing to do here

  /// Does nothing: values are read when they are asked for.
  open func willAccessValue(forKey key: String?) {}
  /// Does nothing: values are read when they are asked for.
  open func didAccessValue(forKey key: String?) {}
  /// Does nothing: nobody observes instances during a migration.
  open func willChangeValue(forKey key: String) {}
  /// Does nothing: nobody observes instances during a migration.
  open func didChangeValue(forKey key: String) {}

  // MARK: Identity

  /// Whether both are the same instance.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSManagedObject else { return false }
    if let instance { return instance === other.instance }
    return self === other
  }

  /// A number that handles on the same instance share.
  open override var hash: Int { instance.map { ObjectIdentifier($0).hashValue } ?? ObjectIdentifier(self).hashValue }

  /// The entity and the primary key.
  open override var description: String {
    "<\(entity.content.name) \(instance.map { String($0.objectID.primaryKey) } ?? "of no context")>"
  }

  // MARK: Loose values

  /// The value of an object that is in no context: `NSNull` for one that was cleared.
  func looseValue(forKey key: String) -> Any? { looseValues[key] }

  func setLooseValue(_ value: Any?, forKey key: String) { looseValues[key] = value ?? NSNull() }

  /// Records what went wrong where nothing can be thrown.
  func record(_ detail: String, property: String? = nil) {
    instance?.managedObjectContext.record(
      MigrationError(
        .policyFailed,
        MigrationError.Subject(
          entity: entity.content.name, property: property, row: instance?.objectID.primaryKey), detail: detail))
  }
}
