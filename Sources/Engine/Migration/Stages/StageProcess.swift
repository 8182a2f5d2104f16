internal import MigrationDiagnostics
internal import SystemC

/// The program that the code of an app's stage runs in, while this process holds the store.
///
/// The code may do anything: print, wait, end the process. So it has a process of its own, and what it asks for is
/// answered over pipes.
final class StageProcess {
  /// The longest time for which the code may compute without asking for anything.
  ///
  /// Code that waits for something that does not come would otherwise keep the store locked.
  static var patience: Int {
    getenv("TRACKS_MIGRATE_STAGE_LIMIT").flatMap { Int(String(path: $0)) }.flatMap { $0 > 0 ? min($0, 1 << 30) : nil }
      ?? 300
  }

  /// The greatest size of a message, which is as large as a value that SQLite accepts.
  private static let messageLimit = 1 << 30

  /// The end of the code before it was done, as a clause.
  struct Failure: Error {
    let reason: String
    /// The last lines of its standard error.
    let report: [String]
  }

  private let child: ChildProcess
  private let patience = StageProcess.patience
  private var input: [UInt8] = []
  private var errors: [UInt8] = []
  private var buffer = [UInt8](repeating: 0, count: 65536)
  private var hasErrors = true
  private var isRunning = true

  /// Starts the program; `nil`, with `errno` set, if it cannot be started.
  init?(_ words: [String]) {
    guard let child = ChildProcess(words, readsErrors: true) else { return nil }
    self.child = child
    // What the code has started may keep the pipe for its errors open.
    for descriptor in [child.input, child.errors] { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
  }

  deinit { if isRunning { end() } }

  /// Waits for the next message.
  func receive() throws -> WireValue {
    while input.count < 4 { try wait(toWrite: []) }
    let length = WireValue.length(input.prefix(4))
    guard length <= Self.messageLimit else {
      throw Failure(reason: "it sent \(length) bytes at once; save fewer objects at a time", report: report)
    }
    while input.count < 4 + length { try wait(toWrite: []) }
    let message = WireValue(Array(input[4..<4 + length]))
    input.removeFirst(4 + length)
    guard let message else { throw Failure(reason: "it wrote to the pipe of its store", report: report) }
    return message
  }

  /// Sends a message.
  func send(_ message: WireValue) throws {
    var bytes = message.frame[...]
    while !bytes.isEmpty { bytes = bytes.dropFirst(try wait(toWrite: bytes)) }
  }

  /// Waits until something was read or written.
  ///
  /// - Returns: The number of bytes that were written.
  @discardableResult
  private func wait(toWrite bytes: ArraySlice<UInt8>) throws -> Int {
    let deadline = ContinuousClock.now + .seconds(patience)
    while true {
      // A program that is sent something reads that before it asks again.
      var waiting = [
        bytes.isEmpty
          ? pollfd(fd: child.output, events: Int16(POLLIN), revents: 0)
          : pollfd(fd: child.input, events: Int16(POLLOUT), revents: 0)
      ]
      if hasErrors { waiting.append(pollfd(fd: child.errors, events: Int16(POLLIN), revents: 0)) }
      let count = poll(&waiting, nfds_t(waiting.count), 1000)
      if EndRequest.isMade { throw MigrationError(.interrupted) }
      let ready = Set(waiting.filter { count > 0 && $0.revents != 0 }.map(\.fd))
      if ready.contains(child.errors) { hasErrors = readErrors() }
      if ready.contains(child.input) {
        let written = bytes.withUnsafeBytes { write(child.input, $0.baseAddress, $0.count) }
        if written > 0 { return written }
        guard errno == EAGAIN || errno == EINTR else { throw failureOfEnded() }
      }
      if ready.contains(child.output) {
        let size = read(child.output, &buffer, buffer.count)
        guard size > 0 || size < 0 && errno == EINTR else { throw failureOfEnded() }
        input += buffer[..<max(size, 0)]
        if size > 0 { return 0 }
      }
      // What it has started may keep its pipes open.
      if count == 0, hasEnded { throw failureOfEnded() }
      guard ContinuousClock.now < deadline else {
        throw Failure(
          reason: "it has not asked for anything for \(patience) seconds, and seems to hang", report: report)
      }
    }
  }

  /// Takes what there is of the program's errors.
  ///
  /// - Returns: Whether there may be more.
  @discardableResult
  private func readErrors() -> Bool {
    // A program that never stops to print must not keep this one from its deadline.
    for _ in 0..<64 {
      let count = read(child.errors, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return count < 0 && errno == EAGAIN }
      errors += buffer[..<count]
      // The last lines say why it ended.
      errors.removeFirst(max(errors.count - 1 << 16, 0))
    }
    return true
  }

  /// Whether the program has ended; what it has started may still run.
  private var hasEnded: Bool {
    var information = siginfo_t()
    let result = waitid(P_PID, id_t(child.identifier), &information, WEXITED | WNOHANG | WNOWAIT)
    return result != 0 || information.si_signo != 0
  }

  /// The failure of a program that has closed its pipe.
  private func failureOfEnded() -> Failure {
    // It is about to end, unless it has only closed the pipe.
    for _ in 0..<100 where !hasEnded { usleep(20_000) }
    readErrors()
    let status = end()
    return Failure(reason: Self.end(status), report: report)
  }

  /// The end of the program by the status of `waitpid`, as a clause.
  private static func end(_ status: Int32) -> String {
    let signal = status & 0x7F
    // Swift's traps are instructions that no processor has: one kind on x86, another one on ARM.
    return switch signal {
    case 0: "it ended the program with exit status \(status >> 8 & 0xFF)"
    case SIGILL, SIGTRAP:
      "the code trapped (signal \(signal)), as Swift does where a number overflows, a value that is forced is missing, or "
        + "an index is out of range"
    default: "signal \(signal) ended the program"
    }
  }

  /// Ends the program, and what it has started: it has a group of its own.
  @discardableResult
  private func end() -> Int32 {
    isRunning = false
    kill(-child.identifier, SIGKILL)
    // It may have left its group.
    kill(child.identifier, SIGKILL)
    return child.end()
  }

  private var report: [String] {
    String(decoding: errors, as: UTF8.self).split(separator: "\n").suffix(20).map { String($0.prefix(1000)) }
  }
}
