/// What was wrong with a command line, or what it asked for instead of running: facts, without words.
enum ParserError: Error {
  case helpRequested(includeHidden: Bool)
  case versionRequested
  case completionScriptRequested(shell: String)
  case manualPageRequested

  case unknownOption(OptionName)
  case unknownCommand(String)
  case missingValue(ArgumentInfo, name: OptionName)
  case unexpectedValue(name: OptionName, value: String)
  case unexpectedArguments([String])
  case duplicateExclusive(previous: OptionName, duplicate: OptionName)
  case missingArgument(ArgumentInfo)
  case invalidValue(ArgumentInfo, InvalidValue)
  case unsupportedShell(String)

  /// The command line was parsed; the command itself found something wrong.
  case userError(any Error)
}

/// What was wrong, and with which command.
struct CommandError: Error {
  var error: ParserError

  /// The commands that were named, from the root to the one that the error belongs to.
  var stack: [CommandInfo]

  /// Whether nothing at all was given, so that the whole help is worth more than the usage line.
  var isEmptyCommandLine = false
}

extension CommandError {
  /// Whether only the version is asked for, which one command is enough to tell.
  var isVersionRequest: Bool {
    if case .versionRequested = error { true } else { false }
  }

  /// Notes which command threw an error when it ran, so that the usage shown is that command's.
  init(thrownBy type: any ParsableCommand.Type, below root: any ParsableCommand.Type, _ error: any Error) {
    let info = CommandInfo(root: root)
    self.init(error: .userError(error), stack: info.stack(of: type, below: root) ?? [info])
  }
}

/// A word that could not be converted to the type of its property.
struct InvalidValue: Error {
  var word: String
  var name: OptionName?

  /// What a `transform` closure threw.
  var reason: (any Error)?
}
