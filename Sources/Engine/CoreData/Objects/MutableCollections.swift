internal import Migration

/// The instance of a context that a handle refers to, or nothing yet.
public struct ManagedObjectHandle {
  let instance: ManagedObject?
  let entity: NSEntityDescription

  init(instance: ManagedObject?, entity: NSEntityDescription) {
    self.instance = instance
    self.entity = entity
  }
}

extension ManagedObject {
  /// The handle on this instance, created on first use: of the requested class, or of the entity's own.
  ///
  /// - Parameter isNew: Whether the instance has just been inserted.
  func handle(as wanted: NSManagedObject.Type = NSManagedObject.self, isNew: Bool = false) -> NSManagedObject {
    if let facade, let handle = facade.takeUnretainedValue() as? NSManagedObject,
      wanted == NSManagedObject.self || type(of: handle) == wanted || handle.isKind(of: wanted)
    {
      return handle
    }
    let context = NSManagedObjectContext.facade(of: managedObjectContext)
    let entity = context.entity(of: self)
    let own = entity.instanceClass
    // A fetch for a parent's class finds instances of child entities, whose own class is more specific.
    let chosen = wanted == NSManagedObject.self || own == wanted || own.isSubclass(of: wanted) ? own : wanted
    let handle = chosen.init(ManagedObjectHandle(instance: self, entity: entity))
    facade = .passUnretained(handle)
    if isNew { handle.awakeFromInsert() } else { handle.awakeFromFetch() }
    return handle
  }
}

/// The destinations of a to-many relationship, as a mutable set that changes the relationship.
final class ManagedObjectMutableSet: NSMutableSet {
  private let owner: NSManagedObject?
  private let key: String

  init(_ owner: NSManagedObject, _ key: String) {
    self.owner = owner
    self.key = key
    super.init(capacity: 0)
  }

  required init(capacity numItems: Int) {
    owner = nil
    key = ""
    super.init(capacity: numItems)
  }

  required init?(coder: NSCoder) { nil }

  private var content: NSSet { owner?.value(forKey: key) as? NSSet ?? NSSet(array: elements) }

  /// The destinations, in their order if they have one.
  private var elements: [Any] {
    switch owner?.value(forKey: key) {
    case let set as NSSet: set.allObjects
    case let set as NSOrderedSet: set.array
    default: []
    }
  }

  override var count: Int { content.count }

  override func member(_ object: Any) -> Any? { content.member(object) }

  override func objectEnumerator() -> NSEnumerator { content.objectEnumerator() }

  override var allObjects: [Any] { content.allObjects }

  override func contains(_ object: Any) -> Bool { content.contains(object) }

  override func add(_ object: Any) { addObjects(from: [object]) }

  override func addObjects(from array: [Any]) { change { $0 + array } }

  override func remove(_ object: Any) { change { $0.filter { !NSSet(object: object).contains($0) } } }

  override func removeAllObjects() { change { _ in [] } }

  override func union(_ otherSet: Set<AnyHashable>) { addObjects(from: otherSet.map(\.base)) }

  override func minus(_ otherSet: Set<AnyHashable>) {
    let removed = NSSet(array: otherSet.map(\.base))
    change { $0.filter { !removed.contains($0) } }
  }

  override func intersect(_ otherSet: Set<AnyHashable>) {
    let kept = NSSet(array: otherSet.map(\.base))
    change { $0.filter { kept.contains($0) } }
  }

  private func change(_ work: ([Any]) -> [Any]) { owner?.setValue(work(elements), forKey: key) }
}

/// The destinations of an ordered to-many relationship, as a mutable ordered set that changes the relationship.
///
/// It holds a copy of the destinations made at creation, because Foundation reads its own storage no matter what is
/// overridden. Every change is made there first and then applied to the relationship.
final class ManagedObjectMutableOrderedSet: NSMutableOrderedSet {
  private var owner: NSManagedObject?
  private var key = ""

  init(_ owner: NSManagedObject, _ key: String) {
    super.init(capacity: 0)
    if let content = owner.value(forKey: key) as? NSOrderedSet { super.addObjects(from: content.array) }
    self.owner = owner
    self.key = key
  }

  required init?(coder: NSCoder) { nil }

  // A literal has no owner, so this set is detached from any relationship.
  required init(arrayLiteral elements: Any...) {
    super.init(capacity: elements.count)
    super.addObjects(from: elements)
  }

  private func write() { owner?.setValue(NSOrderedSet(array: array), forKey: key) }

  /// Applies a change at an index, if it is in range.
  private func change(at index: Int, in range: Range<Int>, _ work: () -> Void) {
    guard range.contains(index) else {
      owner?.record("there is no destination \(index)", property: key)
      return
    }
    work()
    write()
  }

  override func insert(_ object: Any, at index: Int) {
    change(at: index, in: 0..<count + 1) { if !contains(object) { super.insert(object, at: index) } }
  }

  override func removeObject(at index: Int) { change(at: index, in: 0..<count) { super.removeObject(at: index) } }

  override func replaceObject(at index: Int, with object: Any) {
    change(at: index, in: 0..<count) { super.replaceObject(at: index, with: object) }
  }

  override func add(_ object: Any) { addObjects(from: [object]) }

  override func addObjects(from array: [Any]) { replaceAll(self.array + array) }

  override func remove(_ val: Any) { removeObjects(in: [val]) }

  override func removeObjects(in array: [Any]) {
    let removed = NSSet(array: array)
    replaceAll(self.array.filter { !removed.contains($0) })
  }

  override func removeAllObjects() { replaceAll([]) }

  override func union(_ other: NSOrderedSet) { addObjects(from: other.array) }

  override func minus(_ other: NSOrderedSet) { removeObjects(in: other.array) }

  override func intersect(_ other: NSOrderedSet) { replaceAll(array.filter { other.contains($0) }) }

  private func replaceAll(_ objects: [Any]) {
    super.removeAllObjects()
    super.addObjects(from: objects)
    write()
  }
}
