/// The identity of an instance, in the source or in the destination of a migration.
public struct ManagedObjectID: Sendable, Hashable {
  /// The store that the instance lies in.
  enum Store: UInt8, Sendable {
    case source
    case destination
  }

  let store: Store
  /// The number of the instance's own entity in that store: `Z_ENT`.
  let entityNumber: Int32
  /// The primary key in the table.
  public let primaryKey: Int64

  /// Feeds what `==` compares, in one piece: identities are looked up for every instance, and more than once.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(primaryKey ^ Int64(entityNumber) << 32 ^ Int64(store.rawValue) << 62)
  }
}

extension ManagedObjectID: Comparable {
  /// Sorts by store, then by primary key, then by entity.
  public static func < (left: ManagedObjectID, right: ManagedObjectID) -> Bool {
    (left.store.rawValue, left.primaryKey, left.entityNumber)
      < (right.store.rawValue, right.primaryKey, right.entityNumber)
  }
}
