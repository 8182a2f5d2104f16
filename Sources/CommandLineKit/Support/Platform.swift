import SystemC

/// The process that the command runs in.
///
/// No other file of the parser knows that there is one.
enum Platform {
  /// The words that the process was started with, without the command's name.
  static var arguments: [String] { Array(CommandLine.exactArguments.dropFirst()) }

  /// How many columns text on standard output may have: as the user says, as the terminal says, or 80.
  static var columns: Int { Terminal.standardOutput.width }

  enum Stream { case output, error }

  /// Writes text that ends with exactly one newline; writes nothing if there is no text.
  static func print(_ text: String, to stream: Stream) {
    // What the command printed so far must come first.
    fflush(nil)
    let end = text.lastIndex { $0 != "\n" }
    guard let end else { return }
    let isWritten = write("\(text[...end])\n", to: stream == .output ? STDOUT_FILENO : STDERR_FILENO)
    guard !isWritten, stream == .output, errno != EPIPE else { return }
    // Half a completion script or man page must not pass for a whole one.
    let reason = String(cString: strerror(errno))
    _ = write("Error: cannot write the output: \(reason)\n", to: STDERR_FILENO)
    exit(outputFailure)
  }

  /// What sysexits.h calls a failed write.
  private static let outputFailure: Int32 = 74

  static func exit(_ code: Int32) -> Never {
    SystemC.exit(code)
  }

  /// Writes all of a text.
  ///
  /// - Returns: Whether that was possible; otherwise `errno` tells why not.
  private static func write(_ text: String, to descriptor: Int32) -> Bool {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { SystemC.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        return false
      }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
