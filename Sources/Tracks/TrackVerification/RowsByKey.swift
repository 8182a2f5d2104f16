internal import SQLiteDatabase

/// Rows in the order of their keys, which are asked for in nearly the same order.
///
/// To step to the next row takes a small part of the time of looking it up.
final class RowsByKey {
  /// Rows that are further away are looked up.
  private static let distance: Int64 = 64

  private let statement: Statement
  private var (asked, current): (Int64?, Int64?) = (nil, nil)

  /// - Parameter statement: The rows from a key on, which is its parameter and their first column, in order.
  init(_ statement: Statement) { self.statement = statement }

  /// Calls a closure with each row that has a key.
  func forEach(_ key: Int64, _ body: (Statement) throws -> Void) throws {
    let isNear = asked.map { key > $0 && key &- $0 > 0 && key &- $0 <= Self.distance } ?? false
    asked = key
    if !isNear {
      statement.reset()
      try statement.bind(key, at: 1)
      try advance()
    }
    while let found = current, found <= key {
      if found == key { try body(statement) }
      try advance()
    }
  }

  private func advance() throws {
    current = nil
    // What is no integer is no key.
    while try current == nil && statement.step() {
      if statement.storageClass(0) == .integer { current = statement.integer(0) }
    }
  }
}

/// A set of keys, of which most follow each other.
struct KeySet {
  private var run: ClosedRange<Int64>?
  private var others: Set<Int64> = []

  var count: Int { others.count + (run?.count ?? 0) }

  func contains(_ key: Int64) -> Bool { run?.contains(key) == true || others.contains(key) }

  mutating func insert(_ key: Int64) {
    guard let known = run else { return run = key...key }
    if known.contains(key) { return }
    // It may be one of the others, which the run must not reach.
    if known.upperBound < .max, key == known.upperBound + 1, others.isEmpty || others.remove(key) == nil {
      run = known.lowerBound...key
    } else {
      others.insert(key)
    }
  }
}
