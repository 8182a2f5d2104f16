internal import SQLite

/// Statements on instances of an entity that are used again and again.
struct StatementCache {
  struct Key: Hashable {
    enum Purpose: Hashable {
      case load
      case insert
      case update
      case delete
      /// Follows the relationship of this place.
      case follow(Int)
      /// The same without a look at the destinations' own rows.
      case followKeys(Int)
    }

    let purpose: Purpose
    let entityNumber: Int32
  }

  private var statements: [Key: Statement] = [:]

  mutating func statement(
    _ purpose: Key.Purpose, _ layout: EntityLayout, _ make: () throws(SQLiteError) -> Statement
  ) throws(SQLiteError) -> Statement {
    let key = Key(purpose: purpose, entityNumber: layout.number)
    if let statement = statements[key] { return statement }
    let statement = try make()
    statements[key] = statement
    return statement
  }

  /// Releases what keeps the store open.
  mutating func removeAll() { statements = [:] }
}
