public import MigrationDiagnostics
internal import SystemC

/// Retries work that other programs are blocking, until the time to wait is over.
///
/// Only the time spent waiting counts, however long the work itself takes.
package final class LockRetry {
  private let patience: WaitPolicy
  private var spent: Duration = .zero

  /// Starts with no time spent.
  package init(_ patience: WaitPolicy = WaitPolicy()) {
    self.patience = patience
  }

  /// Resets the time spent.
  package func renew() { spent = .zero }

  /// Does work as soon as no other program blocks it.
  ///
  /// - Parameters:
  ///   - files: The files involved, to find out who uses them.
  ///   - work: Called with the time that SQLite itself may wait for a lock, in milliseconds.
  /// - Throws: The error of the work. If other programs block it, the error's detail names them.
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
        // Finding the programs inspects every process, so it is not done every time.
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

  /// Opens a store whose file has been inspected.
  package func open(_ file: StoreFile) throws(MigrationError) -> StoreReader {
    try attempt(on: file.allPaths) { busyTimeout throws(MigrationError) in
      try StoreReader(file: file, busyTimeout: busyTimeout)
    }
  }

  /// Short, so that waiting is reported soon, and can be interrupted.
  private static let busyTimeout: Int32 = 100
}

extension StoreFile {
  /// The file and those that SQLite keeps next to it, some of which have the locks.
  package var allPaths: [String] { ["", "-wal", "-shm", "-journal"].map { resolvedPath + $0 } }
}

extension LockRetry {
  /// Takes the hidden file in which a result is built, once no other run has it.
  func stagingFile(for target: String, named name: String) throws(MigrationError) -> StagingFile {
    try attempt(on: [StagingFile.path(for: target)]) { _ throws(MigrationError) in
      try StagingFile(for: target, named: name)
    }
  }

  /// Locks a store against writers, once no other program has it open.
  func writeLock(_ file: StoreFile) throws(MigrationError) -> StoreWriteLock {
    try attempt(on: file.allPaths) { busyTimeout throws(MigrationError) in
      try StoreWriteLock(file, busyTimeout: busyTimeout)
    }
  }

  /// Locks a store against writers, even if others have it open; `nil` if this process may not write to it.
  func lockAgainstWriters(_ file: StoreFile) throws(MigrationError) -> StoreWriteLock? {
    do throws(MigrationError) {
      return try attempt(on: file.allPaths) { busyTimeout throws(MigrationError) in
        try StoreWriteLock(file, busyTimeout: busyTimeout, requiresNobodyElse: false)
      }
    } catch let error where error.code == .cannotReplace {
      return nil
    }
  }

  /// Turns a store into a single file that no other program can open, once none reads it.
  func takeOver(_ file: StoreFile, _ writeLock: StoreWriteLock) throws(MigrationError) {
    try attempt(on: file.allPaths) { _ throws(MigrationError) in try writeLock.takeOver() }
  }
}

/// The time to wait for other programs that use a store, and the observer to notify.
public struct WaitPolicy {
  /// The total time to wait before the work, and again before the store is replaced.
  ///
  /// Nil waits two seconds for a program that uses the store, and does not wait for another migration.
  public var limit: Duration?
  /// Called with the error that blocks the work when waiting begins, and whenever it changes.
  public var onWait: ((MigrationError) -> Void)?
  /// Called now and then; returning true ends the waiting.
  public var isCancelled: () -> Bool = { false }

  /// Creates a policy.
  public init(limit: Duration? = nil) {
    self.limit = limit
  }

  func limit(for code: MigrationError.Code) -> Duration {
    limit ?? (code == .alreadyRunning ? .zero : .seconds(2))
  }
}

