/// Describes how a store keeps the properties of its entities.
package protocol SQLSchema {
  /// Returns the storage of a property, or `nil` if the entity does not have it.
  func property(_ key: String, of entity: String) -> SQLProperty?

  /// Whether an entity has a composite attribute with this key path; its elements are properties with key paths.
  func isComposite(_ keyPath: String, of entity: String) -> Bool

  /// The name under which the store is attached to the connection, if any.
  ///
  /// It distinguishes the store's tables from those with the same names in another store.
  var databaseName: String? { get }
  /// Whether text is stored as UTF-8, so that SQLite, which compares bytes, sorts it by Unicode scalars.
  var keepsTextAsUTF8: Bool { get }

  /// Whether each key in a table of pairs is known to have a row, so that pairs can be counted without looking at rows.
  func hasAllRows(ofJoinTable name: String) -> Bool
}

extension SQLSchema {
  /// No composites.
  package func isComposite(_ keyPath: String, of entity: String) -> Bool { false }

  /// No name: the store is the main database.
  package var databaseName: String? { nil }

  /// UTF-8, as Core Data writes it.
  package var keepsTextAsUTF8: Bool { true }

  /// Nothing is known.
  package func hasAllRows(ofJoinTable name: String) -> Bool { false }
}

/// The table of an entity.
package struct SQLTable: Sendable, Hashable {
  /// The entity to which the keys of a path through this table belong.
  package let entity: String
  /// The table, which entities of one hierarchy share.
  package let name: String
  /// The column of the primary key.
  package let primaryKey: String

  /// Describes a table.
  ///
  /// - Parameters:
  ///   - entity: The entity to which the keys of a path through this table belong.
  ///   - name: The table, which entities of one hierarchy share.
  ///   - primaryKey: The column of the primary key.
  package init(entity: String, name: String, primaryKey: String = "Z_PK") {
    self.entity = entity
    self.name = name
    self.primaryKey = primaryKey
  }
}

/// The storage of a property.
///
/// Names are plain; the compiler quotes them.
package enum SQLProperty: Sendable, Hashable {
  /// A column of the entity's table.
  case attribute(column: String, type: SQLValueType)
  /// A column that holds the primary key of the other row.
  case toOne(column: String, destination: SQLTable)
  /// Other rows that hold the primary key of this one.
  case toMany(destination: SQLTable, link: SQLLink)
}

/// The rows of a to-many relationship, seen from one row.
struct SQLToManyQuery {
  /// The row at the other end, whose alias qualifies its columns.
  let row: SQLRow
  /// The tables for `FROM`.
  let source: SQLFragment
  /// The table of pairs alone, if each of them has its rows.
  var pairs: SQLFragment?
  /// The primary key that the link starts from, and the column that has it for each of the rows.
  let (key, linkedKey): (SQLFragment, SQLFragment)
  /// Whether the link may start from nil.
  let isNullable: Bool
  /// The condition of a SUBQUERY.
  var filter: SQLFragment?
  /// The rest of the path after the relationship.
  var rest: [KeyPathComponent]
  /// The whole, for messages.
  let part: String

  /// A query of the rows.
  func select(_ columns: SQLFragment) -> SQLFragment {
    select(columns, from: source, where: "\(linkedKey) = \(key)")
  }

  private func select(
    _ columns: SQLFragment, from source: SQLFragment, where condition: SQLFragment
  ) -> SQLFragment {
    let sql: SQLFragment = "SELECT \(columns) FROM \(source) WHERE \(condition)"
    return filter.map { "\(sql) AND (\($0))" } ?? sql
  }

  /// The number of the rows.
  var count: SQLFragment {
    guard let pairs, filter == nil else { return "(\(select("count(*)")))" }
    return "(SELECT count(*) FROM \(pairs) WHERE \(linkedKey) = \(key))"
  }

