internal import Dispatch
internal import MigrationDiagnostics
internal import Synchronization
internal import SystemC

/// The lines of a feed, read by several threads and taken in the order in which they stand there.
///
/// The thread that takes the batches reads the feed too: it puts blocks into slots, from which the other threads make
/// batches, and empties the slots in the same order. So the result does not depend on which thread was faster, and a
/// signal interrupts a feed that never ends. Memory is bounded by the few slots, or by a few long lines. If the system
/// refuses all threads, it makes the batches itself.
final class FeedBatches {
  /// A block, and what was made of it.
  private final class Slot: Sendable {
    /// Both are accessed only on the queue.
    ///
    /// Thread Sanitizer recognises the queue, but cannot see into a `Mutex` on Linux.
    nonisolated(unsafe) private var block: FeedBlock?
    nonisolated(unsafe) private var batch: FeedBatch?
    private let queue = DispatchQueue(label: "Policies.FeedBatches")
    private let filled = DispatchSemaphore(value: 0)

    func put(_ block: FeedBlock) { queue.sync { self.block = block } }

    func read(by reader: FeedLineReader) {
      let batch = queue.sync { block.take() }.map(reader.read)
      queue.sync { self.batch = batch }
      filled.signal()
    }

    func take() -> FeedBatch? {
      filled.wait()
      return queue.sync { batch.take() }
    }
  }

  /// The state shared by the threads.
  private final class Shared: Sendable {
    let slots: [Slot]
    /// Signalled once for every block, and for every thread at the end.
    let blocks = DispatchSemaphore(value: 0)
    let nextBlock = Atomic(0)
    let isStopped = Atomic(false)

    init(slotCount: Int) { slots = (0..<slotCount).map { _ in Slot() } }

    func slot(of block: Int) -> Slot { slots[block % slots.count] }
  }

  private let feed: any TrackFeed
  private let makeReader: () -> FeedLineReader
  /// Reads the first block, because a small feed is not worth a thread, and all others if there are no threads.
  private lazy var reader = makeReader()
  private var isFirst = true
  private let threadCount: Int
  private var threads: [WorkerThread] = []
  private let shared: Shared
  /// The sizes of the blocks that are in slots.
  private var sizes: [Int] = []
  /// The number of blocks that were put into slots.
  private var putCount = 0
  /// The end of the feed or its error, once it is known.
  private var end: Result<Void, MigrationError>?

  private static let slotsPerThread = 4

  /// The size of the blocks in slots from which no more are read: only those of long lines reach it.
  private static let greatestSize = 16 << 20

  /// Prepares to read a feed.
  ///
  /// - Parameter makeReader: Makes a reader for each thread.
  init(_ feed: any TrackFeed, threadCount: Int, makeReader: @escaping () -> FeedLineReader) {
    (self.feed, self.threadCount, self.makeReader) = (feed, threadCount, makeReader)
    shared = Shared(slotCount: threadCount * Self.slotsPerThread)
  }

  deinit { stop() }

  /// Takes the next batch; `nil` at the end.
  ///
  /// - Throws: The error that ends the feed, after everything before it.
  func next() throws(MigrationError) -> FeedBatch? {
    guard threadCount > 1, !isFirst else {
      isFirst = false
      return try feed.nextBlock().map(reader.read)
    }
    fillSlots()
    guard !sizes.isEmpty else {
      try end?.get()
      return nil
    }
    let batch = shared.slot(of: putCount - sizes.count).take()
    sizes.removeFirst()
    return batch
  }

  /// Stops the threads, and waits until they have ended.
  func stop() {
    shared.isStopped.store(true, ordering: .sequentiallyConsistent)
    for _ in threads { shared.blocks.signal() }
    for thread in threads { thread.join() }
  }

  private func fillSlots() {
    while end == nil, sizes.count < shared.slots.count, sizes.reduce(0, +) < Self.greatestSize {
      do throws(MigrationError) {
        if let block = try feed.nextBlock() { put(block) } else { end = .success(()) }
      } catch {
        end = .failure(error)
      }
    }
  }

  private func put(_ block: FeedBlock) {
    if putCount == 0 { startThreads() }
    let slot = shared.slot(of: putCount)
    slot.put(block)
    if threads.isEmpty { slot.read(by: reader) } else { shared.blocks.signal() }
    putCount += 1
    sizes.append(block.byteCount)
  }

  private func startThreads() {
    for _ in 0..<threadCount {
      // From here on, only the thread uses it.
      nonisolated(unsafe) let reader = makeReader()
      guard let thread = WorkerThread({ [shared] in Self.read(by: reader, shared) }) else { return }
      threads.append(thread)
    }
  }

  private static func read(by reader: FeedLineReader, _ shared: Shared) {
    while true {
      shared.blocks.wait()
      guard !shared.isStopped.load(ordering: .sequentiallyConsistent) else { return }
      let block = shared.nextBlock.wrappingAdd(1, ordering: .relaxed).oldValue
      shared.slot(of: block).read(by: reader)
    }
  }
}
