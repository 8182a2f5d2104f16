internal import Dispatch
package import MigrationDiagnostics
internal import SystemC

/// Work that is done on a thread of its own, or, if the system refuses one, by the thread that asks for the result.
package final class Background<Output: Sendable>: Sendable {
  private enum State: Sendable {
    /// No thread does the work.
    case waiting(@Sendable () throws(MigrationError) -> Output)
    case running(WorkerThread)
    case ended
  }

  /// Accessed only by the thread that has started the work.
  nonisolated(unsafe) private var state: State = .ended
  /// Written by the thread that does the work, and read once that has ended.
  nonisolated(unsafe) private var outcome: Result<Output, MigrationError>?

  /// Starts the work.
  package init(_ work: @escaping @Sendable () throws(MigrationError) -> Output) {
    let thread = WorkerThread { [self] in outcome = Result { () throws(MigrationError) in try work() } }
    state = thread.map { .running($0) } ?? .waiting(work)
  }

  /// Waits for the end of the work.
  package func result() -> Result<Output, MigrationError> {
    switch state {
    case .waiting(let work): outcome = Result { () throws(MigrationError) in try work() }
    case .running(let thread): thread.join()
    case .ended: break
    }
    state = .ended
    return outcome ?? .failure(MigrationError(.interrupted))
  }

  /// Waits until no thread does the work; what has not begun is not done.
  package func cancel() {
    if case .running(let thread) = state { thread.join() }
    state = .ended
  }
}

/// Pieces of work that are done one after another on a thread of their own, or, if the system refuses one, at once.
///
/// One thread hands over the work, and waits for it.
package final class BackgroundQueue {
  /// The state that both threads share.
  private final class Shared: Sendable {
    /// Accessed only on the queue; `nil` ends the thread.
    ///
    /// Thread Sanitizer recognises the queue, but cannot see into a `Mutex` on Linux.
    nonisolated(unsafe) private var pieces: [(@Sendable () -> Void)?] = []
    private let queue = DispatchQueue(label: "PersistentStore.BackgroundQueue")
    private let filled = DispatchSemaphore(value: 0)

    func put(_ piece: (@Sendable () -> Void)?) {
      queue.sync { pieces.append(piece) }
      filled.signal()
    }

    func take() -> (@Sendable () -> Void)? {
      filled.wait()
      return queue.sync { pieces.removeFirst() }
    }
  }

  private let shared = Shared()
  private var thread: WorkerThread?
  private var isRefused = false

  /// Makes a queue, which starts its thread for the first piece of work.
  package init() {}

  deinit {
    guard let thread else { return }
    shared.put(nil)
    thread.join()
  }

  /// Does a piece of work after all others, soon or at once.
  package func async(_ piece: @escaping @Sendable () -> Void) {
    if thread == nil, !isRefused {
      thread = WorkerThread { [shared] in while let piece = shared.take() { piece() } }
      isRefused = thread == nil
    }
    if thread == nil { piece() } else { shared.put(piece) }
  }

  /// Waits until everything that was handed over is done.
  package func wait() {
    guard thread != nil else { return }
    let ended = DispatchSemaphore(value: 0)
    shared.put { ended.signal() }
    ended.wait()
  }
}
