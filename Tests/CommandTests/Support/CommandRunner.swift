import Foundation
import TestSupport

/// A process that is to be run: by default the built command.
struct CommandRunner {
  /// One of the two streams that a process writes.
  enum Stream { case output, error }

  var executable = Tool.path
  var arguments: [String]
  /// Where it runs; by default in the folder of the tests.
  var folder: String?
  /// Variables besides the few that every process gets.
  var environment: [String: String] = [:]
  /// What it can read from standard input.
  var input: [UInt8] = []
  /// The streams that are connected with a terminal rather than with a pipe.
  var terminalStreams: Set<Stream> = []
  /// How wide that terminal is.
  var terminalWidth: UInt16 = 100
  /// After how many seconds it is killed.
  var timeout: Double = 240 * Sanitizer.slowness

  init(_ arguments: [String], folder: String? = nil, environment: [String: String] = [:]) {
    self.arguments = arguments
    self.folder = folder
    self.environment = environment
  }

  /// A shell script, in which `$TOOL` is the command and `$1`, `$2` and so on are the words.
  static func shell(_ script: String, _ words: String..., in folder: String? = nil) -> CommandRunner {
    var runner = CommandRunner(["-c", script, "sh"] + words, folder: folder, environment: ["TOOL": Tool.path])
    runner.executable = "/bin/sh"
    return runner
  }

  /// Runs the process, and waits until it has ended.
  func run() throws -> CommandResult {
    try start().finish()
  }

  /// Starts the process, and does not wait for it.
  func start() throws -> RunningCommand {
    try RunningCommand(self)
  }

  /// Everything that the process finds in its environment.
  var wholeEnvironment: [String: String] {
    let passedOn = ["PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH"] + Sanitizer.variables
    let inherited = ProcessInfo.processInfo.environment.filter { passedOn.contains($0.key) }
    return inherited.merging(["TERM": "xterm", "LC_ALL": "C.UTF-8"]) { $1 }.merging(environment) { $1 }
  }
}
