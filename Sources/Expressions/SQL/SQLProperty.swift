/// How a store keeps a property.
///
/// Names are plain; the compiler quotes them.
public enum SQLProperty: Sendable, Hashable {
  /// A column of the entity's table.
  case attribute(column: String, type: SQLValueType)
  /// A column that holds the primary key of the other row.
  case toOne(column: String, destination: SQLTable)
  /// Rows elsewhere that hold the primary key of this one.
  case toMany(destination: SQLTable, link: SQLLink)
}
