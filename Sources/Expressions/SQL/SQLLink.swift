/// What leads from a row to the many rows of a relationship.
public enum SQLLink: Sendable, Hashable {
  /// A column of the destination's table that holds this row's primary key.
  case inverse(column: String)
  /// A table of pairs, for relationships that are to-many on both sides.
  case joinTable(String, source: String, destination: String)
}
