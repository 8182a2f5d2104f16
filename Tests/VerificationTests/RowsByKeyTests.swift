import SQLiteDatabase
import TestSupport
import Testing

@testable import TrackVerification

struct RowsByKeyTests {
  @Test func `Rows are found by keys in any order`() throws {
    let connection = try Connection(path: "", access: .temporary)
    try connection.execute("CREATE TABLE t (k, v)")
    let keys: [Int64] = [-3, 1, 2, 2, 3, 5, 60, 200, 201, .max]
    for (place, key) in keys.enumerated() { try connection.execute("INSERT INTO t VALUES (\(key), \(place))") }
    try connection.execute("INSERT INTO t VALUES (2.5, 90), ('2', 91), (NULL, 92)")
    let rows = RowsByKey(try connection.prepare("SELECT k, v FROM t WHERE k >= ? ORDER BY k, v"))
    func found(_ key: Int64) throws -> [Int64] {
      var places: [Int64] = []
      try rows.forEach(key) { places.append($0.integer(1)) }
      return places
    }
    var generator = SystemRandomNumberGenerator()
    let asked = keys + [2, 2, 1, 4, 4, 2, 61, 200, 199, .max, .max, .min] + keys.shuffled(using: &generator)
    for key in asked {
      let expected = keys.indices.filter { keys[$0] == key }.map(Int64.init)
      #expect(try found(key) == expected, "\(key)")
    }
  }

  @Test func `A set of keys has what was inserted, in any order`() {
    var keys = KeySet()
    var known: Set<Int64> = []
    for key: Int64 in [5, 6, 7, 9, 8, 9, 10, 4, 5, .max, .min, 11, 8] {
      keys.insert(key)
      known.insert(key)
      #expect(keys.count == known.count)
      #expect((Int64(0)...12).allSatisfy { keys.contains($0) == known.contains($0) })
    }
    #expect(keys.contains(.max) && keys.contains(.min))
  }
}
