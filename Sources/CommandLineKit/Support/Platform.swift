import SystemC

/// The process that the command runs in.
///
/// No other file of the parser knows that there is one.
enum Platform {
  /// The words that the process was started with, without the command's name.
  static var arguments: [String] { Array(CommandLine.arguments.dropFirst()) }

  /// How many columns text on standard output may have: as the user says, as the terminal says, or 80.
  static var columns: Int { Terminal.standardOutput.width }

  enum Stream { case output, error }

  /// Writes text that ends with exactly one newline; writes nothing if there is no text.
  static func print(_ text: String, to stream: Stream) {
    // What the command printed so far must come first.
    fflush(nil)
    let end = text.lastIndex { $0 != "\n" }
    guard let end else { return }
    write("\(text[...end])\n", to: stream == .output ? STDOUT_FILENO : STDERR_FILENO)
  }

  static func exit(_ code: Int32) -> Never {
    SystemC.exit(code)
  }

  private static func write(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { SystemC.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        return
      }
      rest = rest.dropFirst(count)
    }
  }
}
