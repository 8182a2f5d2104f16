internal import Dispatch
internal import Synchronization
internal import SystemC

/// Pieces of work that several threads do, and whose results are taken in the order in which the pieces were handed over.
///
/// So a result does not depend on which thread was faster. The thread that hands pieces over takes the results too. Few
/// are under way at a time, so that memory stays bounded however far ahead the threads could get. If the system refuses all
/// threads, the one that takes the results does the work.
package final class OrderedPipeline<Input, Output> {
  /// The work of one thread, which nothing else uses.
  package typealias Worker = (Input) -> Output

  /// A piece, and what was made of it.
  private final class Slot: Sendable {
    /// Both are accessed only on the queue.
    ///
    /// Thread Sanitizer recognises the queue, but cannot see into a `Mutex` on Linux.
    nonisolated(unsafe) private var input: Input?
    nonisolated(unsafe) private var output: Output?
    private let queue = DispatchQueue(label: "PersistentStore.OrderedPipeline")
    private let filled = DispatchSemaphore(value: 0)

    func put(_ input: Input) { queue.sync { self.input = input } }

    func work(_ worker: Worker) {
      guard let input = queue.sync(execute: { self.input.take() }) else { return }
      let output = worker(input)
      queue.sync { self.output = output }
      filled.signal()
    }

    func take() -> Output? {
      filled.wait()
      return queue.sync { output.take() }
    }
  }

  /// The state that the threads share.
  private final class Shared: Sendable {
    let slots: [Slot]
    /// Signalled once for every piece, and for every thread at the end.
    let pieces = DispatchSemaphore(value: 0)
    let nextPiece = Atomic(0)
    let isStopped = Atomic(false)

    init(capacity: Int) { slots = (0..<max(1, capacity)).map { _ in Slot() } }

    func slot(of piece: Int) -> Slot { slots[piece % slots.count] }
  }

  private let shared: Shared
  private var threads: [WorkerThread] = []
  /// The work that no thread does.
  private var own: Worker?
  private var putCount = 0
  private var takenCount = 0

  /// Starts threads.
  ///
  /// - Parameters:
  ///   - capacity: The number of pieces that may be under way.
  ///   - workers: The work of each thread, with what only this thread uses.
  package init(capacity: Int, _ workers: [Worker]) {
    shared = Shared(capacity: capacity)
    for worker in workers {
      // From here on, only the thread uses it.
      nonisolated(unsafe) let worker = worker
      guard let thread = WorkerThread({ [shared] in Self.run(worker, shared) }) else { break }
      threads.append(thread)
    }
    if threads.isEmpty { own = workers.first }
  }

  deinit { stop() }

  /// Whether a result must be taken before the next piece is handed over.
  package var isFull: Bool { putCount - takenCount == shared.slots.count }

  /// Hands a piece over, for which there must be room.
  package func put(_ input: Input) {
    shared.slot(of: putCount).put(input)
    putCount += 1
    shared.pieces.signal()
  }

  /// Takes the next result, and waits for it; `nil` if nothing is under way.
  package func take() -> Output? {
    guard takenCount < putCount else { return nil }
    let slot = shared.slot(of: takenCount)
    if let own { slot.work(own) }
    takenCount += 1
    return slot.take()
  }

  /// Stops the threads, and waits until they have ended.
  package func stop() {
    shared.isStopped.store(true, ordering: .sequentiallyConsistent)
    for _ in threads { shared.pieces.signal() }
    for thread in threads { thread.join() }
  }

  private static func run(_ worker: Worker, _ shared: Shared) {
    while true {
      shared.pieces.wait()
      guard !shared.isStopped.load(ordering: .sequentiallyConsistent) else { return }
      let piece = shared.nextPiece.wrappingAdd(1, ordering: .relaxed).oldValue
      shared.slot(of: piece).work(worker)
    }
  }
}