  /// Whether one of the rows satisfies a condition.
  ///
  /// - Parameter isOfRowAlone: Whether the condition is about nothing but the row. Then its rows are found once, and not
  ///   once more for each row that they are linked with.
  func contains(where condition: SQLFragment, isOfRowAlone: Bool, isNegated: Bool) -> SQLFragment {
    let prefix: SQLFragment = isNegated ? "NOT " : ""
    guard isOfRowAlone, filter == nil, !isNullable else {
      return "\(prefix)EXISTS (\(select("1")) AND (\(condition)))"
    }
    let keys = select(linkedKey, from: source, where: "\(linkedKey) IS NOT NULL")
    return "\(key) \(prefix)IN (\(keys) AND (\(condition)))"
  }
}

/// The link from a row to the rows of a to-many relationship.
package enum SQLLink: Sendable, Hashable {
  /// A column of the destination's table that holds this row's primary key.
  case inverse(column: String)
  /// A table of pairs, for relationships that are to-many on both sides.
  case joinTable(String, source: String, destination: String)
}

/// A row in a query: a table with its alias.
struct SQLRow {
  let table: SQLTable
  let alias: String

  /// Its primary key.
  var key: SQLFragment { column(table.primaryKey) }

  func column(_ name: String) -> SQLFragment { "\(identifier: alias).\(identifier: name)" }
}

/// The meaning of names at a place in a predicate.
struct SQLScope {
  /// SELF.
  let row: SQLRow
  /// The variables of the enclosing SUBQUERY expressions.
  var variables: [String: SQLRow] = [:]
}

/// The kind of a column's values in expressions.
package enum SQLValueType: Sendable, Hashable {
  case boolean
  case integer16
  case integer32
  case integer64
  case real
  case string
  /// Seconds since 2001.
  case date
  /// Sixteen bytes.
  case uuid
  /// The text of a URL.
  case url
  case data
  /// Values that cannot be compared in SQL, such as decimals and transformed values. Only `== nil` is possible.
  case other

  var type: SQLOperand.Kind {
    switch self {
    case .boolean: .number(.integer(0...1))
    case .integer16: .number(.integer(-0x8000...0x7FFF))
    case .integer32: .number(.integer(-0x8000_0000...0x7FFF_FFFF))
    case .integer64: .number(.integer(.min ... .max))
    case .real: .number(.real)
    case .string: .text
    case .date: .date
    case .uuid: .uuid
    case .url: .url
    case .data: .data
    case .other: .other
    }
  }
}

/// The kind of numbers: real, or whole within bounds.
///
/// SQLite continues with a real number when whole numbers overflow. Bounds show beforehand whether that can happen.
enum SQLNumberKind: Hashable {
  case integer(ClosedRange<Int64>)
  case real

  /// The bounds of a result, or `nil` if it may overflow.
  static func apply(_ symbol: ArithmeticOperator, _ left: SQLNumberKind, _ right: SQLNumberKind) -> SQLNumberKind? {
    guard case .integer(let left) = left, case .integer(let right) = right else { return .real }
    let corners = [left.lowerBound, left.upperBound].flatMap { first in
      [right.lowerBound, right.upperBound].map { second in apply(symbol, first, second) }
    }
    guard !corners.contains(where: \.overflow) else { return nil }
    let values = corners.map(\.partialValue)
    guard let lower = values.min(), let upper = values.max() else { return nil }
    return .integer(lower...upper)
  }

  /// All operators are monotone on either side, for a divisor that is one constant, so that the corners bound the rest.
  private static func apply(
    _ symbol: ArithmeticOperator, _ left: Int64, _ right: Int64
  ) -> (partialValue: Int64, overflow: Bool) {
    switch symbol {
    case .add: left.addingReportingOverflow(right)
    case .subtract: left.subtractingReportingOverflow(right)
    case .multiply: left.multipliedReportingOverflow(by: right)
    case .divide: left.dividedReportingOverflow(by: right)
    case .power: (0, true)
    }
  }
}
