import Foundation

/// A process that has been started.
final class RunningCommand {
  /// A stream of the process, and the bytes read from it.
  private struct Channel {
    var descriptor: Int32
    var bytes: [UInt8] = []
    var isOpen: Bool { descriptor >= 0 }
  }

  let processID: pid_t
  private let timeout: Double
  private var output: Channel
  private var errorOutput: Channel
  private var terminal: Channel

  /// Held while a process is started.
  ///
  /// Another one started meanwhile would inherit its pipes and keep them open.
  private static let starting = NSLock()

  init(_ runner: CommandRunner) throws {
    Self.starting.lock()
    defer { Self.starting.unlock() }
    let output = try Pipes.make()
    let errorOutput = try Pipes.make()
    let terminal = runner.terminalStreams.isEmpty ? Pipes.none : try PseudoTerminal.make(width: runner.terminalWidth)
    let input = try Pipes.reading(runner.input)
    defer { for end in [input, output.write, errorOutput.write, terminal.write] where end >= 0 { close(end) } }
    processID = try Spawn.start(
      runner,
      descriptors: [
        input,
        runner.terminalStreams.contains(.output) ? terminal.write : output.write,
        runner.terminalStreams.contains(.error) ? terminal.write : errorOutput.write,
      ])
    self.output = Channel(descriptor: output.read)
    self.errorOutput = Channel(descriptor: errorOutput.read)
    self.terminal = Channel(descriptor: terminal.read)
    timeout = runner.timeout
  }

  deinit {
    for channel in [output, errorOutput, terminal] where channel.isOpen { close(channel.descriptor) }
  }

  /// Sends the process a signal.
  func send(_ signal: Int32) {
    kill(processID, signal)
  }

  /// Reads everything that the process writes, from all streams, and waits until it ends.
  func finish() throws -> CommandResult {
    let deadline = ContinuousClock.now + .seconds(timeout)
    var hasTimedOut = false
    while isWriting {
      if ContinuousClock.now > deadline, !hasTimedOut {
        send(SIGKILL)
        hasTimedOut = true
      }
      readWhatIsThere()
    }
    var status: Int32 = 0
    while waitpid(processID, &status, 0) < 0, errno == EINTR {}
    let number = status & 0x7f
    let end: CommandResult.End = number == 0 ? .exited((status >> 8) & 0xff) : .signalled(number)
    return CommandResult(
      end: hasTimedOut ? .timedOut : end, output: output.bytes, errorOutput: errorOutput.bytes,
      terminalOutput: terminal.bytes)
  }

  /// Whether a stream is still open for writing.
  var isWriting: Bool { output.isOpen || errorOutput.isOpen || terminal.isOpen }

  /// The text read from standard error so far.
  var errorText: String { String(decoding: errorOutput.bytes, as: UTF8.self) }

  /// Reads the process's output, or waits a moment if there is none.
  func readWhatIsThere() {
    var requests = [output, errorOutput, terminal].map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    poll(&requests, nfds_t(requests.count), 200)
    if requests[0].revents != 0 { Self.read(&output) }
    if requests[1].revents != 0 { Self.read(&errorOutput) }
    if requests[2].revents != 0 { Self.read(&terminal) }
  }

  private static func read(_ channel: inout Channel) {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = Foundation.read(channel.descriptor, &buffer, buffer.count)
    if count > 0 {
      channel.bytes += buffer.prefix(count)
    } else if count == 0 || errno != EINTR {
      // A terminal that every process has closed gives an error instead of an end of file.
      close(channel.descriptor)
      channel.descriptor = -1
    }
  }
}
