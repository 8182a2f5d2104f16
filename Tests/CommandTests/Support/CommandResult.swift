import Testing

/// The outcome of a process.
struct CommandResult: CustomTestStringConvertible {
  /// How a process ended.
  enum End: Equatable {
    case exited(Int32)
    case signalled(Int32)
    /// It was killed because it took too long.
    case timedOut
  }

  var end: End
  /// What it wrote to standard output, byte for byte.
  var output: [UInt8]
  /// What it wrote to standard error.
  var errorOutput: [UInt8]
  /// What appeared on its terminal, if it had one.
  var terminalOutput: [UInt8]

  /// The exit status; `nil` when it did not exit.
  var status: Int32? { if case .exited(let status) = end { status } else { nil } }
  var stdout: String { String(decoding: output, as: UTF8.self) }
  var stderr: String { String(decoding: errorOutput, as: UTF8.self) }
  var terminal: String { String(decoding: terminalOutput, as: UTF8.self) }
  /// The same without the colours that the command itself puts on; any other sequence stays.
  var colorlessTerminal: String { terminal.replacing(/\x1B\[(?:0|1|1;31|1;33|31|32|33)m/, with: "") }
  /// The lines of standard output.
  var lines: [String] { stdout.split(separator: "\n").map(String.init) }

  var testDescription: String {
    "\(end)\n--- stdout:\n\(stdout)--- stderr:\n\(stderr)\(terminal.isEmpty ? "" : "--- terminal:\n\(terminal)")"
  }
}
