internal import SystemC

/// Writes text to a stream, in order.
///
/// Writing can fail: see ``BrokenPipe`` and ``OutputError``.
package protocol TextOutput: AnyObject {
  /// Appends bytes that are UTF-8.
  func write(utf8 bytes: [UInt8]) throws

  /// Appends text.
  func write(_ text: String) throws

  /// Writes everything that is buffered.
  func flush() throws
}

extension TextOutput {
  /// Appends text.
  package func write(_ text: String) throws {
    try write(utf8: Array(text.utf8))
  }

  /// Appends text and a line feed.
  package func writeLine(_ text: String = "") throws {
    try write(text)
    try write("\n")
  }
}

/// Writes to a file descriptor through a buffer.
///
/// Call ``flush()`` before the process ends, or the buffer is lost: a `deinit` cannot report that the disk is full. Call
/// ``BrokenPipe/ignoreSignal()`` once before the first write.
package final class StandardOutput: TextOutput {
  private let descriptor: Int32
  private let capacity: Int
  private var buffer: [UInt8] = []

  /// Creates an output.
  ///
  /// - Parameters:
  ///   - descriptor: Where to write: 1 is standard output, 2 is standard error. It is not closed.
  ///   - capacity: The number of bytes to buffer.
  package init(descriptor: Int32 = 1, capacity: Int = 65536) {
    self.descriptor = descriptor
    self.capacity = capacity
    buffer.reserveCapacity(capacity)
  }

  /// Appends UTF-8 bytes.
  ///
  /// - Throws: ``BrokenPipe`` when the reader is gone, ``OutputError`` when the system refuses for another reason.
  package func write(utf8 bytes: [UInt8]) throws {
    buffer.append(contentsOf: bytes)
    if buffer.count >= capacity { try flush() }
  }

  /// Appends text.
  ///
  /// - Throws: ``BrokenPipe`` when the reader is gone, ``OutputError`` when the system refuses for another reason.
  package func write(_ text: String) throws {
    buffer.append(contentsOf: text.utf8)
    if buffer.count >= capacity { try flush() }
  }

  /// Writes the content of the buffer.
  ///
  /// - Throws: ``BrokenPipe`` when the reader is gone, ``OutputError`` when the system refuses for another reason.
  package func flush() throws {
    // Emptied also on failure: a second attempt could only repeat a part of the output.
    defer { buffer.removeAll(keepingCapacity: true) }
    var written = 0
    while written < buffer.count {
      written += try writeSome(from: written)
    }
  }

  /// Writes as much as the system accepts at once, starting at an index, and returns the number of bytes written.
  private func writeSome(from start: Int) throws -> Int {
    // A process that was asked to end should not wait for a reader.
    guard !EndRequest.isMade || waitUntilWritable() else { throw OutputError(errorNumber: EINTR) }
    let (count, number) = buffer[start...].withUnsafeBytes { bytes in
      // `errno` is read immediately, before any other call can change it.
      let count = systemWrite(descriptor, bytes)
      return (count, count < 0 ? errno : 0)
    }
    if count > 0 { return count }
    switch number {
    case 0, EINTR: break
    // The stream may be shared with a program that made it non-blocking, as some terminals and test runners do.
    case EAGAIN, EWOULDBLOCK: _ = waitUntilWritable()
    case EPIPE: throw BrokenPipe()
    default: throw OutputError(errorNumber: number)
    }
    return 0
  }

  /// Waits, but only briefly if the process has been asked to end.
  ///
  /// - Returns: Whether the stream is writable; if not, the next write reports why.
  private func waitUntilWritable() -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&request, 1, EndRequest.isMade ? 100 : -1) > 0
  }
}

extension StandardOutput {
  /// Writes a whole document; on a terminal, without what would steer it.
  package static func write(document: String) throws {
    let output = StandardOutput()
    try output.write(Terminal.standardOutput.isTerminal ? VisibleText.lines(document) : document)
    try output.flush()
  }
}

/// Writes lines of JSON to a terminal, without what would steer it.
package final class TerminalJSONOutput: TextOutput {
  private let output: StandardOutput

  /// Creates an output to the terminal; each write holds whole characters.
  package init(_ output: StandardOutput) { self.output = output }

  /// Appends bytes that are UTF-8.
  package func write(utf8 bytes: [UInt8]) throws { try output.write(utf8: JSONText.escapingControls(inJSON: bytes)) }

  /// Writes everything that is buffered.
  package func flush() throws { try output.flush() }
}

/// The system's `write`, whose plain name the methods of the class hide.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  write(descriptor, bytes.baseAddress, bytes.count)
}

/// Keeps its output in memory, for tests and for text that is needed as a whole.
package final class MemoryOutput: TextOutput {
  private var bytes: [UInt8] = []

  /// Creates an empty output.
  package init() {}

  /// Everything that was written so far.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Appends bytes that are UTF-8.
  package func write(utf8 bytes: [UInt8]) {
    self.bytes += bytes
  }

  /// Does nothing: there is no buffer.
  package func flush() {}
}

/// The error of output that could not be written.
package struct OutputError: Error, Sendable, Hashable {
  /// The system's number for the error (`errno`).
  package let errorNumber: Int32

  /// Creates an error from the system's number for it.
  package init(errorNumber: Int32) {
    self.errorNumber = errorNumber
  }

  /// The system's text for the error, such as "No space left on device".
  package var reason: String {
    guard let text = strerror(errorNumber) else { return "error \(errorNumber)" }
    return String(cString: text)
  }

  /// The status with which a command ends: 75 if there is no space left, and 74 for any other reason.
  package var exitStatus: Int32 { [ENOSPC, EDQUOT].contains(errorNumber) ? 75 : 74 }
}

extension OutputError: CustomStringConvertible {
  /// The error as a phrase, such as "cannot write the output: No space left on device".
  package var description: String { "cannot write the output: \(reason)" }
}

/// The error of output whose reader is gone, as after `tracks-migrate list | head`.
///
/// The reader may have read enough. But not all was written, so the command ends by `SIGPIPE`, as other programs do, and
/// never with 0.
package struct BrokenPipe: Error, Sendable, Hashable {
  /// Creates the error.
  package init() {}

  /// Whether the process was started with `SIGPIPE` ignored, as by a service manager.
  nonisolated(unsafe) private static var isIgnoredByCaller = false

  /// Makes writes to a closed pipe throw this error instead of ending the process.
  ///
  /// A command calls this once, before it writes. The default action of `SIGPIPE` would end a migration half way, without
  /// a chance to clean up, only because its report was piped into `head`.
  package static func ignoreSignal() {
    isIgnoredByCaller = unsafeBitCast(signal(SIGPIPE, SIG_IGN), to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// Ends the process by the signal, once all is cleaned up.
  ///
  /// It returns only if the caller ignores the signal, and would take it for a success: then the error is to be told.
  package static func endProcess() {
    guard !isIgnoredByCaller else { return }
    signal(SIGPIPE, SIG_DFL)
    raise(SIGPIPE)
  }

  /// The error of the system that shows it.
  package var outputError: OutputError { OutputError(errorNumber: EPIPE) }
}
