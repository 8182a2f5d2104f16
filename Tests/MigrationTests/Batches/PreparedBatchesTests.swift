import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

@testable import Migration

/// Batches that threads prepare, and their order.
struct PreparedBatchesTests {
  private let folder: TemporaryFolder
  private let reader: StoreReader
  private let ranges: KeyRanges

  /// 20,000 rows, many of them close together at both ends of a wide gap.
  init() throws {
    folder = try TemporaryFolder()
    let path = folder.file("Library.sqlite")
    try TrackLibraryBuilder().write(to: path)
    try Database.run(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
      INSERT INTO ZTRACK (Z_PK, Z_ENT, Z_OPT, ZTITLE)
        SELECT CASE WHEN i > 14000 THEN i + 900000000 ELSE i END, 1, 1, 'Track ' || i FROM n
      """, in: path)
    reader = try StoreReader(path: path)
    ranges = KeyRanges(least: 1, greatest: 900_020_000)
  }

  /// Batches that as many threads prepare, or that are prepared on demand.
  private func batches(_ count: Int, failingAt key: Int64? = nil) throws -> PreparedBatches<KeyCollector> {
    PreparedBatches(
      ranges,
      try (0..<count).map { _ in
        BatchReader(
          try SourceRowCursor(reader.openConnection(), table: "ZTRACK", columns: ["ZTITLE"]),
          KeyCollector(failingAt: key))
      })
  }

  /// The batches of each range.
  private func all(_ feed: PreparedBatches<KeyCollector>) throws -> [[[Int64]]] {
    defer { feed.stop() }
    return try (0..<ranges.count).map { range in
      var batches: [[Int64]] = []
      while let batch = try feed.next(before: range + 1) {
        #expect(batch.rowCount == batch.content.count)
        batches.append(batch.content)
      }
      return batches
    }
  }

  @Test(arguments: [2, 3, 7]) func `The batches are the same for any number of threads`(count: Int) throws {
    let expected = try all(batches(1))
    let keys = expected.joined().joined()
    #expect(Array(keys) == Array(1...14_000) + Array(900_014_001...900_020_000))
    // One range has more rows than a slot has room for batches.
    #expect(expected.contains { $0.count > 4 })
    #expect(try all(batches(count)) == expected)
  }

  @Test(arguments: [1, 3]) func `An error is thrown after the batches that precede it`(count: Int) throws {
    let feed = try batches(count, failingAt: 9_000)
    defer { feed.stop() }
    var keys: [Int64] = []
    let error = #expect(throws: MigrationError.self) {
      while let batch = try feed.next(before: ranges.count) { keys += batch.content }
    }
    #expect(error?.subject.row == 9_000)
    #expect(keys == Array(1...8_192))
  }

  @Test(arguments: [1, 2]) func `A finished feed stays finished`(count: Int) throws {
    let feed = try batches(count)
    while try feed.next(before: .max) != nil {}
    #expect(try feed.next(before: .max) == nil)
    #expect(try feed.next(before: .max) == nil)
    feed.stop()
  }

  @Test func `Stopping a feed ends its threads`() throws {
    for taken in 0..<6 {
      let feed = try batches(3)
      for _ in 0..<taken { _ = try feed.next(before: .max) }
      feed.stop()
      feed.stop()
    }
  }

  private struct KeyCollector: RowPreparer {
    let failingKey: Int64?
    var keys: [Int64] = []

    init(failingAt key: Int64?) { failingKey = key }

    var byteCount: Int { keys.count * 8 }

    mutating func prepare(_ row: SourceRow) throws(MigrationError) {
      if row.primaryKey == failingKey {
        throw MigrationError(.policyFailed, MigrationError.Subject(row: row.primaryKey), detail: "as wanted")
      }
      keys.append(row.primaryKey)
    }

    mutating func takeBatch() -> [Int64] {
      defer { keys = [] }
      return keys
    }
  }
}
