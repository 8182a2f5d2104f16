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
  static var patience: Int { getenv("TRACKS_MIGRATE_STAGE_LIMIT").flatMap { Int(String(path: $0)) } ?? 300 }

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
  private var isAtEnd = false

  /// Starts the program; `nil`, with `errno` set, if it cannot be started.
  init?(_ words: [String]) {
    guard let child = ChildProcess(words, readsErrors: true) else { return nil }
    self.child = child
    _ = fcntl(child.input, F_SETFL, O_NONBLOCK)
  }

  deinit {
    // Its own group, so that what it has started ends as well.
    kill(-child.identifier, SIGKILL)
    child.end()
  }

  /// Waits for the next message.
  func receive() throws -> WireValue {
    while input.count < 4 || input.count < 4 + WireValue.length(input.prefix(4)) { try wait(toWrite: []) }
    let length = WireValue.length(input.prefix(4))
    let message = WireValue(Array(input[4..<4 + length]))
    input.removeFirst(4 + length)
    guard let message else { throw Failure(reason: "it sent a message that is not one", report: report) }
    return message
  }

  /// Sends a message.
  func send(_ message: WireValue) throws {
    var bytes = message.frame[...]
    while !bytes.isEmpty { bytes = bytes.dropFirst(try wait(toWrite: bytes)) }
  }

  /// Waits until something can be read or written, and does that.
  ///
  /// - Returns: The number of bytes that were written.
  @discardableResult
  private func wait(toWrite bytes: ArraySlice<UInt8>) throws -> Int {
    if isAtEnd { throw ended() }
    let deadline = ContinuousClock.now + .seconds(patience)
    while true {
      var waiting = [child.output, child.errors].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      if !bytes.isEmpty { waiting.append(pollfd(fd: child.input, events: Int16(POLLOUT), revents: 0)) }
      let count = poll(&waiting, nfds_t(waiting.count), 1000)
      if EndRequest.isMade { throw MigrationError(.interrupted) }
      guard count > 0 else {
        guard ContinuousClock.now < deadline else {
          throw Failure(
            reason: "it has not asked for anything for \(patience) seconds, so that it seems to hang", report: report)
        }
        continue
      }
      if waiting[1].revents != 0 {
        errors += read(child.errors)
        errors.removeFirst(max(errors.count - 1 << 16, 0))
        if errors.isEmpty || waiting[0].revents == 0 && waiting.count == 2 {
          // Its end may be all that there is to read.
          if waiting[1].revents & Int16(POLLHUP) != 0, waiting[0].revents == 0 { isAtEnd = true; throw ended() }
        }
      }
      if waiting.count == 3, waiting[2].revents != 0 {
        let written = bytes.withUnsafeBytes { write(child.input, $0.baseAddress, $0.count) }
        if written > 0 { return written }
        if errno != EAGAIN && errno != EINTR { isAtEnd = true }
      }
      if waiting[0].revents != 0 {
        let found = read(child.output)
        input += found
        if found.isEmpty { isAtEnd = true }
      }
      if isAtEnd { throw ended() }
      if bytes.isEmpty, waiting[0].revents != 0 { return 0 }
    }
  }

  private func read(_ descriptor: Int32) -> ArraySlice<UInt8> {
    while true {
      let count = SystemC.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      return buffer[..<max(count, 0)]
    }
  }

  /// Why the program is not there any more.
  private func ended() -> Failure {
    // What it printed last may still be in the pipe.
    while true {
      let rest = read(child.errors)
      if rest.isEmpty { break }
      errors += rest
    }
    let status = child.end()
    let reason =
      status & 0x7F == 0
      ? "it ended the program with exit status \(status >> 8 & 0xFF)" : "signal \(status & 0x7F) ended it"
    return Failure(reason: reason, report: report)
  }

  private var report: [String] {
    String(decoding: errors, as: UTF8.self).split(separator: "\n").suffix(20).map { String($0) }
  }
}
