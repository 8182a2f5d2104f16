internal import DataModel
internal import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase

/// Compares the rows that go from an entity of the old store to one of the new store, walking both at once.
package struct RouteComparison {
  /// Which rows of the two stores are compared with each other.
  package enum Matching {
    /// Those with the same primary key.
    case keys
    /// The first with the first and so on: the primary keys differ, their order does not.
    case order
  }

  /// An attribute whose values are known.
  private struct Column {
    let property: String
    let type: AttributeType
    /// The expected value where the old store has none.
    let standard: ColumnValue
    /// The place of the value in the old row; empty if all rows get the same value.
    let old: Range<Int>
    /// The place of the value in the new row.
    let new: Range<Int>
    /// The columns of both sides.
    let names: (old: String?, new: String)
  }

  private let route: RowRoute
  private let old: StoreSide
  private let new: StoreSide
  private let log: DifferenceLog
  private let tables: (old: String, new: String)
  private let oldRows: RowMergeCursor
  private let newRows: RowMergeCursor
  private var columns: [Column] = []
  private let keepsVersions: Bool
  /// Whether all rows of the new entity have the version 1, as new instances do.
  private let areNew: Bool

  /// The place of the first extra column in the old row.
  package let extraStart: Int
  /// The old row, for reading the extra columns.
  package var oldRow: RowMergeCursor { oldRows }

  /// Prepares the comparison; `nil` if one of the stores has no table for it.
  ///
  /// - Parameters:
  ///   - extraColumns: Columns of the old table that are read too.
  ///   - keepsVersions: Whether every row keeps its `Z_OPT`. Otherwise all of them may also be 1, as in new instances.
  ///   - keys: The keys of the new rows to compare; `nil` for all.
  package init?(
    _ route: RowRoute, old: StoreSide, new: StoreSide, extraColumns: [String] = [], keepsVersions: Bool = false,
    keys: ClosedRange<Int64>? = nil, log: DifferenceLog
  ) throws {
    guard let entity = new.schema.model.entity(named: route.destination),
      let oldTable = old.schema.table(forEntityNamed: route.source)?.name,
      let newTable = new.schema.table(forEntityNamed: route.destination)?.name
    else { return nil }
    (self.route, self.old, self.new, self.log, self.keepsVersions) = (route, old, new, log, keepsVersions)
    tables = (oldTable, newTable)
    var (oldExpressions, newExpressions) = (["Z_ENT", "Z_OPT"], ["Z_ENT", "Z_OPT"])
    let before = old.schema.model.entity(named: route.source)
    for attribute in entity.attributes {
      guard let column = new.schema.column(forProperty: attribute.name, ofEntityNamed: entity.name)?.name else {
        continue
      }
      var (source, standard): (String?, AttributeValue?)
      switch route.values[attribute.name] {
      case .copied(let name, let fallback):
        // What both stores derive may have been derived again.
        if attribute.isDerived, before?.attribute(named: name)?.isDerived != false { continue }
        source = old.schema.column(forProperty: name, ofEntityNamed: route.source)?.name
        if source == nil { continue }
        standard = fallback
      case .constant(let value): standard = value
      case .unknown, nil: continue
      }
      func append(_ list: [String], to expressions: inout [String]) -> Range<Int> {
        expressions += list
        return (expressions.count + 1 - list.count)..<(expressions.count + 1)
      }
      var value = ColumnValue(standard)
      if attribute.allowsExternalBinaryDataStorage, case .blob(let bytes) = value {
        value = .blob(ExternalValue.inline(bytes).bytes)
      }
      columns.append(
        Column(
          property: attribute.name, type: attribute.type, standard: value,
          old: append(source.map { old.exactly($0, comparedWith: new) } ?? [], to: &oldExpressions),
          new: append(
            source == nil ? [column.quotedIdentifier] : new.exactly(column, comparedWith: old), to: &newExpressions),
          names: (source, column)))
    }
    extraStart = oldExpressions.count + 1
    oldRows = try RowMergeCursor(
      old.connection, table: oldTable, expressions: oldExpressions + extraColumns.map(\.quotedIdentifier),
      filter: route.condition(in: old))
    newRows = try RowMergeCursor(
      new.connection, table: newTable, expressions: newExpressions,
      filter: [
        new.condition(forEntityNamed: route.destination),
        keys.map { "Z_PK BETWEEN \($0.lowerBound) AND \($0.upperBound)" },
      ].compactMap(\.self).conjunction)
    // The number is not needed where every row keeps its version, and counting takes a while.
    guard !keepsVersions else {
      areNew = false
      return
    }
    let versions = ["Z_OPT IS NOT 1", new.condition(forEntityNamed: route.destination)].compactMap(\.self).conjunction
    areNew = try new.count(newTable, where: versions) == 0
  }

  /// Compares all rows.
  ///
  /// - Parameter body: Called after each row with its key in both stores; `nil` where it is missing.
  package func run(_ matching: Matching, _ body: (_ old: Int64?, _ new: Int64?) throws -> Void) throws {
    try run(matching, in: Int64.min...Int64.max) { old, new in
      try body(old, new)
      return true
    }
  }

  /// Compares the rows in a range of keys.
  ///
  /// - Parameter body: Called after each row as above; returns whether to go on.
  package func run(
    _ matching: Matching, in keys: ClosedRange<Int64>, _ body: (_ old: Int64?, _ new: Int64?) throws -> Bool
  ) throws {
    try oldRows.begin(in: keys)
    try newRows.begin(in: keys)
    try oldRows.advance()
    try newRows.advance()
    while !oldRows.isAtEnd || !newRows.isAtEnd {
      let (isOldOver, isNewOver) = (oldRows.isAtEnd, newRows.isAtEnd)
      let isInOld = !isOldOver && (isNewOver || matching == .order || oldRows.key <= newRows.key)
      let isInNew = !isNewOver && (isOldOver || matching == .order || newRows.key <= oldRows.key)
      if isInOld, isInNew {
        try compare(matching)
      } else {
        try log.add(isInOld ? .missingRow : .extraRow) {
          ($0.entity, $0.row) = (route.destination, isInOld ? oldRows.key : newRows.key)
        }
      }
      guard try body(isInOld ? oldRows.key : nil, isInNew ? newRows.key : nil) else { return }
      if isInOld { try oldRows.advance() }
      if isInNew { try newRows.advance() }
    }
  }

  /// Compares the rows that belong together, both in the order of their keys.
  ///
  /// - Parameter pairs: The keys of both; no new key for an old row that is missing.
  func run(_ matching: Matching, pairs: Statement, _ progress: () throws -> Void) throws {
    while try pairs.step() {
      try progress()
      guard !pairs.isNull(1) else {
        try log.add(.missingRow) { ($0.entity, $0.row) = (route.destination, pairs.integer(0)) }
        continue
      }
      while !oldRows.isAtEnd, oldRows.key < pairs.integer(0) { try oldRows.advance() }
      while !newRows.isAtEnd, newRows.key < pairs.integer(1) { try newRows.advance() }
      try compare(matching)
    }
  }

  /// Finds the new rows among the old ones, in the same order, where a filter has left out unknown ones.
  ///
  /// The log must be one that is not read.
  ///
  /// - Parameter pair: Called with the keys that belong together, until a new row is not found.
  func runSubsequence(_ pair: (_ old: Int64, _ new: Int64) throws -> Void) throws {
    try oldRows.advance()
    try newRows.advance()
    while !oldRows.isAtEnd, !newRows.isAtEnd {
      let count = log.count
      try compare(.order)
      if log.count == count {
        try pair(oldRows.key, newRows.key)
        try newRows.advance()
      }
      try oldRows.advance()
    }
  }

  private func compare(_ matching: Matching) throws {
    if oldRows.isLarge || newRows.isLarge { return try compareInPieces(matching) }
    let (first, second) = (oldRows.statement, newRows.statement)
    try compareHeads(first, second, at: 1, matching)
    for place in columns.indices {
      if isPlainlyEqual(first, columns[place].old, second, columns[place].new) { continue }
      let column = columns[place]
      guard let value = column.old.last, !first.isNull(value) || column.standard == .null else {
        try compareStandard(column, second, column.new.upperBound - 1)
        continue
      }
      let other = column.new.upperBound - 1
      // In front of a value may be its type, which has to match for text and bytes.
      let isSame = areEqual(first, value, second, other, column.type)
      let isNumber = [.integer, .real].contains(first.storageClass(value))
      if isSame, isNumber || StoredValue.areEqual(first, column.old.lowerBound, second, column.new.lowerBound) {
        continue
      }
      if StoredValue.isConverted(first, value, to: second, other, column.type) { continue }
      try log.add(.value) {
        ($0.entity, $0.row, $0.property) = (route.destination, newRows.key, column.property)
        ($0.expected, $0.found) = (StoredValue.text(first, value), StoredValue.text(second, other))
        guard first.storageClass(value) == .text, second.storageClass(other) == .text else { return }
        $0.detail = first.withText(value) { text in
          second.withText(other) { other in text.flatMap { text in other.map { StoredValue.difference(text, $0) } } }
        }
      }
    }
  }

  /// Whether a value was simply copied, as nearly all are; false if more must be known of its column.
  private func isPlainlyEqual(_ first: Statement, _ old: Range<Int>, _ second: Statement, _ new: Range<Int>) -> Bool {
    old.count == 1 && new.count == 1 && !first.isNull(old.lowerBound)
      && StoredValue.areEqual(first, old.lowerBound, second, new.lowerBound)
  }

  /// A column of real numbers turns integers into the nearest one, and does not keep the sign of zero; the old one may have
  /// another type, or none.
  private func areEqual(
    _ first: Statement, _ column: Int, _ second: Statement, _ other: Int, _ type: AttributeType
  ) -> Bool {
    if StoredValue.areEqual(first, column, second, other) { return true }
    guard [.double, .float, .date, .decimal].contains(type), second.storageClass(other) == .real else { return false }
    return switch first.storageClass(column) {
    case .integer: Double(first.integer(column)) == second.real(other)
    case .real: first.real(column) == second.real(other)
    default: false
    }
  }

  private func compareStandard(_ column: Column, _ row: Statement, _ place: Int) throws {
    let found = ColumnValue(row, place)
    let isEqual =
      switch (column.standard, found) {
      case (.real(let real), .real(let other)): real == other || column.type == .float && Float(real) == Float(other)
      case (.integer(let integer), .real(let real)), (.real(let real), .integer(let integer)): Double(integer) == real
      default: column.standard == found
      }
    guard !isEqual else { return }
    let expected: String? =
      switch column.standard {
      case .null: nil
      case .integer(let integer): "\(integer)"
      case .real(let real): "\(real)"
      case .text(let text): StoredValue.quoted(text.utf8)
      case .blob(let bytes): "a blob of \(bytes.count.counting("byte"))"
      }
    try add(column.property, expected, StoredValue.text(row, place))
  }

  /// Compares the entity and the version, which are in two columns from `place` on.
  private func compareHeads(_ first: Statement, _ second: Statement, at place: Int, _ matching: Matching) throws {
    let number = Int64(new.schema.entityNumber(route.destination))
    if second.integer(place) != number || second.storageClass(place) != .integer {
      try add("Z_ENT", "\(number)", StoredValue.text(second, place))
    }
    let version = place + 1
    guard matching == .keys, route.keepsKeys, !StoredValue.areEqual(first, version, second, version) else { return }
    if !keepsVersions, areNew { return }
    try add("Z_OPT", StoredValue.text(first, version), StoredValue.text(second, version))
  }

  /// Compares two rows of which at least one is large; differing values are named but not shown.
  private func compareInPieces(_ matching: Matching) throws {
    let isRaw = old.reader.layout.encoding == new.reader.layout.encoding
    let head = ["Z_ENT", "Z_OPT"]
    if let first = try old.row(oldRows.key, of: tables.old, head),
      let second = try new.row(newRows.key, of: tables.new, head)
    {
      try compareHeads(first, second, at: 0, matching)
    }
    for column in columns {
      var expected: ValuePieces?
      if let name = column.names.old {
        expected = try ValuePieces(old, table: tables.old, column: name, row: oldRows.key, isRaw: isRaw)
      }
      guard let expected, expected.type != "null" || column.standard == .null else {
        if let value = try new.row(newRows.key, of: tables.new, [column.names.new]) {
          try compareStandard(column, value, 0)
        }
        continue
      }
      let found = try ValuePieces(new, table: tables.new, column: column.names.new, row: newRows.key, isRaw: isRaw)
      let isNumber = ["integer", "real"].contains(expected.type) || ["integer", "real"].contains(found.type)
      if try ValuePieces.areEqual(expected, found) { continue }
      if isNumber, try isSameNumber(column) { continue }
      try add(
        column.property, "\(expected.type) of \(expected.count.counting("byte"))",
        "\(found.type) of \(found.count.counting("byte"))")
    }
  }

  private func isSameNumber(_ column: Column) throws -> Bool {
    guard let name = column.names.old, let first = try old.row(oldRows.key, of: tables.old, [name]),
      let second = try new.row(newRows.key, of: tables.new, [column.names.new])
    else { return false }
    return areEqual(first, 0, second, 0, column.type) || StoredValue.isConverted(first, 0, to: second, 0, column.type)
  }

  private func add(_ property: String, _ expected: String?, _ found: String?) throws {
    try log.add(.value) {
      ($0.entity, $0.row, $0.property) = (route.destination, newRows.key, property)
      ($0.expected, $0.found) = (expected, found)
    }
  }
}

extension [String] {
  /// Conditions that must all hold; `nil` for none.
  fileprivate var conjunction: String? { isEmpty ? nil : joined(separator: " AND ") }
}

extension RowRoute {
  /// The SQL condition that selects the rows that are carried over; `nil` if that is the whole table.
  ///
  /// - Parameter alias: The name of the table in the statement.
  package func condition(in side: StoreSide, alias: String? = nil) -> String? {
    let prefix = alias.map { "\($0)." } ?? ""
    var conditions = (filters ?? []).compactMap { filter -> String? in
      switch filter {
      case .constant(let isTrue): return isTrue ? nil : "0"
      case .attribute(let name, let hasValue):
        return side.schema.column(forProperty: name, ofEntityNamed: source).map {
          "\(prefix)\($0.name.quotedIdentifier) IS \(hasValue ? "NOT NULL" : "NULL")"
        }
      }
    }
    if let entity = side.condition(forEntityNamed: source) { conditions.append(prefix + entity) }
    return conditions.conjunction
  }
}
