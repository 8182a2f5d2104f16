internal import Expressions
internal import SQLite

extension Connection {
  /// Compiles a fragment with its arguments.
  ///
  /// The label matters: without it, a literal with pieces would be taken for plain text.
  func prepare(fragment: SQLFragment) throws(SQLiteError) -> Statement {
    let statement = try prepare(fragment.sql)
    for (index, argument) in zip(Int32(1)..., fragment.arguments) {
      switch argument {
      case .null: try statement.bindNull(at: index)
      case .integer(let integer): try statement.bind(integer, at: index)
      case .real(let real): try statement.bind(real, at: index)
      case .text(let text): try statement.bind(text, at: index)
      case .blob(let bytes): try statement.bind(bytes, at: index)
      }
    }
    return statement
  }

  /// Runs a fragment, and gives the number of rows that it has changed.
  func run(fragment: SQLFragment) throws(SQLiteError) -> Int {
    try prepare(fragment: fragment).run()
    return changes
  }

  /// The first column of the first row of a query, as an integer; `nil` without a row or for NULL.
  func integer(fragment: SQLFragment) throws(SQLiteError) -> Int64? {
    let statement = try prepare(fragment: fragment)
    guard try statement.step(), !statement.isNull(0) else { return nil }
    return statement.integer(0)
  }
}
