/// What becomes of the links to an entity and its descendants.
struct DestinationChange {
  /// The destination of a relationship in both versions.
  struct Key: Hashable {
    let old: String
    let new: String
  }

  /// The entities that the links would lead to, but may not.
  let outside: [String]
  /// Whether there is nothing left that links could lead to.
  let isRemoved: Bool
}
