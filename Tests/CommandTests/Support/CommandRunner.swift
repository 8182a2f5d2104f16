import Foundation
import TestSupport

/// The configuration of a process; by default of the built command.
struct CommandRunner {
  /// One of the two streams that a process writes.
  enum Stream { case output, error }

  var executable = Tool.path
  var arguments: [String]
  /// The working folder; by default that of the tests.
  var folder: String?
  /// Environment variables in addition to the few that every process gets.
  var environment: [String: String] = [:]
  /// The contents of standard input.
  var input: [UInt8] = []
  /// The streams that are connected to a terminal instead of a pipe.
  var terminalStreams: Set<Stream> = []
  /// The width of that terminal.
  var terminalWidth: UInt16 = 100
  /// The number of seconds after which the process is killed.
  var timeout: Double = 240 * Sanitizer.slowness

  init(_ arguments: [String], folder: String? = nil, environment: [String: String] = [:]) {
    self.arguments = arguments
    self.folder = folder
    self.environment = environment
  }

  /// Returns a runner of a shell script, in which `$TOOL` is the command and `$1`, `$2` and so on are the words.
  static func shell(_ script: String, _ words: String..., in folder: String? = nil) -> CommandRunner {
    var runner = CommandRunner(["-c", script, "sh"] + words, folder: folder, environment: ["TOOL": Tool.path])
    runner.executable = "/bin/sh"
    return runner
  }

  /// Runs the process and waits until it ends.
  func run() throws -> CommandResult {
    try start().finish()
  }

  /// Starts the process without waiting for it.
  func start() throws -> RunningCommand {
    try RunningCommand(self)
  }

  /// The process's whole environment.
  var wholeEnvironment: [String: String] {
    let passedOn = ["PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH"] + Sanitizer.variables
    let inherited = ProcessInfo.processInfo.environment.filter { passedOn.contains($0.key) }
    return inherited.merging(["TERM": "xterm", "LC_ALL": "C.UTF-8"]) { $1 }.merging(environment) { $1 }
  }
}
