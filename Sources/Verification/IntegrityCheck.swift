internal import Foundation
internal import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase
internal import Synchronization

/// SQLite's integrity check of a store, on a thread of its own: it takes as long as comparing all rows does.
final class IntegrityCheck {
  /// A file that SQLite finds damaged; what SQLite says is reported instead of this.
  private struct Damage: Error {}

  /// What the thread shares.
  private final class State: Sendable {
    let isStopped = Atomic(false)
    let hasFailed = Atomic(false)
    let ended = DispatchSemaphore(value: 0)
    /// Written before `ended` is signalled, and read afterwards.
    nonisolated(unsafe) var outcome: Result<[String], any Error> = .success([])
  }

  private let state = State()
  private let isCancelled: () -> Bool
  private var outcome: Result<[String], any Error>?

  /// Begins to check a store.
  init(_ store: StoreReader, _ isCancelled: @escaping () -> Bool) throws(MigrationError) {
    self.isCancelled = isCancelled
    nonisolated(unsafe) let connection = try store.openConnection().connection
    Thread.detachNewThread { [state] in
      connection.onProgress(every: 100_000) { state.isStopped.load(ordering: .relaxed) }
      // Entries of indexes are looked up all over the file.
      let outcome = Result {
        try connection.keepManyPages()
        return try Self.problems(connection)
      }
      if (try? outcome.get().isEmpty) != true { state.hasFailed.store(true, ordering: .relaxed) }
      state.outcome = outcome
      // Whoever waits may want to close the store.
      try? connection.close()
      state.ended.signal()
    }
  }

  deinit {
    guard outcome == nil else { return }
    state.isStopped.store(true, ordering: .relaxed)
    state.ended.wait()
  }

  /// Whether the file is already known to be damaged, or cannot be checked.
  var hasFailed: Bool { state.hasFailed.load(ordering: .relaxed) }

  /// Waits for the end of the check.
  ///
  /// - Returns: What SQLite has found.
  func problems() throws -> [String] {
    if let outcome { return try outcome.get() }
    while state.ended.wait(timeout: .now() + .milliseconds(50)) == .timedOut {
      if isCancelled() { state.isStopped.store(true, ordering: .relaxed) }
    }
    outcome = state.outcome
    return try state.outcome.get()
  }

  /// Waits for the end of the check, and throws if there is damage.
  func requireWhole() throws {
    guard try problems().isEmpty else { throw Damage() }
  }

  /// Runs the check, and returns what SQLite has found.
  static func problems(_ connection: Connection) throws(SQLiteError) -> [String] {
    let statement = try connection.prepare("PRAGMA integrity_check")
    var problems: [String] = []
    while try statement.step() {
      guard let text = statement.text(0), text != "ok" else { continue }
      // One result may be a heading with a line for each problem.
      problems += text.split(separator: "\n").filter { !$0.hasPrefix("***") }.map(String.init)
    }
    return problems
  }
}
