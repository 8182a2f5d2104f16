@testable import CommandLineArguments

/// What a person sees of a command, without a process.
extension ParsableArguments {
  /// Parses a command line that names no subcommand.
  static func parse(_ arguments: [String]) throws -> Self {
    let value = try CommandLineReader.read(arguments, root: self).command
    guard let value = value as? Self else {
      throw CommandError(
        error: .unexpectedArguments(["\(type(of: value))"], after: []), stack: [CommandInfo(root: self)])
    }
    return value
  }

  /// The message for an error, without "Error:" and usage.
  static func message(for error: any Error) -> String {
    switch MessageInfo(error: error, root: self) {
    case .help(let text): text
    case .validation(let message, _, _), .other(let message, _): message
    }
  }

  /// Everything that is printed for an error.
  static func fullMessage(for error: any Error, columns: Int = 80) -> String {
    MessageInfo(error: error, root: self, columns: columns).fullText(prefix: "error:")
  }

  static func exitCode(for error: any Error) -> ExitCode { MessageInfo(error: error, root: self).exitCode }

  static func helpMessage(includeHidden: Bool = false, columns: Int = 80) -> String {
    HelpGenerator(CommandInfo(root: self), includeHidden: includeHidden).rendered(columns: columns)
  }

  static func completionScript(for shell: CompletionShell) -> String { shell.script(CommandInfo(root: self)) }

  static var manualPage: String { ManualGenerator(CommandInfo(root: self)).page }
}

extension ParsableCommand {
  /// The help of a command below this one.
  static func helpMessage(
    for subcommand: any ParsableCommand.Type, includeHidden: Bool = false, columns: Int = 80
  ) -> String {
    let info = CommandInfo(root: self).stack(of: subcommand, below: self)?.last ?? CommandInfo(root: subcommand)
    return HelpGenerator(info, includeHidden: includeHidden).rendered(columns: columns)
  }
}
