internal import Dispatch
internal import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase
internal import Synchronization
internal import SystemC

/// The rows of a table for a batch policy: read, prepared and taken in the order of their keys.
///
/// With several readers, each has a thread, ahead of the thread that takes the batches. It takes the next range of keys,
/// reads it with its own connection, and puts the results into the range's slot. The slots are emptied in the order of
/// the ranges, so that the result does not depend on which thread was faster. There are few slots, and each holds few
/// batches, so memory stays bounded, no matter how far ahead the threads could get. A single reader prepares each batch
/// on demand, and so does the first one if the system refuses threads.
final class PreparedBatches<Preparer: RowPreparer> {
  typealias Batch = PreparedBatch<Preparer.Batch>
  private typealias Outcome = Result<Batch?, MigrationError>

  /// The pending results from one range of keys; `nil` marks its end.
  private final class Slot: Sendable {
    /// Accessed only on the queue.
    ///
    /// Thread Sanitizer recognises the queue, but cannot see into a `Mutex` on Linux.
    nonisolated(unsafe) private var outcomes: [Outcome] = []
    private let queue = DispatchQueue(label: "Migration.PreparedBatches")
    private let filled = DispatchSemaphore(value: 0)
    /// A range can contain many more rows than a batch; its thread then waits here.
    private let room = DispatchSemaphore(value: 0)

    init() {
      // A semaphore must not be released with a lower value than its initial one.
      for _ in 0..<4 { room.signal() }
    }

    func put(_ outcome: Outcome) {
      room.wait()
      queue.sync { outcomes.append(outcome) }
      filled.signal()
    }

    func take() -> Outcome {
      filled.wait()
      let outcome = queue.sync { outcomes.removeFirst() }
      room.signal()
      return outcome
    }

    /// Lets a thread that waits for room continue.
    func abandon() { for _ in 0..<4 { room.signal() } }
  }

  /// The state shared by the threads.
  private final class Shared: Sendable {
    let ranges: KeyRanges
    let slots: [Slot]
    let nextRange = Atomic(0)
    let isStopped = Atomic(false)
    /// Signalled once for every range that may be started.
    let free = DispatchSemaphore(value: 0)

    init(_ ranges: KeyRanges, slotCount: Int) {
      self.ranges = ranges
      slots = (0..<slotCount).map { _ in Slot() }
      for _ in slots { free.signal() }
    }

    func slot(of range: Int) -> Slot { slots[range % slots.count] }
  }

  /// The keys of the rows.
  var ranges: KeyRanges { shared.ranges }
  private let shared: Shared
  private var threads: [WorkerThread] = []
  /// The reader that prepares on demand.
  private var reader: BatchReader<Preparer>?
  /// The range whose batches are being taken.
  private var range = 0

  /// Starts reading.
  init(_ ranges: KeyRanges, _ readers: [BatchReader<Preparer>]) {
    shared = Shared(ranges, slotCount: readers.count > 1 ? readers.count * 4 : 0)
    for reader in readers where readers.count > 1 {
      let work = UncheckedTransfer { [shared] in Self.read(reader, shared) }
      guard let thread = WorkerThread({ work.content() }) else { break }
      threads.append(thread)
    }
    if threads.isEmpty { reader = readers.first }
  }

  deinit { stop() }

  /// Takes the next batch of the ranges before an index, and waits for it if it is still being prepared; `nil` if all of
  /// them have been taken.
  func next(before end: Int) throws(MigrationError) -> Batch? {
    while range < min(end, ranges.count) {
      let batch = threads.isEmpty ? try reader?.next(in: ranges[range]) : try shared.slot(of: range).take().get()
      if let batch { return batch }
      range += 1
      shared.free.signal()
    }
    return nil
  }

  /// Stops the threads, and waits until they have ended.
  ///
  /// Their connections must not be used for anything else until then.
  func stop() {
    shared.isStopped.store(true, ordering: .sequentiallyConsistent)
    for _ in threads { shared.free.signal() }
    for slot in shared.slots { slot.abandon() }
    for thread in threads { thread.join() }
  }

  private static func read(_ reader: BatchReader<Preparer>, _ shared: Shared) {
    var reader = reader
    while true {
      shared.free.wait()
      let range = shared.nextRange.wrappingAdd(1, ordering: .relaxed).oldValue
      guard range < shared.ranges.count, !shared.isStopped.load(ordering: .sequentiallyConsistent) else { return }
      let slot = shared.slot(of: range)
      do throws(MigrationError) {
        while let batch = try reader.next(in: shared.ranges[range]) {
          slot.put(.success(batch))
          if shared.isStopped.load(ordering: .sequentiallyConsistent) { return }
        }
        slot.put(.success(nil))
      } catch {
        return slot.put(.failure(error))
      }
    }
  }
}

/// The prepared contents of a run of rows.
struct PreparedBatch<Content: Sendable>: Sendable {
  let content: Content
  let rowCount: Int
  /// The rows of the destination, if threads encode them.
  let cells: RowCells?
}

/// Reads and prepares rows: the work of one thread, with its own connection and preparer.
struct BatchReader<Preparer: RowPreparer> {
  private let cursor: SourceRowCursor
  private var preparer: Preparer
  private let layout: RowLayout?
  /// The size of the last batch's cells.
  private var cellSize = 0
  /// The range that is being read.
  private var keys: ClosedRange<Int64>?

  /// Large enough that the cost of handing over is negligible, small enough that a batch stays in the processor's
  /// cache.
  private static var rowsPerBatch: Int { 1024 }

  /// The maximum size of a batch with fewer rows.
  private static var bytesPerBatch: Int { 4 << 20 }

  init(_ cursor: SourceRowCursor, _ preparer: Preparer, _ layout: RowLayout? = nil) {
    (self.cursor, self.preparer, self.layout) = (cursor, preparer, layout)
  }

  /// The next rows in a range of keys, prepared; `nil` if there are none left.
  mutating func next(in keys: ClosedRange<Int64>) throws(MigrationError) -> PreparedBatches<Preparer>.Batch? {
    if keys != self.keys { try cursor.begin(keys) }
    self.keys = keys
    // The next one will be about as large.
    let cells = layout.map { RowCells($0, capacity: max(cellSize, 1 << 12)) }
    var count = 0
    while count < Self.rowsPerBatch, preparer.byteCount + (cells?.byteCount ?? 0) < Self.bytesPerBatch,
      let row = try cursor.next()
    {
      try preparer.prepare(row)
      if let cells { row.encode(into: cells) }
      count += 1
    }
    if count == 0 {
      try cursor.requireAllWereRead(in: keys)
      return nil
    }
    cellSize = cells?.byteCount ?? 0
    return PreparedBatch(content: preparer.takeBatch(), rowCount: count, cells: cells)
  }
}
