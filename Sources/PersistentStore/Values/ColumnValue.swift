package import DataModel
package import SQLite

/// A value as it stands in a column.
package enum ColumnValue: Sendable, Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

  /// The column's form of an attribute's value.
  package init(_ value: AttributeValue?) {
    self =
      switch value {
      case nil: .null
      case .integer(let integer): .integer(integer)
      case .double(let double), .date(let double): .real(double)
      case .string(let text), .uri(let text): .text(text)
      case .boolean(let boolean): .integer(boolean ? 1 : 0)
      case .data(let bytes), .uuid(let bytes): .blob(bytes)
      }
  }

  /// Reads a column of the current row.
  package init(_ statement: Statement, _ column: Int) {
    self =
      switch statement.storageClass(column) {
      case .null: .null
      case .integer: .integer(statement.integer(column))
      case .real: .real(statement.real(column))
      case .text: .text(statement.text(column) ?? "")
      case .blob: .blob(statement.blob(column) ?? [])
      }
  }

  /// The attribute's value behind what a column holds, or `nil` for NULL and for what does not fit the type.
  package func attributeValue(_ type: AttributeType) -> AttributeValue? {
    switch (type, self) {
    case (_, .null): nil
    case (.boolean, .integer(let integer)): .boolean(integer != 0)
    case (.date, .integer(let integer)): Double(exactly: integer).map { .date($0) } ?? .integer(integer)
    case (.date, .real(let real)): .date(real)
    case (.double, .integer(let integer)), (.float, .integer(let integer)), (.decimal, .integer(let integer)):
      // A whole number that a double cannot hold stays what it is.
      Double(exactly: integer).map { .double($0) } ?? .integer(integer)
    case (.uri, .text(let text)): .uri(text)
    case (.uuid, .blob(let bytes)): .uuid(bytes)
    case (_, .integer(let integer)): .integer(integer)
    case (_, .real(let real)): .double(real)
    case (_, .text(let text)): .string(text)
    case (_, .blob(let bytes)): .data(bytes)
    }
  }

  package func bind(to statement: Statement, at index: Int32) throws(SQLiteError) {
    switch self {
    case .null: try statement.bindNull(at: index)
    case .integer(let integer): try statement.bind(integer, at: index)
    case .real(let real): try statement.bind(real, at: index)
    case .text(let text): try statement.bind(text, at: index)
    case .blob(let bytes): try statement.bind(bytes, at: index)
    }
  }
}
