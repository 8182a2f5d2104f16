internal import Expressions
internal import PersistentStore

extension RelationshipLayout {
  /// Asks for the keys and entities of an instance's destinations, in their order; one argument, the instance's key.
  ///
  /// A key that leads nowhere counts as none, as in Core Data.
  func query(from source: String, to destination: String) -> SQLFragment {
    switch self {
    case .own(let key, _):
      return """
        SELECT d.Z_PK, d.Z_ENT FROM \(identifier: source) AS s JOIN \(identifier: destination) AS d \
        ON d.Z_PK = s.\(identifier: key) WHERE s.Z_PK = ?1
        """
    case .destination(let table, let key, let order):
      let columns: SQLFragment = order.map { "d.\(identifier: $0), d.Z_PK" } ?? "d.Z_PK"
      return """
        SELECT d.Z_PK, d.Z_ENT FROM \(identifier: table) AS d WHERE d.\(identifier: key) = ?1 ORDER BY \(columns)
        """
    case .join(let table, _) where table.isReflexive:
      // Each link may be there once or both ways. Such a table has no column for the order.
      let (one, other) = (table.naming.destinationColumn, table.inverse.destinationColumn)
      return """
        SELECT d.Z_PK, d.Z_ENT FROM \(identifier: destination) AS d WHERE d.Z_PK IN (\
        SELECT \(identifier: one) FROM \(identifier: table.name) WHERE \(identifier: other) = ?1 UNION \
        SELECT \(identifier: other) FROM \(identifier: table.name) WHERE \(identifier: one) = ?1) ORDER BY d.Z_PK
        """
    case .join(let table, let isNaming):
      let (here, there) = isNaming ? (table.naming, table.inverse) : (table.inverse, table.naming)
      // A column is named after the relationship whose destinations it holds.
      let columns: SQLFragment = here.orderColumn.map { "j.\(identifier: $0), d.Z_PK" } ?? "d.Z_PK"
      return """
        SELECT d.Z_PK, d.Z_ENT FROM \(identifier: table.name) AS j JOIN \(identifier: destination) AS d \
        ON d.Z_PK = j.\(identifier: here.destinationColumn) \
        WHERE j.\(identifier: there.destinationColumn) = ?1 ORDER BY \(columns)
        """
    }
  }

  /// Asks for the keys alone, in the same order, of destinations that have a table for themselves.
  func keyQuery(from source: String) -> SQLFragment {
    switch self {
    case .own(let key, _):
      return """
        SELECT \(identifier: key), NULL FROM \(identifier: source) WHERE Z_PK = ?1 AND \(identifier: key) IS NOT NULL
        """
    case .destination(let table, _, _): return query(from: source, to: table)
    case .join(let table, _) where table.isReflexive: return query(from: source, to: source)
    case .join(let table, let isNaming):
      let (here, there) = isNaming ? (table.naming, table.inverse) : (table.inverse, table.naming)
      let columns: SQLFragment =
        here.orderColumn.map { "\(identifier: $0), \(identifier: here.destinationColumn)" }
        ?? "\(identifier: here.destinationColumn)"
      return """
        SELECT \(identifier: here.destinationColumn), NULL FROM \(identifier: table.name) \
        WHERE \(identifier: there.destinationColumn) = ?1 ORDER BY \(columns)
        """
    }
  }
}
