/// An error that ends the command early but well: text on standard output, exit code 0.
package struct CleanExit: Error, CustomStringConvertible {
  enum Representation {
    case helpRequest((any ParsableCommand.Type)?)
    case message(String)
  }

  var representation: Representation

  /// Prints the help of a command, by default of the one that throws this.
  package static func helpRequest(_ type: (any ParsableCommand.Type)? = nil) -> CleanExit {
    CleanExit(representation: .helpRequest(type))
  }

  /// Prints the help of a command.
  package static func helpRequest(_ command: some ParsableCommand) -> CleanExit {
    CleanExit(representation: .helpRequest(type(of: command)))
  }

  /// Prints a message.
  package static func message(_ text: String) -> CleanExit {
    CleanExit(representation: .message(text))
  }

  /// The message; nothing for help.
  package var description: String {
    if case .message(let text) = representation { text } else { "--help" }
  }
}

/// An error that ends the command with a code and prints nothing.
package struct ExitCode: Error, RawRepresentable, Hashable, Sendable {
  /// The code given to the shell.
  package var rawValue: Int32

  /// Creates an error with a code of the command's own.
  package init(_ code: Int32) {
    self.rawValue = code
  }

  /// Creates an error with a code of the command's own.
  package init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// Everything went well: 0.
  package static let success = ExitCode(0)

  /// Something failed: 1.
  package static let failure = ExitCode(1)

  /// The command line was wrong: 64, `EX_USAGE` in sysexits.h.
  package static let validationFailure = ExitCode(64)

  /// Whether the code says that everything went well.
  package var isSuccess: Bool { self == .success }
}

/// A wrong command line, found after parsing: the message and the usage are printed, and the exit code is 64.
package struct ValidationError: Error, CustomStringConvertible {
  /// What is wrong, for the user.
  package internal(set) var message: String

  /// Creates an error with a message for the user.
  package init(_ message: String) {
    self.message = message
  }

  /// The message.
  package var description: String { message }
}
