internal import Dispatch
internal import Foundation
internal import MigrationDiagnostics
internal import Synchronization

/// Prepares batches on several threads, ahead of the thread that requests them.
///
/// Each thread takes the next range of keys, reads it with its own connection, and puts the results into the range's
/// slot. The slots are emptied in the order of the ranges, so that the result does not depend on which thread was
/// faster. There are few slots, and each holds few batches, so memory stays bounded, no matter how far ahead the
/// threads could get.
final class ParallelPreparedBatches<Preparer: RowPreparer>: PreparedBatches {
  private typealias Outcome = Result<PreparedBatch<Preparer.Batch>?, MigrationError>

  /// The pending results from one range of keys; `nil` marks its end.
  private final class Slot: Sendable {
    /// Accessed only on the queue.
    ///
    /// Thread Sanitizer recognises the queue, but cannot see into a `Mutex` on Linux.
    nonisolated(unsafe) private var outcomes: [Outcome] = []
    private let queue = DispatchQueue(label: "Migration.ParallelPreparedBatches")
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

  private let shared: Shared
  private let threads = DispatchGroup()
  private let threadCount: Int
  /// The range whose batches are being taken.
  private var range = 0

  /// Starts reading.
  init(_ ranges: KeyRanges, _ readers: [BatchReader<Preparer>]) {
    shared = Shared(ranges, slotCount: readers.count * 4)
    threadCount = readers.count
    for reader in readers {
      let work = Work { [shared] in Self.read(reader, shared) }
      DispatchQueue.global().async(group: threads) { work.run() }
    }
  }

  deinit { stop() }

  func next() throws(MigrationError) -> PreparedBatch<Preparer.Batch>? {
    guard range < shared.ranges.count else { return nil }
    if let batch = try shared.slot(of: range).take().get() { return batch }
    range += 1
    shared.free.signal()
    return nil
  }

  /// Stops the threads, and waits until they have ended.
  ///
  /// Their connections must not be used for anything else until then.
  func stop() {
    shared.isStopped.store(true, ordering: .sequentiallyConsistent)
    for _ in 0..<threadCount { shared.free.signal() }
    for slot in shared.slots { slot.abandon() }
    threads.wait()
  }

  private static func read(_ reader: BatchReader<Preparer>, _ shared: Shared) {
    var reader = reader
    while true {
      shared.free.wait()
      let range = shared.nextRange.wrappingAdd(1, ordering: .relaxed).oldValue
      guard range < shared.ranges.count, !shared.isStopped.load(ordering: .sequentiallyConsistent) else { return }
      let slot = shared.slot(of: range)
      do throws(MigrationError) {
        try reader.begin(shared.ranges[range])
        while let batch = try reader.next() {
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

/// The work of one thread while it is handed over, after which nothing else uses its contents.
private struct Work: @unchecked Sendable {
  let run: () -> Void
}

/// The processors of this machine.
enum Processors {
  /// The number of processors that this process may use, which can be limited (`taskset`).
  static var availableCount: Int {
    let all = ProcessInfo.processInfo.activeProcessorCount
    // Foundation returns the machine's processors. Linux reports those of the process in hexadecimal digits.
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix("Cpus_allowed:") })
    else { return all }
    let allowed = line.dropFirst("Cpus_allowed:".count).compactMap { $0.hexDigitValue?.nonzeroBitCount }.reduce(0, +)
    return allowed == 0 ? all : min(all, allowed)
  }
}
