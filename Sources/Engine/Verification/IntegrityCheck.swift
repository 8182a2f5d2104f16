internal import Foundation
package import MigrationDiagnostics
package import PersistentStore
internal import SQLiteDatabase
internal import Synchronization
internal import SystemC

/// The integrity check of a store, on a thread of its own if the system grants one.
package final class IntegrityCheck {
  /// The findings of SQLite in a file.
  package struct Findings {
    var problems: [String] = []
    /// The indexes that only an app can check.
    var uncheckedIndexes: [String] = []
    /// The failure because of which there may be more problems.
    var failure: (any Error)?

    var isWhole: Bool { problems.isEmpty && failure == nil }
  }

  /// A file that SQLite finds damaged; the findings are reported instead of this.
  private struct Damage: Error {}

  /// The state that is shared with the thread.
  private final class State: Sendable {
    let isStopped = Atomic(false)
    let hasFailed = Atomic(false)
    let ended = DispatchSemaphore(value: 0)
    /// Written before `ended` is signalled, and read afterwards.
    nonisolated(unsafe) var findings = Findings()
  }

  private let state = State()
  private let isCancelled: () -> Bool
  /// Used by the thread alone if there is one.
  private let connection: Connection
  private var thread: WorkerThread?
  private var ended: Findings?

  /// Begins to check a store.
  package init(_ store: StoreReader, _ isCancelled: @escaping () -> Bool) throws(MigrationError) {
    self.isCancelled = isCancelled
    connection = try store.openConnection().connection
    nonisolated(unsafe) let transferred = connection
    thread = WorkerThread { [state] in
      state.findings = Self.check(transferred) { state.isStopped.load(ordering: .relaxed) }
      if !state.findings.isWhole { state.hasFailed.store(true, ordering: .relaxed) }
      state.ended.signal()
    }
  }

  deinit {
    state.isStopped.store(true, ordering: .relaxed)
    thread?.join()
    try? connection.close()
  }

  private static func check(_ connection: Connection, _ isStopped: @escaping () -> Bool) -> Findings {
    connection.onProgress(every: 100_000, isStopped)
    // Entries of indexes are looked up all over the file.
    try? connection.keepManyPages()
    let findings = findings(connection)
    // The waiting thread may want to close the store.
    try? connection.close()
    return findings
  }

  /// Whether the file is already known to be damaged, or cannot be checked.
  package var hasFailed: Bool { state.hasFailed.load(ordering: .relaxed) }

  /// Waits for the end of the check.
  package func findings() -> Findings {
    if let ended { return ended }
    guard thread != nil else {
      let findings = Self.check(connection, isCancelled)
      ended = findings
      return findings
    }
    while state.ended.wait(timeout: .now() + .milliseconds(50)) == .timedOut {
      if isCancelled() { state.isStopped.store(true, ordering: .relaxed) }
    }
    ended = state.findings
    return state.findings
  }

  /// Waits for the end of the check, and throws if there is damage.
  package func requireWhole() throws {
    guard findings().isWhole else { throw Damage() }
  }

  /// Runs the check.
  static func findings(_ connection: Connection) -> Findings {
    var findings = Findings()
    do {
      let answer = try connection.integrityProblems()
      findings.problems = answer.problems.filter { !$0.hasPrefix("***") }
      findings.uncheckedIndexes = answer.uncheckedIndexes
    } catch {
      findings.failure = error
    }
    return findings
  }
}

extension DifferenceLog {
  /// Adds what SQLite says of a file.
  ///
  /// - Returns: Whether the file is undamaged.
  package func add(_ findings: IntegrityCheck.Findings) throws -> Bool {
    leaveUnchecked(findings.uncheckedIndexes)
    for problem in findings.problems { try add(.damage) { $0.found = problem } }
    if let failure = findings.failure { throw failure }
    return findings.isWhole
  }
}
