internal import CoreDataExpressions
internal import Dispatch
internal import PersistentStore
internal import SQLiteDatabase
internal import Synchronization
internal import SystemC

// A policy that processes instances one by one is a chain of small steps, which only one thread can run. The work
// before and after it, reading and writing rows, is done by other threads: see also BackgroundRowWriter.

/// Reads rows of the source on its own thread, ahead of the thread that passes them to a policy.
///
/// The rows arrive in the order of the query, and an SQLite error at the point where it occurred. Only a few rows wait
/// at a time, so memory stays bounded, no matter how slow the policy is. If the system refuses the thread, the rows are read
/// when they are needed.
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

  /// The state shared by both threads.
  private final class Shared: Sendable {
    /// Accessed only on the queue.
    ///
    /// Thread Sanitizer recognises the queue, but cannot see into a `Mutex` on Linux.
    nonisolated(unsafe) private var outcomes: [Outcome] = []
    /// The rows that are no longer needed.
    ///
    /// The thread that created them frees them, because that takes as long as creating them.
    nonisolated(unsafe) private var used: [[Row]] = []
    private let queue = DispatchQueue(label: "Migration.SourceRowPrefetcher")
    let isStopped = Atomic(false)
    private let filled = DispatchSemaphore(value: 0)
    /// Signalled once for every free place.
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

  /// Reads the results of a query in batches: the work of one thread.
  private final class Reader {
    private let query: SQLFragment
    private let layout: EntityLayout
    private let connection: Connection
    private var statement: Statement?
    /// The end or the error behind the last batch.
    private var end: Result<Void, SQLiteError>?
    /// The size of the last batch.
    private(set) var byteCount = 0

    /// Large enough that the cost of handing over is negligible.
    private static let rowsPerBatch = 256

    /// The maximum size of a batch with fewer rows; a larger one takes all places.
    static let bytesPerBatch = 1 << 20

    init(_ query: SQLFragment, _ layout: EntityLayout, _ connection: Connection) {
      (self.query, self.layout, self.connection) = (query, layout, connection)
    }

    /// The next rows; `nil` at the end.
    ///
    /// - Throws: The error that ends the query, after all rows before it.
    func next() throws(SQLiteError) -> [Row]? {
      if let end {
        try end.get()
        return nil
      }
      var rows: [Row] = []
      byteCount = 0
      do throws(SQLiteError) {
        let statement: Statement
        if let begun = self.statement { statement = begun } else { statement = try connection.prepare(fragment: query) }
        self.statement = statement
        while rows.count < Self.rowsPerBatch, byteCount < Self.bytesPerBatch {
          guard try statement.step() else {
            close(.success(()))
            break
          }
          let id = ManagedObjectID(
            store: .source, entityNumber: layout.entityNumber(statement), primaryKey: statement.integer(0))
          let row = Row(id: id, values: layout.values(statement))
          if rows.isEmpty { rows.reserveCapacity(Self.rowsPerBatch) }
          rows.append(row)
          byteCount += row.values.byteCount
        }
      } catch {
        close(.failure(error))
        if rows.isEmpty { throw error }
      }
      return rows.isEmpty ? nil : rows
    }

    /// Reads no more rows, and releases what keeps the store open.
    func close(_ end: Result<Void, SQLiteError>) {
      self.end = end
      statement = nil
    }
  }

  /// Fewer rows in total are not worth a thread.
  static let leastRowCount = 1024

  /// The number of batches that are created but not yet finished.
  private static let placeCount = 4

  private let shared = Shared()
  private var thread: WorkerThread?
  /// Reads the rows that no thread reads.
  private var reader: Reader?
  /// The batch that was returned last, and its places.
  private var taken: (rows: [Row], places: Int) = ([], 0)
  private var isAtEnd = false

  /// Starts reading the results of a query: the selected columns of a layout.
  ///
  /// The connection must not be used for anything else until `stop`.
  init(_ query: SQLFragment, _ layout: EntityLayout, _ connection: SourceConnection) {
    for _ in 0..<Self.placeCount { shared.places.signal() }
    let reader = Reader(query, layout, connection.connection)
    let work = UncheckedTransfer { [shared] in Self.read(reader, shared) }
    thread = WorkerThread { work.content() }
    if thread == nil { self.reader = reader }
  }

  deinit { stop() }

  /// The next rows, once the previous ones are finished; `nil` at the end.
  func next() throws(SQLiteError) -> [Row]? {
    let (rows, places) = taken
    taken = ([], 0)
    if !rows.isEmpty { shared.giveBack(rows) }
    for _ in 0..<places { shared.places.signal() }
    guard !isAtEnd else { return nil }
    if let reader { return try reader.next() }
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

  /// Stops the thread, and waits until it has ended.
  func stop() {
    shared.isStopped.store(true, ordering: .sequentiallyConsistent)
    // The thread may be about to add a batch, and wait for all places.
    for _ in 0..<2 * Self.placeCount { shared.places.signal() }
    thread?.join()
    reader = nil
  }

  private static func read(_ reader: Reader, _ shared: Shared) {
    defer { reader.close(.success(())) }
    do throws(SQLiteError) {
      while let rows = try reader.next() {
        let places = reader.byteCount > Reader.bytesPerBatch ? placeCount : 1
        for _ in 0..<places { shared.places.wait() }
        if shared.isStopped.load(ordering: .sequentiallyConsistent) { return }
        shared.free()
        shared.put(.rows(rows, places: places))
      }
      shared.put(.end)
    } catch {
      shared.put(.failure(error))
    }
  }
}

/// A value handed over from one thread to another, after which only the receiver uses it, or it never changes.
struct UncheckedTransfer<Content>: @unchecked Sendable {
  let content: Content

  init(_ content: Content) {
    self.content = content
  }
}
