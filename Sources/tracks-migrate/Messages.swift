import CommandLineKit
import Diagnostics

/// What a person is told, on standard error.
enum Messages {
  /// Writes a line.
  ///
  /// Names out of libraries cannot steer the terminal with it.
  static func note(_ text: String) {
    let output = StandardOutput(descriptor: 2)
    // When standard error is closed there is nobody to tell.
    try? output.writeLine(text.visible)
    try? output.flush()
  }

  /// Writes a warning: the command goes on.
  static func warning(_ text: String) {
    note("tracks-migrate: warning: \(text)")
  }

  /// Writes what could not be made sure of although the work is done, be it with `--quiet`.
  static func risk(_ risk: MigrationError) {
    let message = ErrorMessage(risk)
    warning("\(message.problem). \(message.advice)")
  }

  /// Writes an error.
  static func error(_ text: String) {
    note("tracks-migrate: error: \(text)")
  }

  /// Writes what a launch argument for debugging asks for; of several lines all but the first are indented.
  static func debug(_ text: String) {
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      note((number == 0 ? "" : "    ") + String(line.map { $0 == "\t" ? " " : $0 }))
    }
  }
}
