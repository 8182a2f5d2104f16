import Migration
import TestSupport
import Testing

struct LookupTableTests {
  private func insert(_ key: String, _ value: Int64, into table: LookupTable) -> (value: Int64, isNew: Bool) {
    Array(key.utf8).withUnsafeBytes { bytes in table.value(forKey: bytes) { value } }
  }

  @Test func `The first value of a key is kept`() {
    let table = LookupTable()
    #expect(table["a"] == nil)
    #expect(insert("a", 7, into: table) == (7, true))
    #expect(insert("a", 8, into: table) == (7, false))
    #expect(table["a"] == 7)
    #expect(table.count == 1)
  }

  @Test(arguments: [
    ("é", "e\u{301}"), ("A", "a"), ("a", "a "), ("", "\0"), ("a", "a\0"), ("ß", "ss"), ("Å", "\u{212B}"), ("ab", "ba"),
  ])
  func `Keys are compared as bytes`(first: String, second: String) {
    let table = LookupTable()
    #expect(insert(first, 1, into: table).isNew)
    #expect(insert(second, 2, into: table).isNew)
    #expect(table[first] == 1)
    #expect(table[second] == 2)
  }

  @Test func `Bytes that are not text can be keys`() {
    let table = LookupTable()
    for key in [[0xFF], [0xFF, 0xFE], [], [0]] as [[UInt8]] {
      #expect(key.withUnsafeBytes { bytes in table.value(forKey: bytes) { Int64(key.count) } }.isNew)
    }
    #expect([0xFF, 0xFE].map(UInt8.init).withUnsafeBytes { table.value(forKey: $0) } == 2)
    #expect(table.value(forKey: UnsafeRawBufferPointer(start: nil, count: 0)) == 0)
  }

  @Test func `A hundred thousand keys are kept`() {
    let table = LookupTable()
    for number in 0..<100_000 { #expect(insert("artist \(number)", Int64(number), into: table).isNew) }
    #expect(table.count == 100_000)
    for number in 0..<100_000 where table["artist \(number)"] != Int64(number) {
      Issue.record("key \(number) is lost")
    }
    #expect(table["artist 100000"] == nil)
  }

  @Test(.enabled(if: Rounds.areMany, "make differential runs it"))
  func `More keys are kept than the bits of hashes that are kept can tell apart`() {
    let table = LookupTable()
    // The table has more than 2²⁴ slots from here on, which takes half a minute.
    let count: UInt32 = (5 << 21) + 1
    for number in 0..<count {
      withUnsafeBytes(of: number) { _ = table.insert(Int64(number), forKey: $0, hash: LookupTable.hash($0)) }
    }
    for number in stride(from: 0, to: count, by: 1009) {
      #expect(withUnsafeBytes(of: number) { table.value(forKey: $0) } == Int64(number))
    }
    #expect(withUnsafeBytes(of: count) { table.value(forKey: $0) } == nil)
  }

  @Test func `An error in making a value leaves no key`() {
    struct Failure: Error {}
    let table = LookupTable()
    #expect(throws: Failure.self) {
      try Array("a".utf8).withUnsafeBytes { bytes in
        try table.value(forKey: bytes) { () throws(Failure) in throw Failure() }
      }
    }
    #expect(table.count == 0)
    #expect(table["a"] == nil)
  }

  @Test(arguments: [1, 40, 1000])
  func `Making a value may add other keys`(count: Int) {
    let table = LookupTable()
    // As many keys as there are slots: one of them takes the place that was found for the outer key.
    Array("outer".utf8).withUnsafeBytes { bytes in
      let result = table.value(forKey: bytes) {
        for number in 0..<count { _ = insert("inner \(number)", Int64(number), into: table) }
        return -1
      }
      #expect(result == (-1, true))
    }
    #expect(table["outer"] == -1)
    for number in 0..<count { #expect(table["inner \(number)"] == Int64(number)) }
    #expect(table.count == count + 1)
  }

  @Test func `Making a value may add the key itself`() {
    let table = LookupTable()
    let result = Array("a".utf8).withUnsafeBytes { bytes in
      table.value(forKey: bytes) {
        _ = insert("a", 1, into: table)
        return 2
      }
    }
    #expect(result == (1, false))
    #expect(table["a"] == 1)
    #expect(table.count == 1)
  }
}
