internal import MigrationDiagnostics
internal import PersistentStore

/// Returns the batches of one range of keys after the other, in the order of the rows.
protocol PreparedBatches<Content>: AnyObject {
  associatedtype Content: Sendable

  /// The next batch of the current range; `nil` at its end, after which the next range becomes the current one.
  func next() throws(MigrationError) -> PreparedBatch<Content>?

  /// Stops reading; the feed's connections are free afterwards.
  func stop()
}

/// Prepares each batch on demand.
final class SerialBatchFeed<Preparer: RowPreparer>: PreparedBatches {
  private let ranges: KeyRanges
  private var place = 0
  private var isBegun = false
  private var reader: BatchReader<Preparer>

  init(_ ranges: KeyRanges, _ reader: BatchReader<Preparer>) {
    self.ranges = ranges
    self.reader = reader
  }

  func next() throws(MigrationError) -> PreparedBatch<Preparer.Batch>? {
    guard place < ranges.count else { return nil }
    if !isBegun { try reader.begin(ranges[place]) }
    isBegun = true
    if let batch = try reader.next() { return batch }
    (place, isBegun) = (place + 1, false)
    return nil
  }

  func stop() {}
}

/// Passes batches prepared by threads to a policy, which applies them.
final class BatchApplier<Policy: BatchMigrationPolicy> {
  /// The keys of the rows, in the ranges in which they are prepared.
  let ranges: KeyRanges
  /// The number of rows whose batches have been applied.
  private(set) var rowCount = 0

  private let policy: Policy
  private let mapping: EntityMapping
  private let feed: any PreparedBatches<Policy.Preparer.Batch>
  /// The number of ranges whose batches have been applied.
  private var place = 0

  init(
    _ policy: Policy, _ mapping: EntityMapping, _ ranges: KeyRanges, _ feed: any PreparedBatches<Policy.Preparer.Batch>
  ) {
    self.policy = policy
    self.mapping = mapping
    self.ranges = ranges
    self.feed = feed
  }

  /// Applies the batches of all ranges before an index, waiting for those still being prepared.
  func applyRanges(before end: Int, _ manager: MigrationManager, didApply: () -> Void = {}) throws {
    while place < min(end, ranges.count) {
      guard let batch = try feed.next() else {
        place += 1
        continue
      }
      try policy.apply(batch.content, in: mapping, manager: manager)
      try manager.checkCancellation()
      try manager.destinationObjects.flushIfNeeded()
      rowCount += batch.rowCount
      didApply()
    }
  }

  /// Stops reading, even if not everything has been read.
  func stop() { feed.stop() }
}

/// The rows that a batch policy reads, as columns of a table.
struct BatchRows: Sendable {
  let table: String
  let columns: [String]
  let filter: String?
}

/// Reads and prepares rows: the work of one thread, with its own connection and preparer.
struct BatchReader<Preparer: RowPreparer> {
  private let cursor: SourceRowCursor
  private var preparer: Preparer

  /// Large enough that the cost of handing over is negligible, small enough that a batch stays in the processor's
  /// cache.
  private static var rowsPerBatch: Int { 1024 }

  /// The maximum size of a batch with fewer rows.
  private static var bytesPerBatch: Int { 4 << 20 }

  init(_ rows: BatchRows, _ connection: SourceConnection, _ preparer: Preparer) throws(MigrationError) {
    cursor = try SourceRowCursor(connection, table: rows.table, columns: rows.columns, filter: rows.filter)
    self.preparer = preparer
  }

  /// Starts with the rows in a range of keys.
  func begin(_ keys: ClosedRange<Int64>) throws(MigrationError) { try cursor.begin(keys) }

  /// The next rows, prepared; `nil` if there are none left.
  mutating func next() throws(MigrationError) -> PreparedBatch<Preparer.Batch>? {
    var count = 0
    while count < Self.rowsPerBatch, preparer.byteCount < Self.bytesPerBatch, let row = try cursor.next() {
      try preparer.prepare(row)
      count += 1
    }
    return count == 0 ? nil : PreparedBatch(content: preparer.takeBatch(), rowCount: count)
  }
}

/// The results prepared from a run of rows.
struct PreparedBatch<Content: Sendable>: Sendable {
  let content: Content
  let rowCount: Int
}

/// The primary keys of a table, split into ranges that can be read independently.
///
/// How a table is split depends only on its keys, never on the number of threads.
struct KeyRanges: Sendable, Hashable {
  private let least: Int64
  let greatest: Int64
  /// The number of keys in each range except the last.
  private let span: UInt64
  let count: Int

  /// If keys are consecutive, a range contains this many rows.
  private static let denseSpan: UInt64 = 1024
  /// If there are large gaps, ranges become wider rather than more numerous.
  private static let maximumCount: UInt64 = 1 << 16

  /// Splits the keys from the least to the greatest.
  init(least: Int64, greatest: Int64) {
    self.least = least
    self.greatest = greatest
    guard least <= greatest else {
      (span, count) = (Self.denseSpan, 0)
      return
    }
    let distance = UInt64(bitPattern: greatest &- least)
    let isDense = distance / Self.denseSpan < Self.maximumCount
    span = isDense ? Self.denseSpan : distance / Self.maximumCount + 1
    count = Int(distance / span) + 1
  }

  /// The number of ranges copied at a time.
  static let rangesPerSlice = 4

  /// All keys, in larger ranges.
  var slices: [ClosedRange<Int64>] {
    stride(from: 0, to: count, by: Self.rangesPerSlice).map { start in
      self[places: start..<min(start + Self.rangesPerSlice, count)]
    }
  }

  /// The number of keys from the least to the greatest.
  var keyCount: Int64 {
    guard count > 0 else { return 0 }
    let distance = UInt64(bitPattern: greatest &- least)
    return distance < UInt64(Int64.max) ? Int64(distance) + 1 : .max
  }

  subscript(place: Int) -> ClosedRange<Int64> { self[places: place..<(place + 1)] }

  /// The keys of several consecutive ranges.
  subscript(places places: Range<Int>) -> ClosedRange<Int64> {
    let lower = least &+ Int64(bitPattern: UInt64(places.lowerBound) * span)
    guard places.upperBound < count else { return lower...max(lower, greatest) }
    return lower...(least &+ Int64(bitPattern: UInt64(places.upperBound) * span) - 1)
  }
}
