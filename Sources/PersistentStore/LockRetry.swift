public import MigrationDiagnostics
internal import SystemC

/// The waiting of one piece of work: what is in its way is tried again and again until the patience is at an end.
///
/// Only time that was spent waiting counts, however long the work itself takes.
package final class LockRetry {
  private let patience: WaitPolicy
  private var spent: Duration = .zero

  /// Begins to count.
  package init(_ patience: WaitPolicy = WaitPolicy()) {
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

extension LockRetry {
  /// Takes the hidden file in which a result is built, when no other run has it.
  func stagingFile(for target: String, named name: String) throws(MigrationError) -> StagingFile {
    try attempt(on: [StagingFile.path(for: target)]) { _ throws(MigrationError) in
      try StagingFile(for: target, named: name)
    }
  }

  /// Locks a store against writers, when nobody else has it open.
  func writeLock(_ file: StoreFile) throws(MigrationError) -> StoreWriteLock {
    try attempt(on: file.allPaths) { busyTimeout throws(MigrationError) in
      try StoreWriteLock(file, busyTimeout: busyTimeout)
    }
  }

  /// Locks a store against writers, whoever else has it open; `nil` where this process may not write to it.
  func lockAgainstWriters(_ file: StoreFile) throws(MigrationError) -> StoreWriteLock? {
    do throws(MigrationError) {
      return try attempt(on: file.allPaths) { busyTimeout throws(MigrationError) in
        try StoreWriteLock(file, busyTimeout: busyTimeout, requiresNobodyElse: false)
      }
    } catch let error where error.code == .cannotReplace {
      return nil
    }
  }

  /// Makes a store one whole file that nobody else can open, when nobody is reading it.
  func takeOver(_ file: StoreFile, _ writeLock: StoreWriteLock) throws(MigrationError) {
    try attempt(on: file.allPaths) { _ throws(MigrationError) in try writeLock.takeOver() }
  }
}

/// How long to wait for other programs that use a store, and who is told of it.
public struct WaitPolicy {
  /// How long to wait in all before the work, and once more before the store is replaced.
  ///
  /// Without it, a program that uses the store is waited for two seconds, and another migration not at all.
  public var limit: Duration?
  /// Called with what is in the way, when the waiting begins and whenever that changes.
  public var onWait: ((MigrationError) -> Void)?
  /// Asked now and then whether somebody wants the waiting to end.
  public var isCancelled: () -> Bool = { false }

  /// Creates patience; by default as little as is usual.
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
  /// The name of its program, as far as it can be found out.
  package let name: String?

  /// The other processes that are in the way of whoever wants these files for itself, the lowest numbers first.
  ///
  /// Those are the ones with kernel locks on them. Where the system does not tell, it is those that have them open.
  /// Nothing is found where the system has no `/proc`, and of other users' processes only what the system tells.
  package static func all(of paths: [String]) -> [LockHolder] {
    let files = identities(of: paths)
    guard !files.isEmpty else { return [] }
    let locking = Set(lockingProcesses(of: files)).subtracting([getpid()])
    return locking.isEmpty ? openers(of: paths) : holders(locking)
  }

  /// The other processes that have these files open, as far as the system tells.
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

  /// The processes as a person reads them: "Music (process 412), sqlite3 (process 77)"; `nil` for none.
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
      // Where one waits for the lock above there is "->" in front, and another word in the process's place.
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
  private static func parts(ofDevice device: UInt64) -> (major: UInt64, minor: UInt64) {
    ((device >> 8) & 0xFFF | (device >> 32) & 0xFFFF_F000, device & 0xFF | (device >> 12) & 0xFFFF_FF00)
  }

  private static func openingProcesses(of files: Set<FileIdentity>, named names: Set<String>) -> Set<Int32> {
    var found: Set<Int32> = []
    for processID in (FileSystem.names(in: "/proc") ?? []).compactMap({ Int32($0) }) {
      let folder = "/proc/\(processID)/fd"
      let hasOne = (FileSystem.names(in: folder) ?? []).contains { name in
        // Asking for the status of whatever others have open could wait for a server that is gone.
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
