package import Diagnostics
internal import SystemC

/// The waiting of one piece of work: what is in its way is tried again and again until the patience is at an end.
///
/// Only time that was spent waiting counts, however long the work itself takes.
package final class Waiting {
  private let patience: Patience
  private var spent: Duration = .zero

  /// Begins to count.
  package init(_ patience: Patience = Patience()) {
    self.patience = patience
  }

  /// Begins to count anew.
  package func renew() { spent = .zero }

  /// Does work that another program may be in the way of, as soon as it no longer is.
  ///
  /// - Parameters:
  ///   - files: The files that matter, to find out who has them.
  ///   - work: Gets the time that SQLite may wait for a lock by itself, in milliseconds.
  /// - Throws: What the work throws. If others are in the way, the error's detail says who they are.
  package func attempt<Result>(
    on files: @autoclosure () -> [String], _ work: (_ busyTimeout: Int32) throws(MigrationError) -> Result
  ) throws(MigrationError) -> Result {
    let started = ContinuousClock.now
    var hasWaited = false
    defer { if hasWaited { spent += ContinuousClock.now - started } }
    var told: (text: String, time: ContinuousClock.Instant)?
    while true {
      do throws(MigrationError) {
        return try work(Self.busyTimeout)
      } catch let error where [.locked, .openElsewhere, .alreadyRunning].contains(error.code) {
        hasWaited = true
        let now = ContinuousClock.now
        let isOver = spent + (now - started) >= patience.limit(for: error.code)
        if patience.isCancelled() { throw MigrationError(.interrupted, error.subject) }
        // Who it is takes a look at every process, so that is not done at each turn.
        if isOver || patience.onWait != nil && (told.map { now - $0.time > .seconds(1) } ?? true) {
          var error = error
          error.detail = LockHolder.text(LockHolder.all(of: files()))
          guard !isOver else { throw error }
          let text = "\(error.code.rawValue) \(error.detail ?? "")"
          if text != told?.text { patience.onWait?(error) }
          told = (text, now)
        }
        usleep(50_000)
      }
    }
  }

  /// Opens a store for reading.
  package func open(_ path: String) throws(MigrationError) -> StoreReader {
    try open(attempt(on: [path]) { _ throws(MigrationError) in try StoreFile(path) })
  }

  /// Opens a store whose file has been looked at.
  package func open(_ file: StoreFile) throws(MigrationError) -> StoreReader {
    try attempt(on: file.allPaths) { busyTimeout throws(MigrationError) in
      try StoreReader(file: file, busyTimeout: busyTimeout)
    }
  }

  /// Short, so that whoever waits hears of it, and a request to stop is heard.
  private static let busyTimeout: Int32 = 100
}

extension StoreFile {
  /// The file and those that SQLite keeps beside it, some of which carry the locks.
  package var allPaths: [String] { ["", "-wal", "-shm", "-journal"].map { resolvedPath + $0 } }
}
