internal import PersistentStore
internal import SQLiteDatabase
internal import Verification

/// All tracks of both libraries, some at a time in the order of their keys.
///
/// Threads read ranges of keys ahead. What is large, the thread that takes the batches reads itself, one row after the
/// other, so that memory does not grow with the number of threads.
final class TrackBatches {
  /// Reading the rows of smaller libraries takes no longer than to start threads.
  private static let leastSizeForThreads: Int64 = 2 << 20
  /// Each thread has page caches and batches; more would wait for the disk, or for the thread that takes the batches.
  private static let mostThreads = 8

  private let ranges: KeyRanges
  private let reader: TrackBatchReader
  private let pipeline: OrderedPipeline<ClosedRange<Int64>, Result<TrackBatch, any Error>>?
  /// The number of ranges that have been begun.
  private var rangeCount = 0
  private var rest: ClosedRange<Int64>?

  /// Begins to read the tracks of an entity; `nil` if one of the libraries has no such tracks.
  init?(_ route: RowRoute, old: StoreSide, new: StoreSide, _ reading: TrackReading) throws {
    let tables = [(old, route.source), (new, route.destination)]
    guard let reader = try TrackBatchReader(route, old: old, new: new, reading) else { return nil }
    self.reader = reader
    ranges = KeyRanges(
      try tables.map { side, entity in
        try side.schema.table(forEntityNamed: entity).flatMap { try side.connection.keyRange(ofTable: $0.name) }
      })
    let threadCount = min(ProcessUsage.processorCount, Self.mostThreads)
    guard threadCount > 1, ranges.count > threadCount, old.reader.usedSize > Self.leastSizeForThreads else {
      pipeline = nil
      return
    }
    pipeline = OrderedPipeline(
      capacity: threadCount * 2,
      try (0..<threadCount).compactMap { _ in
        try TrackBatchReader(route, old: old.onOtherThread(), new: new.onOtherThread(), reading).map { reader in
          { range in Result { try reader.read(range, readsLargeRows: false) } }
        }
      })
  }

  /// Takes the next batch; `nil` if there is none.
  func next() throws -> TrackBatch? {
    let batch: TrackBatch?
    if let rest {
      batch = try reader.read(rest, readsLargeRows: true)
    } else if let pipeline {
      while rangeCount < ranges.count, !pipeline.isFull { pipeline.put(beginRange()) }
      batch = try pipeline.take()?.get()
    } else {
      batch = rangeCount < ranges.count ? try reader.read(beginRange(), readsLargeRows: true) : nil
    }
    rest = batch?.rest
    return batch
  }

  private func beginRange() -> ClosedRange<Int64> {
    rangeCount += 1
    return ranges[rangeCount - 1]
  }
}
