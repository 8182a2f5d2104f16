import Migration
import MigrationDiagnostics
import PersistentStore
import SystemC
import TerminalOutput

/// The paths of a batch's libraries, of which a list may be endless.
final class BatchJobs {
  private var named: [String]
  private let list: Int32?
  private let listPath: String
  private let separator: UInt8
  private let answersEachLine: Bool
  private let isMine: (String) -> Bool
  private var bytes: [UInt8] = []
  /// The number of whole lines that were read.
  private var lineCount = 0
  private var isAtEnd = false
  private var failure: MigrationError?

  /// The greatest length of a line in bytes, many times that of a path that a system could open.
  private static let longestLine = 1 << 16

  /// - Parameters:
  ///   - named: Paths that are known.
  ///   - list: A descriptor from which more are read.
  ///   - listPath: The name of that file.
  ///   - separator: What ends each of those.
  ///   - answersEachLine: Whether a line that cannot be a path is one failure, instead of the end of the list.
  ///   - isMine: Whether a library is for this shard.
  init(
    _ named: [String], list: Int32?, named listPath: String, separator: UInt8, answersEachLine: Bool,
    isMine: @escaping (String) -> Bool
  ) {
    (self.named, self.list, self.listPath, self.separator) = (named.reversed(), list, listPath, separator)
    (self.answersEachLine, self.isMine) = (answersEachLine, isMine)
  }

  /// The number of paths that are known.
  var namedCount: Int { named.count }

  /// The descriptor from which more could be read; `nil` if the next path is known, or there is none.
  var pendingList: Int32? { named.isEmpty && !isAtEnd ? list : nil }

  /// The next path, if it is known.
  func next() -> String? {
    while let path = named.popLast() { if isMine(path) { return path } }
    return nil
  }

  /// Reads from the list what there is.
  func read() throws {
    guard let list, !isAtEnd else { return }
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = SystemC.read(list, &buffer, buffer.count)
    if count < 0 {
      if errno == EINTR || errno == EAGAIN { return }
      throw list == STDIN_FILENO
        ? FileSystem.standardInputFailure() : FileSystem.failure(.unreadable, listPath)
    }
    bytes += buffer[..<count]
    isAtEnd = count == 0
    // A list of lines may lack the last line feed.
    if isAtEnd, !bytes.isEmpty { bytes.append(separator) }
    var lines = bytes.split(separator: separator, omittingEmptySubsequences: false)
    // No system opens a path of that length: it fails by itself, and the rest of the line is passed over.
    bytes = (lines.popLast()?.prefix(Self.longestLine)).map(Array.init) ?? []
    var paths: [String] = []
    do throws(MigrationError) {
      for line in lines {
        try path(in: line).map { paths.append($0) }
        lineCount += 1
      }
    } catch {
      (failure, isAtEnd) = (error, true)
    }
    named = paths.reversed()
  }

  /// Throws why the rest of the list was not read, once the paths before are done.
  func requireWholeList() throws(MigrationError) {
    if let failure { throw failure }
  }

  /// The path in the next line; `nil` if that is empty.
  private func path(in line: ArraySlice<UInt8>) throws(MigrationError) -> String? {
    if line.contains(0), !answersEachLine {
      let name = list == STDIN_FILENO ? "standard input" : listPath
      throw Self.refusal(name, "line \(lineCount + 1) has a NUL byte, so it is not a path")
    }
    let path = separator == 0x0a && line.last == 0x0d ? line.dropLast() : line
    return path.isEmpty ? nil : String(pathBytes: path)
  }
}

extension BatchJobs {
  /// The error for a line that the system could not take for a path; `nil` for others.
  fileprivate static func refusal(of path: String) -> MigrationError? {
    path.utf8.contains(0) ? refusal(path, "it has a NUL byte, so it is not a path") : nil
  }

  private static func refusal(_ path: String, _ detail: String) -> MigrationError {
    var error = MigrationError(.unreadable, path: path, detail: detail)
    error.advice = "If the paths end with NUL bytes, use '--null'."
    return error
  }
}

