internal import CoreDataExpressions
internal import Dispatch
internal import PersistentStore
internal import SQLiteDatabase
internal import Synchronization

// A policy that takes instances one by one is a chain of small steps, which only one thread can do. What comes before it
// and after it, reading and writing rows, is another's: see also BackgroundRowWriter.

/// Reads rows of the source on a thread of its own, ahead of the one that hands them to a policy.
///
/// The rows come in the order of the query, and an error of SQLite where it happened. Few rows wait at a time: memory
/// stays bounded, however slow the policy is.
final class SourceRowPrefetcher {
  /// A row that becomes an instance.
  struct Row: Sendable {
    let id: ManagedObjectID
    let values: StoredValues
  }

  private enum Outcome: Sendable {
    case rows([Row], places: Int)
    case end
    case failure(SQLiteError)
  }

  /// What both threads use.
  private final class Shared: Sendable {
    /// Only touched on the queue; the thread sanitizer, which sees that, does not see into a `Mutex` on Linux.
    nonisolated(unsafe) private var outcomes: [Outcome] = []
    /// The rows that are done with, which the thread that made them frees: that takes as long as making them.
    nonisolated(unsafe) private var used: [[Row]] = []
    private let queue = DispatchQueue(label: "Migration.SourceRowPrefetcher")
    let isStopped = Atomic(false)
    private let filled = DispatchSemaphore(value: 0)
    /// Signalled once for every place that is free.
    let places = DispatchSemaphore(value: 0)

    func put(_ outcome: Outcome) {
      queue.sync { outcomes.append(outcome) }
      filled.signal()
    }

    func take() -> Outcome {
      filled.wait()
      return queue.sync { outcomes.removeFirst() }
    }

    func giveBack(_ rows: [Row]) { queue.sync { used.append(rows) } }

    func free() {
      let rows = queue.sync {
        let rows = used
        used = []
        return rows
      }
      withExtendedLifetime(rows) {}
    }
  }

  /// Fewer rows in all are not worth a thread.
  static let leastRowCount = 1024

  /// Enough that the cost of handing over vanishes.
  private static let rowsPerBatch = 256

  /// A batch of fewer rows may be as large as this; a larger one takes all places.
  private static let bytesPerBatch = 1 << 20

  /// The batches that are made and not yet done with.
  private static let placeCount = 4

  private let shared = Shared()
  private let thread = DispatchGroup()
  /// The batch that was handed out last, and its places.
  private var taken: (rows: [Row], places: Int) = ([], 0)
  private var isAtEnd = false

  /// Begins to read what a query gives: the selected columns of a layout.
  ///
  /// Until `stop`, the connection belongs to nobody else.
  init(_ query: SQLFragment, _ layout: EntityLayout, _ connection: SourceConnection) {
    for _ in 0..<Self.placeCount { shared.places.signal() }
    let work = UncheckedTransfer { [shared] in Self.read(query, layout, connection.connection, shared) }
    DispatchQueue.global().async(group: thread) { work.content() }
  }

  deinit { stop() }

  /// The next rows, after those before are done with; `nil` at the end.
  func next() throws(SQLiteError) -> [Row]? {
    let (rows, places) = taken
    taken = ([], 0)
    if !rows.isEmpty { shared.giveBack(rows) }
    for _ in 0..<places { shared.places.signal() }
    guard !isAtEnd else { return nil }
    switch shared.take() {
    case .rows(let rows, let places):
      taken = (rows, places)
      return rows
    case .end:
      isAtEnd = true
      return nil
    case .failure(let error):
      isAtEnd = true
      throw error
    }
  }

  /// Makes the thread end, and waits until it has.
  func stop() {
    shared.isStopped.store(true, ordering: .sequentiallyConsistent)
    // It may be about to put what it has, and wait for all places.
    for _ in 0..<2 * Self.placeCount { shared.places.signal() }
    thread.wait()
  }

  private static func read(_ query: SQLFragment, _ layout: EntityLayout, _ connection: Connection, _ shared: Shared) {
    var (rows, byteCount): ([Row], Int) = ([], 0)
    func handOver() {
      let places = byteCount > bytesPerBatch ? placeCount : 1
      for _ in 0..<places { shared.places.wait() }
      shared.free()
      shared.put(.rows(rows, places: places))
      (rows, byteCount) = ([], 0)
    }
    do throws(SQLiteError) {
      let statement = try connection.prepare(fragment: query)
      while try statement.step() {
        if shared.isStopped.load(ordering: .sequentiallyConsistent) { return }
        let id = ManagedObjectID(
          store: .source, entityNumber: layout.entityNumber(statement), primaryKey: statement.integer(0))
        let row = Row(id: id, values: layout.values(statement))
        if rows.isEmpty { rows.reserveCapacity(rowsPerBatch) }
        rows.append(row)
        byteCount += row.values.byteCount
        if rows.count == rowsPerBatch || byteCount >= bytesPerBatch { handOver() }
      }
      if !rows.isEmpty { handOver() }
      shared.put(.end)
    } catch {
      if !rows.isEmpty { handOver() }
      shared.put(.failure(error))
    }
  }
}

/// What one thread hands over to another: from then on, it is used by nobody else, or never changes.
struct UncheckedTransfer<Content>: @unchecked Sendable {
  let content: Content

  init(_ content: Content) {
    self.content = content
  }
}
