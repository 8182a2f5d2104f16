/// An error that ends the command early and successfully, with text on standard output and exit code 0.
public struct CleanExit: Error, CustomStringConvertible {
  enum Representation {
    case helpRequest((any ParsableCommand.Type)?)
    case message(String)
  }

  var representation: Representation

  /// Prints the help of a command, by default the one that throws this error.
  public static func helpRequest(_ type: (any ParsableCommand.Type)? = nil) -> CleanExit {
    CleanExit(representation: .helpRequest(type))
  }

  /// Prints the help of a command.
  public static func helpRequest(_ command: some ParsableCommand) -> CleanExit {
    CleanExit(representation: .helpRequest(type(of: command)))
  }

  /// Prints a message.
  public static func message(_ text: String) -> CleanExit {
    CleanExit(representation: .message(text))
  }

  /// The message; empty for help.
  public var description: String {
    if case .message(let text) = representation { text } else { "--help" }
  }
}

/// An error that ends the command with an exit code and prints nothing.
public struct ExitCode: Error, RawRepresentable, Hashable, Sendable {
  /// The exit code returned to the shell.
  public var rawValue: Int32

  /// Creates an error with a custom exit code.
  public init(_ code: Int32) {
    self.rawValue = code
  }

  /// Creates an error with a custom exit code.
  public init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// Success: 0.
  public static let success = ExitCode(0)

  /// Failure: 1.
  public static let failure = ExitCode(1)

  /// The command line was wrong: 64, `EX_USAGE` in sysexits.h.
  public static let validationFailure = ExitCode(64)

  /// Whether the code means success.
  public var isSuccess: Bool { self == .success }
}

/// An invalid command line, found after parsing.
///
/// The message and the usage are printed, and the exit code is 64.
public struct ValidationError: Error, CustomStringConvertible {
  /// What is wrong, for the user.
  public internal(set) var message: String

  /// Creates an error with a message for the user.
  public init(_ message: String) {
    self.message = message
  }

  /// The message.
  public var description: String { message }
}
