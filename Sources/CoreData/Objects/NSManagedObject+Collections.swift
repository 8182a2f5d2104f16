extension NSManagedObject {
  /// The destinations of a to-many relationship, as a set that changes the relationship.
  public func mutableSetValue(forKey key: String) -> NSMutableSet { ManagedObjectMutableSet(self, key) }

  /// The destinations of an ordered to-many relationship, as an ordered set that changes the relationship.
  public func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet {
    ManagedObjectMutableOrderedSet(self, key)
  }
}
