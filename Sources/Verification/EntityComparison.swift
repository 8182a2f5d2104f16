internal import DataModel
internal import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase

/// Compares the rows of one entity: both sides are walked at once, in the order of their keys.
struct EntityComparison {
  private let entity: EntityDescription
  private let old: StoreSide
  private let new: StoreSide
  private let columns: [ComparedColumn]
  private let oldTable: String
  private let newTable: String
  private let oldRows: RowMergeCursor
  private let newRows: RowMergeCursor
  /// Where in both rows the values of each column are.
  private let ranges: [Range<Int>]
  private let log: DifferenceLog

  /// What is behind the values of the old row: those that were asked for besides.
  let extraStart: Int
  /// The old row, for whoever wants to read more of it.
  var oldRow: RowMergeCursor { oldRows }

  /// What is selected before the values: `Z_PK`, `Z_ENT`, `Z_OPT`.
  private static let headCount = 3

  /// Prepares the comparison; `nil` when an entity is not on both sides.
  ///
  /// - Parameter extraColumns: Columns of the old table that are read besides.
  init?(
    _ entity: EntityDescription, old: StoreSide, new: StoreSide, extraColumns: [String] = [], log: DifferenceLog
  ) throws {
    guard let oldTable = old.schema.table(forEntityNamed: entity.name),
      let newTable = new.schema.table(forEntityNamed: entity.name)
    else { return nil }
    self.entity = entity
    self.old = old
    self.new = new
    self.log = log
    (self.oldTable, self.newTable) = (oldTable.name, newTable.name)
    columns = ComparedColumn.all(of: entity, old: old, new: new)
    let oldExpressions = columns.map { old.exactly($0.old, comparedWith: new) }
    let newExpressions = columns.map { new.exactly($0.new, comparedWith: old) }
    var start = Self.headCount
    ranges = oldExpressions.map { list in
      defer { start += list.count }
      return start..<(start + list.count)
    }
    extraStart = start
    let head = ["Z_ENT", "Z_OPT"]
    oldRows = try RowMergeCursor(
      old.connection, table: oldTable.name,
      expressions: head + oldExpressions.flatMap { $0 } + extraColumns.map(\.quotedIdentifier),
      filter: old.condition(forEntityNamed: entity.name))
    newRows = try RowMergeCursor(
      new.connection, table: newTable.name, expressions: head + newExpressions.flatMap { $0 },
      filter: new.condition(forEntityNamed: entity.name))
  }

  /// A row, on one side or on both.
  struct Row {
    let key: Int64
    let isInOld: Bool
    let isInNew: Bool
  }

  /// Compares all rows, and calls back after each.
  func run(_ body: (Row) throws -> Void) throws {
    try oldRows.advance()
    try newRows.advance()
    while !oldRows.isAtEnd || !newRows.isAtEnd {
      let isInOld = !oldRows.isAtEnd && (newRows.isAtEnd || oldRows.key <= newRows.key)
      let isInNew = !newRows.isAtEnd && (oldRows.isAtEnd || newRows.key <= oldRows.key)
      let key = isInOld ? oldRows.key : newRows.key
      if isInOld, isInNew {
        try compare(key)
      } else {
        try log.add(isInOld ? .missingRow : .extraRow) {
          $0.entity = entity.name
          $0.row = key
        }
      }
      try body(Row(key: key, isInOld: isInOld, isInNew: isInNew))
      if isInOld { try oldRows.advance() }
      if isInNew { try newRows.advance() }
    }
  }

