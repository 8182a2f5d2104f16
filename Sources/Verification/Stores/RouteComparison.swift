internal import DataModel
internal import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase

/// Compares the rows of one way from an entity of the old store to one of the new: both sides are walked at once.
struct RouteComparison {
  /// How the rows of both sides belong together.
  enum Matching {
    /// They have the same primary keys.
    case keys
    /// They have other primary keys, in the same order.
    case order
  }

  /// An attribute whose values are known.
  private struct Column {
    let property: String
    let type: AttributeType
    /// What is there where the old store has no value.
    let standard: ColumnValue
    /// Where in the old row the value is; nowhere if all rows have the same.
    var old: Range<Int>
    /// Where in the new row it is.
    var new: Range<Int>
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
  /// What is selected before the values: `Z_PK`, `Z_ENT`, `Z_OPT`.
  private static let headCount = 3
  /// Whether all rows of the new entity have the version 1, as those that are made instance by instance do.
  private let areNew: Bool

  /// Prepares the comparison; `nil` where a side has no table for it.
  ///
  /// - Parameter keys: The keys of the new rows that are looked at; `nil` for all.
  init?(
    _ route: RowRoute, old: StoreSide, new: StoreSide, keys: ClosedRange<Int64>? = nil, log: DifferenceLog
  ) throws {
    guard let entity = new.schema.model.entity(named: route.destination),
      let oldTable = old.schema.table(forEntityNamed: route.source)?.name,
      let newTable = new.schema.table(forEntityNamed: route.destination)?.name
    else { return nil }
    (self.route, self.old, self.new, self.log) = (route, old, new, log)
    tables = (oldTable, newTable)
    var (oldExpressions, newExpressions) = (["Z_ENT", "Z_OPT"], ["Z_ENT", "Z_OPT"])
    for attribute in entity.attributes {
      guard let column = new.schema.column(forProperty: attribute.name, ofEntityNamed: entity.name)?.name else {
        continue
      }
      var (source, standard): (String?, AttributeValue?)
      switch route.values[attribute.name] {
      case .copied(let name, let fallback):
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
    oldRows = try RowMergeCursor(
      old.connection, table: oldTable, expressions: oldExpressions, filter: route.condition(in: old))
    newRows = try RowMergeCursor(
      new.connection, table: newTable, expressions: newExpressions,
      filter: [
        new.condition(forEntityNamed: route.destination),
        keys.map { "Z_PK BETWEEN \($0.lowerBound) AND \($0.upperBound)" },
      ].compactMap(\.self).conjunction)
    let versions = ["Z_OPT IS NOT 1", new.condition(forEntityNamed: route.destination)].compactMap(\.self).conjunction
    areNew = try new.count(newTable, where: versions) == 0
  }

  /// Compares all rows.
  ///
  /// - Parameter pair: Called with the keys that belong together.
  func run(_ matching: Matching, _ pair: (_ old: Int64, _ new: Int64) throws -> Void) throws {
    try oldRows.advance()
    try newRows.advance()
    while !oldRows.isAtEnd || !newRows.isAtEnd {
      let (isOldOver, isNewOver) = (oldRows.isAtEnd, newRows.isAtEnd)
      let isInOld = !isOldOver && (isNewOver || matching == .order || oldRows.key <= newRows.key)
      let isInNew = !isNewOver && (isOldOver || matching == .order || newRows.key <= oldRows.key)
      if isInOld, isInNew {
        try compare(matching)
        try pair(oldRows.key, newRows.key)
      } else {
        try log.add(isInOld ? .missingRow : .extraRow) {
          ($0.entity, $0.row) = (route.destination, isInOld ? oldRows.key : newRows.key)
        }
      }
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

  /// Finds the new rows among the old ones, in the same order, where a filter has left out nobody knows which.
  ///
  /// The log must be one that nobody reads.
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
    if oldRows.isLarge || newRows.isLarge { return try compareInPieces() }
    let (first, second) = (oldRows.statement, newRows.statement)
    try checkEntity(second, 1)
    if matching == .keys, route.keepsKeys, !areNew, !StoredValue.areEqual(first, 2, second, 2) {
      try add("Z_OPT", StoredValue.text(first, 2), StoredValue.text(second, 2))
    }
    for column in columns {
      guard let value = column.old.last, !first.isNull(value) || column.standard == .null else {
        try compareStandard(column, second, column.new.upperBound - 1)
        continue
      }
      let other = column.new.upperBound - 1
      // What stands before a value is its type, of which text and bytes have to be the same.
      let isSame = areEqual(first, value, second, other, column.type)
      let isNumber = [.integer, .real].contains(first.storageClass(value))
      if isSame, isNumber || StoredValue.areEqual(first, column.old.lowerBound, second, column.new.lowerBound) {
        continue
      }
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

  /// A whole number becomes the nearest real one where the type has changed.
  private func areEqual(
    _ first: Statement, _ column: Int, _ second: Statement, _ other: Int, _ type: AttributeType
  ) -> Bool {
    StoredValue.areEqual(first, column, second, other)
      || type == .double && first.storageClass(column) == .integer && second.storageClass(other) == .real
        && Double(first.integer(column)) == second.real(other)
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

  private func checkEntity(_ row: Statement, _ place: Int) throws {
    let number = Int64(new.schema.entityNumber(route.destination))
    guard row.integer(place) != number || row.storageClass(place) != .integer else { return }
    try add("Z_ENT", "\(number)", StoredValue.text(row, place))
  }

  /// Compares rows of which at least one is large; what is not the same is named only.
  private func compareInPieces() throws {
    let isRaw = old.reader.layout.encoding == new.reader.layout.encoding
    let row = try new.connection.prepare(
      "SELECT Z_ENT FROM \(tables.new.quotedIdentifier) WHERE Z_PK = \(newRows.key)")
    if try row.step() { try checkEntity(row, 0) }
    for column in columns {
      var expected: ValuePieces?
      if let name = column.names.old {
        expected = try ValuePieces(old, table: tables.old, column: name, row: oldRows.key, isRaw: isRaw)
      }
      guard let expected, expected.type != "null" || column.standard == .null else {
        let value = try new.connection.prepare(
          "SELECT \(column.names.new.quotedIdentifier) FROM \(tables.new.quotedIdentifier) WHERE Z_PK = \(newRows.key)")
        if try value.step() { try compareStandard(column, value, 0) }
        continue
      }
      let found = try ValuePieces(new, table: tables.new, column: column.names.new, row: newRows.key, isRaw: isRaw)
      let isNumber = ["integer", "real"].contains(expected.type) && ["integer", "real"].contains(found.type)
      if try ValuePieces.areEqual(expected, found) { continue }
      if isNumber, try isSameNumber(column) { continue }
      try add(
        column.property, "\(expected.type) of \(expected.count.counting("byte"))",
        "\(found.type) of \(found.count.counting("byte"))")
    }
  }

  private func isSameNumber(_ column: Column) throws -> Bool {
    let first = try old.connection.prepare(
      "SELECT \((column.names.old ?? "").quotedIdentifier) FROM \(tables.old.quotedIdentifier) WHERE Z_PK = \(oldRows.key)"
    )
    let second = try new.connection.prepare(
      "SELECT \(column.names.new.quotedIdentifier) FROM \(tables.new.quotedIdentifier) WHERE Z_PK = \(newRows.key)")
    guard try first.step(), try second.step() else { return false }
    return areEqual(first, 0, second, 0, column.type)
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
  /// What tells the rows that are carried over from the others of their table; `nil` where all are.
  ///
  /// - Parameter alias: The name of the table in the statement.
  func condition(in side: StoreSide, alias: String? = nil) -> String? {
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
