internal import Dispatch
internal import SQLiteDatabase
internal import Synchronization

// The rows of what a policy inserts are written by a second thread while the policy goes on; see also SourceRowPrefetcher. They are
// written in the order in which they are handed over, by statements that do not depend on when: the file is the same.
// Whoever uses the connection for something else waits for the second thread first, so that there is never more than
// one at it.

/// Writes rows, if need be behind the back of the thread that hands them over.
final class BackgroundRowWriter {
  /// What both threads use.
  private final class Shared: Sendable {
    let queue = DispatchQueue(label: "Migration.BackgroundRowWriter")
    let hasFailed = Atomic(false)
    /// Signalled once for every batch that is written.
    let written = DispatchSemaphore(value: 0)
    /// Only touched on the queue.
    nonisolated(unsafe) var failure: SQLiteError?
  }

  /// So many batches may wait, so that memory stays bounded if writing is slower.
  private static let waitingLimit = 2

  /// Whether a second thread writes.
  private(set) var isBehind = false
  private let shared = Shared()
  private let writer: RowWriter
  /// The batches that were handed over and may not be written yet.
  private var waitingCount = 0

  init(_ connection: Connection) {
    writer = RowWriter(connection)
  }

  deinit { shared.queue.sync {} }

  /// Lets a second thread write from now on.
  func start() { isBehind = true }

  /// Lets this thread write from now on, because somebody else uses the connection from time to time.
  func stayInStep() throws(SQLiteError) {
    isBehind = false
    try wait()
  }

  /// Writes rows, now or soon.
  ///
  /// - Throws: What went wrong with these rows, or with earlier ones.
  func write(_ rows: [ChangedRow]) throws(SQLiteError) {
    guard isBehind else { return try writeNow(rows) }
    if shared.hasFailed.load(ordering: .acquiring) { try wait() }
    while waitingCount >= Self.waitingLimit { awaitBatch() }
    waitingCount += 1
    let work = UncheckedTransfer((writer: writer, rows: rows))
    shared.queue.async { [shared] in
      Self.write(work.content.rows, work.content.writer, shared)
      shared.written.signal()
    }
  }

  /// Writes rows at once, after all that were handed over before.
  func writeNow(_ rows: [ChangedRow]) throws(SQLiteError) {
    try wait()
    try writer.write(rows)
  }

  /// Waits until all rows are written, so that the connection is free.
  ///
  /// - Throws: What went wrong with them.
  func wait() throws(SQLiteError) {
    while waitingCount > 0 { awaitBatch() }
    if shared.hasFailed.load(ordering: .acquiring), let failure = shared.queue.sync(execute: { shared.failure }) {
      throw failure
    }
  }

  /// Releases what keeps the store open, once nobody writes any more.
  func close() {
    while waitingCount > 0 { awaitBatch() }
    writer.close()
  }

  private func awaitBatch() {
    shared.written.wait()
    waitingCount -= 1
  }

  /// Writes a batch on the queue; after a failure, none.
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
