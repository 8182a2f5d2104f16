internal import Diagnostics

/// Hands out the batches of one range of keys after the other, in the order of the rows.
protocol BatchFeed<Content>: AnyObject {
  associatedtype Content: Sendable

  /// The next batch of the current range; `nil` at its end, after which the next range is the current one.
  func next() throws(MigrationError) -> PreparedBatch<Content>?

  /// Ends the reading: what the feed reads with is free afterwards.
  func stop()
}

/// Prepares each batch when it is asked for.
final class SerialBatchFeed<Preparer: RowPreparer>: BatchFeed {
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
