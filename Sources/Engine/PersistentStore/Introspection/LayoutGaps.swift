internal import MigrationDiagnostics

/// A part of a model that a store's file lacks as a whole, so that a part of a new store can take its place.
struct LayoutGap {
  /// The kinds of parts.
  enum Part {
    /// The row of an entity in `Z_PRIMARYKEY`.
    case entity(String, number: Int)
    /// The table of a root entity.
    case table(EntityTable)
    /// A column of such a table.
    case column(EntityTable.Column)
    /// The table of a many-to-many relationship.
    case joinTable(JoinTable)
    /// The column of such a table with the order of a relationship.
    case joinOrder(String)
  }

  let part: Part
  /// The table that is missing, or that lacks something.
  let table: String
  /// The fact, as a clause.
  let fact: String
}

/// Collects the parts of a model that a store lacks, where an error would name only the first.
final class LayoutGaps {
  /// The gaps, in the order in which the parts were looked for.
  private(set) var all: [LayoutGap] = []

  /// Notes a gap.
  ///
  /// - Parameter error: The error without a collector.
  func note(_ part: LayoutGap.Part, _ error: MigrationError, table: String) {
    all.append(LayoutGap(part: part, table: table, fact: LayoutFault.withoutDoubt(error.detail ?? "")))
  }
}
