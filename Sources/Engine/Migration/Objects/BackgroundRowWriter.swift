internal import Dispatch
internal import PersistentStore
internal import SQLiteDatabase
internal import Synchronization

// A second thread writes the rows that a policy inserts while the policy continues; see also SourceRowPrefetcher. Rows
// are written in the order in which they are handed over, by statements that do not depend on timing, so the file is
// the same. Code that uses the connection for something else waits for the second thread first, so that only one thread
// uses it at a time.

/// Writes rows, optionally on a second thread.
final class BackgroundRowWriter {
  /// The state shared by both threads.
  private final class Shared: Sendable {
    let hasFailed = Atomic(false)
    /// Signalled once for every batch written.
    let written = DispatchSemaphore(value: 0)
    /// Accessed only by the queue's work, and once that is done.
    nonisolated(unsafe) var failure: SQLiteError?
  }

  /// The maximum number of waiting batches, so that memory stays bounded if writing is slower.
  private static let waitingLimit = 2

  /// Whether a second thread writes.
  private(set) var isBehind = false
  private let shared = Shared()
  private let queue = BackgroundQueue()
  private let writer: RowWriter
  /// The number of batches that were handed over and may not have been written yet.
  private var waitingCount = 0

  init(_ connection: Connection) {
    writer = RowWriter(connection)
  }

  deinit { queue.wait() }

  /// Writes on a second thread from now on.
  func start() { isBehind = true }

  /// Writes on this thread from now on, because other code occasionally uses the connection.
  func stayInStep() throws(SQLiteError) {
    isBehind = false
    try wait()
  }

  /// Writes rows, immediately or soon.
  ///
  /// - Throws: The error of these rows, or of earlier ones.
  func write(_ rows: [ChangedRow]) throws(SQLiteError) {
    guard isBehind else { return try writeNow(rows) }
    if shared.hasFailed.load(ordering: .acquiring) { try wait() }
    while waitingCount >= Self.waitingLimit { awaitBatch() }
    waitingCount += 1
    let work = UncheckedTransfer((writer: writer, rows: rows))
    queue.async { [shared] in
      Self.write(work.content.rows, work.content.writer, shared)
      shared.written.signal()
    }
  }

  /// Writes rows immediately, after all that were handed over before.
  func writeNow(_ rows: [ChangedRow]) throws(SQLiteError) {
    try wait()
    try writer.write(rows)
  }

  /// Waits until all rows are written and the connection is free.
  ///
  /// - Throws: The error of these rows.
  func wait() throws(SQLiteError) {
    while waitingCount > 0 { awaitBatch() }
    if shared.hasFailed.load(ordering: .acquiring) {
      queue.wait()
      if let failure = shared.failure { throw failure }
    }
  }

  /// Releases everything that keeps the store open, once nothing is being written.
  func close() {
    while waitingCount > 0 { awaitBatch() }
    writer.close()
  }

  private func awaitBatch() {
    shared.written.wait()
    waitingCount -= 1
  }

  /// Writes a batch on the queue; after a failure, nothing more is written.
  private static func write(_ rows: [ChangedRow], _ writer: RowWriter, _ shared: Shared) {
    guard shared.failure == nil else { return }
    do {
      try writer.write(rows)
    } catch {
      shared.failure = error
      shared.hasFailed.store(true, ordering: .releasing)
    }
  }
}