  private func compare(_ key: Int64) throws {
    if oldRows.isLarge || newRows.isLarge { return try compareInPieces(key) }
    let (first, second) = (oldRows.statement, newRows.statement)
    let number = Int64(new.schema.entityNumber(entity.name))
    if second.integer(1) != number || second.storageClass(1) != .integer {
      try add(key, "Z_ENT", "\(number)", StoredValue.text(second, 1))
    }
    if !StoredValue.areEqual(first, 2, second, 2) {
      try add(key, "Z_OPT", StoredValue.text(first, 2), StoredValue.text(second, 2))
    }
    for (column, range) in zip(columns, ranges) {
      guard !range.allSatisfy({ StoredValue.areEqual(first, $0, second, $0) }) else { continue }
      let value = range.upperBound - 1
      if try isExpected(column, key, first, second, at: value) { continue }
      try log.add(.value) {
        $0.entity = entity.name
        $0.row = key
        $0.property = column.property
        ($0.expected, $0.found) = (StoredValue.text(first, value), StoredValue.text(second, value))
        guard first.storageClass(value) == .text, second.storageClass(value) == .text else { return }
        $0.detail = first.withText(value) { text in
          second.withText(value) { other in text.flatMap { text in other.map { StoredValue.difference(text, $0) } } }
        }
      }
    }
  }

  /// Compares rows of which at least one is large; what is not the same is named only.
  private func compareInPieces(_ key: Int64) throws {
    let head = "SELECT Z_ENT, Z_OPT FROM"
    let number = Int64(new.schema.entityNumber(entity.name))
    let first = try old.connection.prepare("\(head) \(oldTable.quotedIdentifier) WHERE Z_PK = \(key)")
    let second = try new.connection.prepare("\(head) \(newTable.quotedIdentifier) WHERE Z_PK = \(key)")
    guard try first.step(), try second.step() else { return }
    if second.integer(0) != number || second.storageClass(0) != .integer {
      try add(key, "Z_ENT", "\(number)", StoredValue.text(second, 0))
    }
    if !StoredValue.areEqual(first, 1, second, 1) {
      try add(key, "Z_OPT", StoredValue.text(first, 1), StoredValue.text(second, 1))
    }
    let isRaw = old.reader.layout.encoding == new.reader.layout.encoding
    for column in columns {
      guard case .attribute = column.content else {
        try compareSmall(column, key)
        continue
      }
      let expected = try ValuePieces(old, table: oldTable, column: column.old, row: key, isRaw: isRaw)
      let found = try ValuePieces(new, table: newTable, column: column.new, row: key, isRaw: isRaw)
      if try ValuePieces.areEqual(expected, found) { continue }
      try add(
        key, column.property, "\(expected.type) of \(expected.count.counting("byte"))",
        "\(found.type) of \(found.count.counting("byte"))")
    }
  }

  private func compareSmall(_ column: ComparedColumn, _ key: Int64) throws {
    let first = try old.connection.prepare(
      "SELECT \(column.old.quotedIdentifier) FROM \(oldTable.quotedIdentifier) WHERE Z_PK = \(key)")
    let second = try new.connection.prepare(
      "SELECT \(column.new.quotedIdentifier) FROM \(newTable.quotedIdentifier) WHERE Z_PK = \(key)")
    guard try first.step(), try second.step(), !StoredValue.areEqual(first, 0, second, 0),
      try !isExpected(column, key, first, second, at: 0)
    else { return }
    try add(key, column.property, StoredValue.text(first, 0), StoredValue.text(second, 0))
  }

  /// Whether values that are not the same are as they have to be all the same.
  private func isExpected(
    _ column: ComparedColumn, _ key: Int64, _ first: Statement, _ second: Statement, at place: Int
  ) throws -> Bool {
    switch column.content {
    case .attribute: return false
    case .key(let table, let inverse):
      // A key that leads nowhere is not carried over.
      if second.isNull(place) { return try !old.hasRow(first.integer(place), in: table) }
      guard first.isNull(place), let inverse else { return false }
      // The other side has said it for both.
      let sql =
        "SELECT \(inverse.column.quotedIdentifier) FROM \(inverse.table.quotedIdentifier) "
        + "WHERE Z_PK = \(second.integer(place))"
      return try old.connection.integer(sql) == key
    case .entity:
      if second.isNull(place) { return try !hasDestination(column.property, key) }
      if first.isNull(place) { return true }
      // Entities may have other numbers.
      let names = old.schema.entityNames.filter { old.schema.entityNumber($0) == Int(clamping: first.integer(place)) }
      return names.contains { Int64(new.schema.entityNumber($0)) == second.integer(place) }
    case .order:
      // What has no place gets one.
      return try first.isNull(place) || second.isNull(place) && !hasDestination(column.property, key)
    }
  }

