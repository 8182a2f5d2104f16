/// What a store has that is carried over as it is.
struct CarriedRows: Sendable, Hashable {
  /// The number of instances, by entity.
  var instances: [String: Int] = [:]
  /// The number of links, by join table.
  var links: [String: Int] = [:]
}
