internal import Foundation
internal import SystemC

/// Does numbered pieces of work on several threads, ahead of the thread that takes their results in order.
///
/// There are few results at a time, so that memory stays bounded however far ahead the threads could get. If the system
/// refuses all threads, the one that takes the results does the work.
final class OrderedWork<Output> {
  /// One thread's work, with what only this thread uses.
  private final class Worker: @unchecked Sendable {
    var work: ((Int) throws -> Output)?

    init(_ work: @escaping (Int) throws -> Output) { self.work = work }
  }

  /// The state that the threads share, all of it guarded by the condition.
  private final class Shared: @unchecked Sendable {
    let condition = NSCondition()
    let count: Int
    let limit: Int
    var outcomes: [Int: Result<Output, any Error>] = [:]
    var nextNumber = 0
    var takenCount = 0
    var isStopped = false

    init(count: Int, limit: Int) { (self.count, self.limit) = (count, limit) }
  }

  private let shared: Shared
  private var threads: [WorkerThread] = []
  /// The work that no thread does.
  private var own: Worker?

  /// Starts threads.
  ///
  /// - Parameters:
  ///   - count: The number of pieces.
  ///   - limit: The number of results that may wait to be taken.
  ///   - prepare: Calls back for each thread with its work.
  init(count: Int, limit: Int, _ prepare: (_ start: (@escaping (Int) throws -> Output) -> Void) throws -> Void) throws {
    shared = Shared(count: count, limit: limit)
    var workers: [Worker] = []
    try prepare { workers.append(Worker($0)) }
    for worker in workers {
      guard let thread = WorkerThread({ [shared] in Self.run(worker, shared) }) else { break }
      threads.append(thread)
    }
    if threads.isEmpty { own = workers.first }
  }

  deinit {
    // The threads' connections are closed before the store is closed.
    shared.condition.lock()
    shared.isStopped = true
    shared.condition.broadcast()
    shared.condition.unlock()
    for thread in threads { thread.join() }
  }

  /// Takes the next result, and waits for it.
  func take() throws -> Output {
    if let own { Self.work(on: Self.nextNumber(shared), own, shared) }
    let condition = shared.condition
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let outcome = shared.outcomes.removeValue(forKey: shared.takenCount) {
        shared.takenCount += 1
        condition.broadcast()
        return try outcome.get()
      }
      condition.wait()
    }
  }

  private static func run(_ worker: Worker, _ shared: Shared) {
    while let number = nextNumber(shared) { work(on: number, worker, shared) }
    worker.work = nil
  }

  private static func work(on number: Int?, _ worker: Worker, _ shared: Shared) {
    guard let number else { return }
    let outcome = Result { () throws -> Output? in try worker.work?(number) }
    shared.condition.lock()
    switch outcome {
    case .success(let output): shared.outcomes[number] = output.map { .success($0) }
    case .failure(let error): shared.outcomes[number] = .failure(error)
    }
    shared.condition.broadcast()
    shared.condition.unlock()
  }

  /// The number of the next piece, once its result may wait; `nil` if there is none.
  private static func nextNumber(_ shared: Shared) -> Int? {
    shared.condition.lock()
    defer { shared.condition.unlock() }
    while !shared.isStopped, shared.nextNumber < shared.count, shared.nextNumber >= shared.takenCount + shared.limit {
      shared.condition.wait()
    }
    guard !shared.isStopped, shared.nextNumber < shared.count else { return nil }
    shared.nextNumber += 1
    return shared.nextNumber - 1
  }
}