/// Has workers migrate the libraries of a batch, and writes their results.
final class BatchSupervisor {
  /// The words that make this program a worker.
  private let workerArguments: [String]
  private var workerCount: Int
  private let jobs: BatchJobs
  private let results: StandardOutput
  /// Whether no library is begun any more once one has failed.
  var endsAtFailure = false
  /// Describes a file that is not a library but belongs to one.
  var companion: (_ path: String) -> StoreCompanion? = { _ in nil }
  /// Called with the path of a library before it is begun.
  var onBegin: (_ path: String) throws -> Void = { _ in }
  /// Called with the number of libraries that are done, and of those that have failed.
  var onProgress: (_ done: Int, _ failed: Int) -> Void = { _, _ in }

  private(set) var counts: [BatchResult.Status: Int] = [:]
  private var workers: [WorkerProcess] = []
  /// The files that are at work, by the bytes of their paths.
  private var files: [[UInt8]: FileIdentity] = [:]
  /// A library that has to wait because the same file is at work under another name.
  private var held: String?
  private var isEnding = false
  private var isInterrupted = false

  private struct FileIdentity: Hashable {
    let device: UInt64
    let number: UInt64
  }

  init(workers count: Int, _ arguments: [String], _ jobs: BatchJobs, results: StandardOutput) {
    (workerCount, workerArguments, self.jobs, self.results) = (count, arguments, jobs, results)
  }

  /// Migrates all libraries.
  ///
  /// - Throws: `OutputError` or `BrokenPipe` if a result could not be written. No library is at work then.
  func run() throws {
    defer { finish() }
    do {
      while true {
        if EndRequest.isMade { interrupt() }
        try beginLibraries()
        let busy = workers.filter { $0.path != nil }
        let list = isEnding || held != nil || busy.count == workerCount ? nil : jobs.pendingList
        if busy.isEmpty, list == nil { return try jobs.requireWholeList() }
        try wait(for: busy, list)
        onProgress(counts.values.reduce(0, +), counts[.failed] ?? 0)
      }
    } catch {
      interrupt()
      // What they have done is done, and can be found again.
      for worker in workers where worker.path != nil { while case .partial = worker.read() {} }
      throw error
    }
  }

  private func beginLibraries() throws {
    while !isEnding, workers.filter({ $0.path != nil }).count < workerCount, let path = held ?? jobs.next() {
      held = nil
      if let companion = companion(path) {
        var result = BatchResult(path: path)
        result.skip(companion)
        try write(result.line)
        continue
      }
      if let refusal = BatchJobs.refusal(of: path) {
        var result = BatchResult(path: path)
        result.fail(refusal)
        try write(result.line)
        continue
      }
      let file = FileStatus(path).map { FileIdentity(device: $0.device, number: $0.fileNumber) }
      if let file, files.values.contains(file) {
        held = path
        return
      }
      let idle = workers.first { $0.path == nil }
      let worker: WorkerProcess
      do {
        worker = try idle ?? WorkerProcess(workerArguments)
      } catch  where !workers.isEmpty {
        // The system grants no more: those that run do the rest.
        (workerCount, held) = (workers.count, path)
        return
      }
      if idle == nil { workers.append(worker) }
      files[path.pathBytes] = file
      try onBegin(path)
      worker.begin(path)
    }
  }

  private func wait(for busy: [WorkerProcess], _ list: Int32?) throws {
    var waiting = (busy.map(\.answers) + [list].compactMap { $0 }).map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    guard poll(&waiting, nfds_t(waiting.count), 1000) > 0 else { return }
    for (place, worker) in busy.enumerated() where waiting[place].revents != 0 {
      switch worker.read() {
      case .partial: break
      case .line(let path, let line):
        files[path.pathBytes] = nil
        try write(line)
      case .end(let path, let how):
        workers.removeAll { $0 === worker }
        guard let path else { continue }
        files[path.pathBytes] = nil
        var result = BatchResult(path: path)
        result.fail(
          isInterrupted ? MigrationError(.interrupted) : MigrationError(.workerEnded, path: path, detail: how))
        try write(result.line)
      }
    }
    if list != nil, waiting.last?.revents != 0 { try jobs.read() }
  }

  private func write(_ line: [UInt8]) throws {
    let status = BatchResult(line: line)?.status ?? .failed
    counts[status, default: 0] += 1
    try results.write(utf8: line)
    // Each result is there as soon as its library is.
    try results.flush()
    if endsAtFailure, status == .failed { isEnding = true }
  }

  private func interrupt() {
    guard !isInterrupted else { return }
    (isEnding, isInterrupted) = (true, true)
    workers.forEach { $0.interrupt() }
  }

  private func finish() {
    workers.forEach { $0.end() }
    workers = []
  }
}
