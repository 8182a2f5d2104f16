/// An error that ends the command early but well: text on standard output, exit code 0.
public struct CleanExit: Error, CustomStringConvertible {
  enum Representation {
    case helpRequest((any ParsableCommand.Type)?)
    case message(String)
  }

  var representation: Representation

  /// Prints the help of a command, by default of the one that throws this.
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

  /// The message; nothing for help.
  public var description: String {
    if case .message(let text) = representation { text } else { "--help" }
  }
}

/// An error that ends the command with a code and prints nothing.
public struct ExitCode: Error, RawRepresentable, Hashable, Sendable {
  /// The code given to the shell.
  public var rawValue: Int32

  /// Creates an error with a code of the command's own.
  public init(_ code: Int32) {
    self.rawValue = code
  }

  /// Creates an error with a code of the command's own.
  public init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// Everything went well: 0.
  public static let success = ExitCode(0)

  /// Something failed: 1.
  public static let failure = ExitCode(1)

  /// The command line was wrong: 64, `EX_USAGE` in sysexits.h.
  public static let validationFailure = ExitCode(64)

  /// Whether the code says that everything went well.
  public var isSuccess: Bool { self == .success }
}

/// A wrong command line, found after parsing: the message and the usage are printed, and the exit code is 64.
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
