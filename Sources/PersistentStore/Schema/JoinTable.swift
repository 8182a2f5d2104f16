internal import DataModel

/// The table of a many-to-many relationship and its inverse.
///
/// The column that is named after a relationship holds the primary keys of that relationship's destination.
public struct JoinTable: Sendable, Hashable {
  /// One of the two sides.
  public struct Side: Sendable, Hashable {
    /// The entity that declares the relationship.
    public let entityName: String
    /// The relationship that leads away from this side.
    public let relationshipName: String
    /// The column that holds the keys of the relationship's destination.
    public let destinationColumn: String
    /// The column that keeps the order of the destinations, if the relationship is ordered.
    public let orderColumn: String?
  }

  /// The name of the table.
  public let name: String
  /// The side that the table is named after.
  ///
  /// Its destination column comes second.
  public let naming: Side
  /// The other side.
  ///
  /// Its destination column comes first.
  public let inverse: Side

  /// Whether the relationship is its own inverse.
  public var isReflexive: Bool { inverse.destinationColumn == "REFLEXIVE" }

  /// The two key columns, in their order.
  public var keyColumns: [String] {
    let columns = [inverse.destinationColumn, naming.destinationColumn]
    return isReflexive ? columns.reversed() : columns
  }

  /// The statement that creates the table, spaced as Core Data spaces it.
  public var createStatement: String {
    let keys = keyColumns
    let orders = [inverse.orderColumn, naming.orderColumn].compactMap { $0 }
    let list = (keys + orders).map { "\($0.schemaIdentifier) INTEGER" }.joined(separator: ", ")
    let key = keys.map(\.schemaIdentifier).joined(separator: ", ")
    return "CREATE TABLE \(name.schemaIdentifier) ( \(list), PRIMARY KEY (\(key)) )"
  }

  /// The statement that creates the index that leads the other way.
  public var indexStatement: String {
    let keys = keyColumns.map(\.schemaIdentifier)
    let index = "\(name)_\(keyColumns[1])_INDEX".schemaIdentifier
    return "CREATE INDEX \(index) ON \(name.schemaIdentifier) (\(keys[1]), \(keys[0]))"
  }
}
