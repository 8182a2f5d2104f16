package import Expressions
package import SQLite

extension Connection {
  /// Compiles a fragment with its arguments and the functions that it calls.
  ///
  /// The label matters: without it, a literal with pieces would be taken for plain text.
  package func prepare(fragment: SQLFragment) throws(SQLiteError) -> Statement {
    for function in fragment.functions { try create(function) }
    let statement = try prepare(fragment.sql)
    for (index, argument) in zip(Int32(1)..., fragment.arguments) { try argument.bind(to: statement, at: index) }
    return statement
  }

  /// Makes a function of the expression engine callable.
  package func create(_ function: SQLFunction) throws(SQLiteError) {
    // SQLite refuses to replace a function while a statement runs, such as the one whose rows somebody asks about.
    guard !hasFunction(named: function.name) else { return }
    try createFunction(function.name, argumentCount: 1) { texts in
      function.apply(texts.first ?? nil).map { .text($0) } ?? .null
    }
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
