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
