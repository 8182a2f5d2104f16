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
