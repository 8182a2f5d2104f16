/// Tells how a store keeps the properties of its entities.
package protocol SQLSchema {
  /// How a property is kept, or `nil` if the entity has none of that name.
  func property(_ key: String, of entity: String) -> SQLProperty?

  /// The name under which the store is attached to the connection; without one, its tables are called by their plain
  /// names.
  ///
  /// It is what tells the store's tables from those of the same names in another.
  var databaseName: String? { get }
  /// Whether the store keeps its text as UTF-8, so that SQLite, which compares bytes, gives it the order of its Unicode
  /// scalars.
  var keepsTextAsUTF8: Bool { get }
}

extension SQLSchema {
  /// No name: the store is the connection's own.
  package var databaseName: String? { nil }

  /// UTF-8, as Core Data writes it.
  package var keepsTextAsUTF8: Bool { true }
}

/// The table of an entity.
package struct SQLTable: Sendable, Hashable {
  /// The entity whose keys a path through this table is made of.
  package let entity: String
  /// The table, which entities of one hierarchy share.
  package let name: String
  /// The column of the primary key.
  package let primaryKey: String

  /// Describes a table.
  ///
  /// - Parameters:
  ///   - entity: The entity whose keys a path through this table is made of.
  ///   - name: The table, which entities of one hierarchy share.
  ///   - primaryKey: The column of the primary key.
  package init(entity: String, name: String, primaryKey: String = "Z_PK") {
    self.entity = entity
    self.name = name
    self.primaryKey = primaryKey
  }
}

/// How a store keeps a property.
///
/// Names are plain; the compiler quotes them.
package enum SQLProperty: Sendable, Hashable {
  /// A column of the entity's table.
  case attribute(column: String, type: SQLValueType)
  /// A column that holds the primary key of the other row.
  case toOne(column: String, destination: SQLTable)
  /// Rows elsewhere that hold the primary key of this one.
  case toMany(destination: SQLTable, link: SQLLink)
}

/// The rows of a to-many relationship, seen from one row.
struct SQLToManyQuery {
  /// The row at the other end, by whose alias its columns are named.
  let row: SQLRow
  /// `FROM` and the condition that links the rows.
  let source: SQLFragment
  let link: SQLFragment
  /// The primary key that the link starts from, if the path to it may end at nil.
  let nullableKey: SQLFragment?
  /// What a SUBQUERY asks of the rows besides.
  var filter: SQLFragment?
  /// What follows the relationship in the path.
  var rest: [KeyPathComponent]
  /// The whole, for messages.
  let part: String

  /// A query of the rows.
  func select(_ columns: SQLFragment, where condition: SQLFragment? = nil) -> SQLFragment {
    var sql: SQLFragment = "SELECT \(columns) FROM \(source) WHERE \(link)"
    if let filter { sql.append(" AND (\(filter))") }
    if let condition { sql.append(" AND (\(condition))") }
    return sql
  }
}

/// What leads from a row to the many rows of a relationship.
package enum SQLLink: Sendable, Hashable {
  /// A column of the destination's table that holds this row's primary key.
  case inverse(column: String)
  /// A table of pairs, for relationships that are to-many on both sides.
  case joinTable(String, source: String, destination: String)
}

/// A row that keys are asked of: a table under the name that it has in a query.
struct SQLRow {
  let table: SQLTable
  let alias: String

  /// Its primary key.
  var key: SQLFragment { column(table.primaryKey) }

  func column(_ name: String) -> SQLFragment { "\(identifier: alias).\(identifier: name)" }
}

/// What names mean at some place of a predicate.
struct SQLScope {
  /// SELF.
  let row: SQLRow
  /// The variables of the SUBQUERY expressions around.
  var variables: [String: SQLRow] = [:]
}

/// What the values of a column are to expressions.
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
  /// What cannot be compared in SQL, such as decimals and transformed values. Only `== nil` is possible.
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

/// What is known of numbers: real, or whole ones within bounds.
///
/// SQLite goes on with a real number when whole ones overflow. Bounds tell beforehand whether that can happen.
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
