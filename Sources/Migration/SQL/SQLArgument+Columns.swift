internal import DataModel
package import Expressions
internal import PersistentStore
package import SQLite

extension SQLArgument {
  /// An attribute's value as its column holds it.
  static func column(_ value: AttributeValue) -> SQLArgument {
    switch ColumnValue(value) {
    case .null: .null
    case .integer(let integer): .integer(integer)
    case .real(let real): .real(real)
    case .text(let text): .text(text)
    case .blob(let bytes): .blob(bytes)
    }
  }

  /// Binds the value.
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
