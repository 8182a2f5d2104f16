internal import Foundation
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

  private let ranges: RowRanges
  private let reader: TrackBatchReader
  private let work: OrderedWork<TrackBatch>?
  private var range = 0
  private var rest: ClosedRange<Int64>?

  /// Begins to read the tracks of an entity; `nil` if one of the libraries has no such tracks.
  init?(_ route: RowRoute, old: StoreSide, new: StoreSide, _ reading: TrackReading) throws {
    let tables = [(old, route.source), (new, route.destination)]
    guard let reader = try TrackBatchReader(route, old: old, new: new, reading) else { return nil }
    self.reader = reader
    ranges = try RowRanges(
      tables.compactMap { side, entity in
        side.schema.table(forEntityNamed: entity).map { (side, $0.name) }
      })
    let threadCount = min(ProcessInfo.processInfo.activeProcessorCount, Self.mostThreads)
    guard threadCount > 1, ranges.count > threadCount, old.reader.usedSize > Self.leastSizeForThreads else {
      work = nil
      return
    }
    work = try OrderedWork(count: ranges.count, limit: threadCount * 2) { [ranges] start in
      for _ in 0..<threadCount {
        guard let reader = try TrackBatchReader(route, old: old.onOtherThread(), new: new.onOtherThread(), reading)
        else { continue }
        start { try reader.read(ranges[$0], readsLargeRows: false) }
      }
    }
  }

  /// Takes the next batch; `nil` if there is none.
  func next() throws -> TrackBatch? {
    let batch: TrackBatch
    if let rest {
      batch = try reader.read(rest, readsLargeRows: true)
    } else {
      guard range < ranges.count else { return nil }
      batch = try work?.take() ?? reader.read(ranges[range], readsLargeRows: true)
      range += 1
    }
    rest = batch.rest
    return batch
  }
}

/// The keys of several tables, split into ranges that can be read independently.
struct RowRanges: Sendable {
  private let least: Int64
  private let greatest: Int64
  /// The number of keys in each range except the last.
  private let span: UInt64
  let count: Int

  /// The number of rows in a range, where keys are consecutive.
  private static let denseSpan: UInt64 = 1024
  /// The greatest number of ranges: across large gaps they become wider rather than more numerous.
  private static let maximumCount: UInt64 = 1 << 16

  init(_ tables: [(side: StoreSide, name: String)]) throws(SQLiteError) {
    var keys: [Int64] = []
    for (side, name) in tables {
      if let range = try side.keyRange(of: name) { keys += [range.lowerBound, range.upperBound] }
    }
    self.init(least: keys.min() ?? 1, greatest: keys.max() ?? 0)
  }

  init(least: Int64, greatest: Int64) {
    (self.least, self.greatest) = (least, greatest)
    guard least <= greatest else {
      (span, count) = (Self.denseSpan, 0)
      return
    }
    // The distance of two integers always fits.
    let distance = UInt64(bitPattern: greatest &- least)
    let isDense = distance / Self.denseSpan < Self.maximumCount
    span = isDense ? Self.denseSpan : distance / Self.maximumCount + 1
    count = Int(distance / span) + 1
  }

  subscript(place: Int) -> ClosedRange<Int64> {
    let lower = least &+ Int64(bitPattern: UInt64(place) &* span)
    return lower...(place + 1 < count ? lower &+ Int64(bitPattern: span) &- 1 : greatest)
  }
}
