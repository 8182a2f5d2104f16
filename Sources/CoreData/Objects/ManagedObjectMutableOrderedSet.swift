/// The destinations of an ordered to-many relationship, as an ordered set that changes the relationship.
///
/// It holds the destinations as they are when it is made: Foundation reads its own storage, whatever is overridden. So
/// every change goes there first, and from there to the relationship.
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

  // A literal can hold no owner: this is a set of its own.
  required init(arrayLiteral elements: Any...) {
    super.init(capacity: elements.count)
    super.addObjects(from: elements)
  }

  private func write() { owner?.setValue(NSOrderedSet(array: array), forKey: key) }

  /// Changes what is at a place, if there is one.
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
