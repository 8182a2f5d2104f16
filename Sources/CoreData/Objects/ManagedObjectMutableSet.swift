/// The destinations of a to-many relationship, as a set that changes the relationship.
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

  private var content: NSSet {
    switch owner?.value(forKey: key) {
    case let set as NSSet: set
    case let set as NSOrderedSet: NSSet(array: set.array)
    default: NSSet()
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

  private func change(_ work: ([Any]) -> [Any]) { owner?.setValue(work(content.allObjects), forKey: key) }
}
