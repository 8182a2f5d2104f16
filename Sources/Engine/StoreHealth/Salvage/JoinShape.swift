internal import PersistentStore
internal import SQLiteDatabase

/// A join table in a damaged store, and its counterpart in a new one.
struct JoinShape {
  /// The table in the damaged store.
  let source: JoinTable
  /// The table in the new store.
  let destination: JoinTable
  /// The places in a row of the two keys, in the order of the source's key columns.
  let keyPlaces: (Int, Int)
  /// The number of values of a row.
  let fieldCount: Int
  /// The places of the order keys, in the order of the destination's columns.
  let orderPlaces: [Int?]
  /// Whether the first key of the source is the second of the destination.
  let isSwapped: Bool

  /// Matches two tables; `nil` if the columns of the source are not known.
  init?(_ source: JoinTable, columns: [StoreSkeleton.Column], _ destination: JoinTable) {
    let names = (columns.isEmpty ? source.keyColumns + source.orderColumns : columns.map(\.name)).map(\.sqlNameKey)
    func place(_ column: String) -> Int? { names.firstIndex(of: column.sqlNameKey) }
    guard let first = place(source.keyColumns[0]), let second = place(source.keyColumns[1]) else { return nil }
    (self.source, self.destination) = (source, destination)
    (keyPlaces, fieldCount) = ((first, second), names.count)
    // The side whose keys come first, by its relationship: the same table may be named after the other side.
    func side(_ column: String, of table: JoinTable) -> JoinTable.Side {
      column == table.naming.destinationColumn ? table.naming : table.inverse
    }
    let (old, new) = (side(source.keyColumns[0], of: source), side(destination.keyColumns[0], of: destination))
    isSwapped = !source.isReflexive && (old.entityName, old.relationshipName) != (new.entityName, new.relationshipName)
    func order(_ side: JoinTable.Side) -> Int? {
      let found = [source.naming, source.inverse].first {
        $0.entityName == side.entityName && $0.relationshipName == side.relationshipName
      }
      return found?.orderColumn.flatMap(place)
    }
    orderPlaces = destination.isOrdered ? [order(destination.inverse), order(destination.naming)] : []
  }

  /// The keys of a link in the order of the new table's columns.
  func link(_ entry: LinkEntry) -> Link {
    isSwapped ? Link(first: entry.second, second: entry.first) : Link(first: entry.first, second: entry.second)
  }

  /// Reads a row; `nil` if it is not one of a join table.
  func entry(_ key: Int64, _ values: RecordFields) -> LinkEntry? {
    guard values.isComplete, values.count == fieldCount, case .integer(let first)? = values.value(keyPlaces.0),
      case .integer(let second)? = values.value(keyPlaces.1)
    else { return nil }
    for place in 0..<fieldCount where place != keyPlaces.0 && place != keyPlaces.1 {
      switch values.value(place) {
      case .null?, .integer?: break
      case .real?, .text?, .blob?, nil: return nil
      }
    }
    return LinkEntry(first: first, second: second, row: key)
  }

  /// The order keys of a row, in the order of the new table's columns.
  func orders(_ values: RecordFields) -> [Int64?] {
    orderPlaces.map { place in
      if let place, case .integer(let order)? = values.value(place) { order } else { nil }
    }
  }
}
