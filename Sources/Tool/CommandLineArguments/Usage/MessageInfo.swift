internal import TerminalOutput

/// The output for an error, and the exit code of the process.
enum MessageInfo {
  /// Text that the user asked for.
  case help(text: String)

  /// An invalid command line, with the usage and the help of the invalid argument.
  case validation(message: String, usage: String, help: String = "")

  /// A failure, or a silent exit with a code.
  case other(message: String, exitCode: ExitCode)

  /// Everything that is printed.
  ///
  /// - Parameter prefix: The text before the message of an error, such as "tool: error:". It is made only for one,
  ///   since that takes longer than a version.
  func fullText(prefix: @autoclosure () -> String) -> String {
    switch self {
    case .help(let text): text
    case .validation(let message, let usage, let help):
      (message.isEmpty ? "" : "\(prefix()) \(message)\n") + (help.isEmpty ? "" : "Help:  \(help)\n") + usage
    case .other(let message, _): message.isEmpty ? "" : "\(prefix()) \(message)"
    }
  }

  /// The error's own text; empty if there is no error, or if it was printed already.
  var message: String {
    switch self {
    case .help: ""
    case .validation(let message, _, _), .other(let message, _): message
    }
  }

  /// The exit code of the process.
  var exitCode: ExitCode {
    switch self {
    case .help: .success
    case .validation: .validationFailure
    case .other(_, let exitCode): exitCode
    }
  }
}

extension MessageInfo {
  /// Determines what is printed for any error that parsing or running a command can throw.
  init(error: any Error, root: any ParsableArguments.Type, columns: Int? = nil) {
    let columns = columns ?? Platform.columns
    if let error = error as? CommandError {
      self.init(error, columns: columns)
    } else {
      self.init(userError: error, command: CommandInfo(root: root), columns: columns)
    }
  }

  private init(_ error: CommandError, columns: Int) {
    let command = error.stack[error.stack.count - 1]
    switch error.error {
    case .helpRequested(let includeHidden):
      self = .help(text: HelpGenerator(command, includeHidden: includeHidden).rendered(columns: columns))
    case .versionRequested: self = .help(text: command.version)
    case .manualPageRequested: self = .help(text: ManualGenerator(error.stack[0]).page)
    case .completionScriptRequested(let name):
      guard let shell = CompletionShell(rawValue: name) else {
        self = .wrong(.unsupportedShell(name), error, columns: columns)
        return
      }
      self = .help(text: shell.script(error.stack[0]))
    case .userError(let userError): self.init(userError: userError, command: command, columns: columns)
    case .unknownOption, .unknownCommand, .missingValue, .unexpectedValue, .unexpectedArguments, .missingArgument,
      .invalidValue, .unsupportedShell:
      self = .wrong(error.error, error, columns: columns)
    }
  }

  private init(userError: any Error, command: CommandInfo, columns: Int) {
    switch userError {
    case let error as ValidationError:
      self = .validation(message: error.message, usage: command.usageAndHint(columns: columns))
    case let code as ExitCode: self = .other(message: "", exitCode: code)
    default: self = .other(message: "\(userError)", exitCode: .failure)
    }
  }

  private static func wrong(_ fact: ParserError, _ error: CommandError, columns: Int) -> MessageInfo {
    let words = ErrorMessageGenerator(error: fact, stack: error.stack)
    let command = error.stack[error.stack.count - 1]
    if error.isEmptyCommandLine {
      let root = HelpGenerator(error.stack[0])
      let help =
        error.stack[0].shownSubcommands.isEmpty ? root.rendered(columns: columns) : root.introduction(columns: columns)
      return .validation(message: words.message ?? "", usage: "\n" + help)
    }
    let help = words.subject.flatMap { $0.abstract.isEmpty ? nil : "\($0.synopsis)  \($0.abstract)" }
    return .validation(message: words.message ?? "", usage: command.usageAndHint(columns: columns), help: help ?? "")
  }
}

extension CommandInfo {
  /// The usage, and where to read more.
  fileprivate func usageAndHint(columns: Int) -> String {
    let usage = "Usage: \(UsageGenerator(self).glance(columns: columns - 7))".hanging(by: 7) + "\n"
    guard let help = arguments.first(where: { $0.role == .help })?.names.preferred else { return usage }
    return usage + "  See '\(path.joined(separator: " ")) \(help.spelling)' for more information."
  }
}

/// An error that ends the command with a code and prints nothing.
package struct ExitCode: Error, Hashable {
  /// The code given to the shell.
  let rawValue: Int32

  /// Creates an error with a code of the command's own.
  package init(_ code: Int32) { rawValue = code }

  /// The command succeeded: 0.
  package static let success = ExitCode(0)

  /// The command failed: 1.
  package static let failure = ExitCode(1)

  /// The command line was wrong: 64, `EX_USAGE` in sysexits.h.
  static let validationFailure = ExitCode(64)
}

/// A wrong command line, found after parsing: the message and the usage are printed, and the exit code is 64.
package struct ValidationError: Error, CustomStringConvertible {
  /// The error's text for the user.
  let message: String

  /// Creates an error with a message for the user, in one line: it may quote names from files.
  package init(_ message: String) { self.message = VisibleText.of(message) }

  /// Creates an error whose message has several lines, such as one that shows a place in a text.
  package init(lines message: String) {
    self.message = message.split(separator: "\n", omittingEmptySubsequences: false).map { VisibleText.of(String($0)) }
      .joined(separator: "\n")
  }

  /// The message.
  package var description: String { message }
}
