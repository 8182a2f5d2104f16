package import DataModel

/// The changes in a context since it was saved last, for apps that ask for them.
package struct ContextChanges {
  /// The earlier value of a property.
  package enum OldValue {
    /// The value of an attribute.
    case attribute(AttributeValue?)
    /// The destinations of a relationship.
    case relationship([ManagedObjectID])
  }

  /// The instances that were inserted and are still there.
  package private(set) var inserted: Set<ManagedObjectID> = []
  /// The earlier values of changed properties of other instances, by their names.
  package private(set) var updated: [ManagedObjectID: [String: OldValue]] = [:]

  package init() {}

  mutating func insert(_ id: ManagedObjectID) { inserted.insert(id) }

  mutating func delete(_ id: ManagedObjectID) {
    updated[id] = nil
    inserted.remove(id)
  }

  /// Notes what a property was before its first change.
  mutating func update(_ id: ManagedObjectID, _ name: String, from old: @autoclosure () -> OldValue) {
    guard !inserted.contains(id), updated[id]?[name] == nil else { return }
    updated[id, default: [:]][name] = old()
  }
}
