internal import DataModel

/// Where a relationship lies in a store, seen from the instances that it leads away from.
package enum RelationshipLayout: Sendable, Hashable {
  /// In columns of the instance's own row: the destination's key, and its entity number where the destination has
  /// subentities.
  case own(key: String, entity: String?)
  /// In a column of the destinations' rows, that of the inverse or a hidden one, with the order of the destinations.
  case destination(table: String, key: String, order: String?)
  /// In a join table.
  case join(JoinTable, isNaming: Bool)
}
