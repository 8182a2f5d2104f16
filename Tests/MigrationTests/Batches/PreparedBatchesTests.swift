import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

@testable import Migration

/// Batches that threads prepare, and their order.
struct BatchFeedTests {
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

  private func batchReader(_ connection: SourceConnection, failingAt key: Int64? = nil) throws -> BatchReader<
    KeyCollector
  > {
    try BatchReader(
      BatchRows(table: "ZTRACK", columns: ["ZTITLE"], filter: nil), connection, KeyCollector(failingAt: key))
  }

  private func parallel(_ count: Int, failingAt key: Int64? = nil) throws -> ParallelPreparedBatches<KeyCollector> {
    ParallelPreparedBatches(
      ranges, try (0..<count).map { _ in try batchReader(reader.openConnection(), failingAt: key) })
  }

  /// The batches of each range.
  private func all(_ feed: any PreparedBatches<[Int64]>) throws -> [[[Int64]]] {
    defer { feed.stop() }
    return try (0..<ranges.count).map { _ in
      var batches: [[Int64]] = []
      while let batch = try feed.next() {
        #expect(batch.rowCount == batch.content.count)
        batches.append(batch.content)
      }
      return batches
    }
  }

  @Test(arguments: [1, 2, 3, 7]) func `The batches are the same for any number of threads`(count: Int) throws {
    let expected = try all(SerialBatchFeed(ranges, batchReader(reader.sourceConnection)))
    let keys = expected.joined().joined()
    #expect(Array(keys) == Array(1...14_000) + Array(900_014_001...900_020_000))
    // One range has more rows than a slot has room for batches.
    #expect(expected.contains { $0.count > 4 })
    #expect(try all(parallel(count)) == expected)
  }

  @Test(arguments: [1, 3]) func `An error is thrown after the batches that precede it`(count: Int) throws {
    let feed = try parallel(count, failingAt: 9_000)
    defer { feed.stop() }
    var keys: [Int64] = []
    let error = #expect(throws: MigrationError.self) {
      for _ in 0..<ranges.count { while let batch = try feed.next() { keys += batch.content } }
    }
    #expect(error?.subject.row == 9_000)
    #expect(keys == Array(1...8_192))
  }

  @Test func `A finished feed stays finished`() throws {
    for feed in [SerialBatchFeed(ranges, try batchReader(reader.sourceConnection)), try parallel(2)]
      as [any PreparedBatches<[Int64]>]
    {
      for _ in 0..<ranges.count { while try feed.next() != nil {} }
      #expect(try feed.next() == nil)
      #expect(try feed.next() == nil)
      feed.stop()
    }
  }

  @Test func `Stopping a feed ends its threads`() throws {
    for taken in 0..<6 {
      let feed = try parallel(3)
      for _ in 0..<taken { _ = try feed.next() }
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
