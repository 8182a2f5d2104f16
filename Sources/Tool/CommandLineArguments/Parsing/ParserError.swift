/// An error of a command line, or a request instead of running: facts without wording.
enum ParserError: Error {
  case helpRequested(includeHidden: Bool)
  case versionRequested
  case completionScriptRequested(shell: String)
  case manualPageRequested

  case unknownOption(OptionName)
  case unknownCommand(String)
  case missingValue(ArgumentInfo, name: OptionName)
  case unexpectedValue(name: OptionName, value: String)
  /// Words that no argument takes, and those before them, which the arguments have taken.
  case unexpectedArguments([String], after: [String])
  case missingArgument(ArgumentInfo)
  case invalidValue(ArgumentInfo, InvalidValue)
  case unsupportedShell(String)

  /// The command line was parsed, but the command itself reported an error.
  case userError(any Error)
}

/// An error, and the command that it belongs to.
struct CommandError: Error {
  var error: ParserError

  /// The commands that were named, from the root to the one that the error belongs to.
  var stack: [CommandInfo]

  /// Whether nothing at all was given, in which case the full help is more useful than the usage line.
  var isEmptyCommandLine = false
}

extension CommandError {
  /// Records which command threw an error when it ran, so that its usage is shown.
  init(thrownBy type: any ParsableCommand.Type, below root: any ParsableCommand.Type, _ error: any Error) {
    let info = CommandInfo(root: root)
    self.init(error: error as? ParserError ?? .userError(error), stack: info.stack(of: type, below: root) ?? [info])
  }
}

/// A word that could not be converted to the type of its property.
struct InvalidValue: Error {
  var word: String
  var name: OptionName?

  /// The reason, if it is not obvious from the type.
  var reason: String?
}