  /// Whether the new row has a destination in a relationship.
  private func hasDestination(_ relationship: String, _ key: Int64) throws -> Bool {
    let column = columns.first { column in
      if case .key = column.content { column.property == relationship } else { false }
    }
    guard let column else { return false }
    let sql = "SELECT \(column.new.quotedIdentifier) FROM \(newTable.quotedIdentifier) WHERE Z_PK = \(key)"
    return try new.connection.integer(sql) != nil
  }

  private func add(_ key: Int64, _ property: String, _ expected: String?, _ found: String?) throws {
    try log.add(.value) {
      ($0.entity, $0.row, $0.property) = (entity.name, key, property)
      ($0.expected, $0.found) = (expected, found)
    }
  }
}

/// A value of an entity's rows, and where it lies on both sides.
struct ComparedColumn {
  /// What a value is.
  enum Content {
    case attribute
    /// The key of a destination, of which the old row may say that it is in a table where it is not.
    case key(oldTable: String, inverse: Inverse?)
    /// The number of the destination's entity.
    case entity
    /// The place among the destinations.
    case order
  }

  /// The destination's key that leads back, of a relationship that is one-to-one.
  struct Inverse {
    let table: String
    let column: String
  }

  /// The attribute or relationship.
  let property: String
  /// The column of the old library.
  let old: String
  /// The column of the new one.
  let new: String
  let content: Content

  /// What the rows of an entity have on both sides: its attributes, and everything about relationships in its table.
  ///
  /// Derived attributes are left out: the store itself computes them.
  static func all(of entity: EntityDescription, old: StoreSide, new: StoreSide) -> [ComparedColumn] {
    let attributes = entity.attributes.filter { !$0.isTransient && !$0.isDerived }.compactMap { attribute in
      old.schema.column(forProperty: attribute.name, ofEntityNamed: entity.name).flatMap { oldColumn in
        new.schema.column(forProperty: attribute.name, ofEntityNamed: entity.name).map { newColumn in
          ComparedColumn(
            property: attribute.name, old: oldColumn.name, new: newColumn.name, content: .attribute)
        }
      }
    }
    guard let oldTable = old.schema.table(forEntityNamed: entity.name),
      let newTable = new.schema.table(forEntityNamed: entity.name)
    else { return attributes }
    let relationships = newTable.columns.compactMap { column -> ComparedColumn? in
      let counterpart = oldTable.columns.first {
        $0.entityName == column.entityName && $0.propertyName == column.propertyName && $0.content == column.content
      }
      guard let counterpart, let content = content(of: column, in: old) else { return nil }
      return ComparedColumn(
        property: column.propertyName, old: counterpart.name, new: column.name, content: content)
    }
    return attributes + relationships
  }

  private static func content(of column: EntityTable.Column, in old: StoreSide) -> Content? {
    switch column.content {
    case .attribute: return nil
    case .destinationEntity: return .entity
    case .order: return .order
    case .foreignKey:
      let model = old.schema.model
      let relationship = model.entity(named: column.entityName)?.relationship(named: column.propertyName)
      guard let relationship else { return nil }
      // The key of a to-many relationship without an inverse lies with the destination, and is that of its owner.
      let destination = relationship.isToMany ? column.entityName : relationship.destinationEntityName
      guard let table = old.schema.table(forEntityNamed: destination) else { return nil }
      var inverse: Inverse?
      if let name = relationship.inverseName,
        model.entity(named: destination)?.relationship(named: name)?.isToMany == false,
        let back = old.schema.column(forProperty: name, ofEntityNamed: destination)
      {
        inverse = Inverse(table: table.name, column: back.name)
      }
      return .key(oldTable: table.name, inverse: inverse)
    }
  }
}