/// A process that has a lock on a file, or has the file open.
package struct LockHolder: Sendable, Hashable {
  /// The number of the process.
  package let processID: Int32
  /// The name of its program, if known.
  package let name: String?

  /// The other processes that use these files, sorted by number.
  ///
  /// These are the processes with kernel locks on the files, or if the system shows none, those that have the files open.
  /// Without `/proc`, none are found, and for other users' processes only what the system shows.
  package static func all(of paths: [String]) -> [LockHolder] {
    let files = identities(of: paths)
    guard !files.isEmpty else { return [] }
    let locking = Set(lockingProcesses(of: files)).subtracting([getpid()])
    return locking.isEmpty ? openers(of: paths) : holders(locking)
  }

  /// The other processes that have these files open, as far as the system shows them.
  static func openers(of paths: [String]) -> [LockHolder] {
    let names = Set(paths.map { FileSystem.split($0).name })
    return holders(openingProcesses(of: identities(of: paths), named: names).subtracting([getpid()]))
  }

  private static func holders(_ processes: Set<Int32>) -> [LockHolder] {
    processes.sorted().map { LockHolder(processID: $0, name: name(of: $0)) }
  }

  private static func identities(of paths: [String]) -> Set<FileIdentity> {
    Set(paths.compactMap { FileStatus($0) }.map { FileIdentity(device: $0.device, number: $0.fileNumber) })
  }

  /// The processes as text for people: "Music (process 412), sqlite3 (process 77)"; `nil` for none.
  package static func text(_ holders: [LockHolder]) -> String? {
    guard !holders.isEmpty else { return nil }
    let shown = holders.prefix(5).map { holder in
      holder.name.map { "\($0) (process \(holder.processID))" } ?? "process \(holder.processID)"
    }
    let rest = holders.count - shown.count
    return (shown + (rest > 0 ? ["\(rest) more"] : [])).joined(separator: ", ")
  }

  private struct FileIdentity: Hashable {
    let device: UInt64
    let number: UInt64
  }

  /// Reads the kernel's list: `1: POSIX  ADVISORY  WRITE 412 08:02:131 0 EOF`.
  private static func lockingProcesses(of files: Set<FileIdentity>) -> [Int32] {
    guard let bytes = try? FileSystem.contents(of: "/proc/locks") else { return [] }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      // A waiting lock has "->" in front, and therefore another word in the place of the process.
      guard words.count >= 6, let processID = Int32(words[4]), processID > 0 else { return nil }
      let place = words[5].split(separator: ":")
      guard place.count == 3, let major = UInt64(place[0], radix: 16), let minor = UInt64(place[1], radix: 16),
        let number = UInt64(place[2]),
        files.contains(where: { $0.number == number && parts(ofDevice: $0.device) == (major, minor) })
      else { return nil }
      return processID
    }
  }

  /// A device's two numbers, as Linux packs them.
  static func parts(ofDevice device: UInt64) -> (major: UInt64, minor: UInt64) {
    ((device >> 8) & 0xFFF | (device >> 32) & 0xFFFF_F000, device & 0xFF | (device >> 12) & 0xFFFF_FF00)
  }

  private static func openingProcesses(of files: Set<FileIdentity>, named names: Set<String>) -> Set<Int32> {
    var found: Set<Int32> = []
    for processID in (FileSystem.names(in: "/proc") ?? []).compactMap({ Int32($0) }) {
      let folder = "/proc/\(processID)/fd"
      let hasOne = (FileSystem.names(in: folder) ?? []).contains { name in
        // Getting the status of any open file could block on a server that is gone.
        guard let target = FileSystem.target(ofLink: "\(folder)/\(name)"),
          names.contains(FileSystem.split(target).name),
          let status = FileStatus("\(folder)/\(name)")
        else { return false }
        return files.contains(FileIdentity(device: status.device, number: status.fileNumber))
      }
      if hasOne { found.insert(processID) }
    }
    return found
  }

  private static func name(of processID: Int32) -> String? {
    guard let bytes = try? FileSystem.contents(of: "/proc/\(processID)/comm") else { return nil }
    let name = String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
    return name.isEmpty ? nil : name
  }
}
