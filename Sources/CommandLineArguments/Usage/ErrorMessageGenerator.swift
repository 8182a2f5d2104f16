/// Describes in words what is wrong with a command line.
struct ErrorMessageGenerator {
  var error: ParserError

  /// The commands that were named, whose options and subcommands can be suggested.
  var stack: [CommandInfo]

  /// The sentence; nil if nothing is wrong.
  var message: String? {
    switch error {
    case .helpRequested, .versionRequested, .completionScriptRequested, .manualPageRequested: nil
    case .unknownOption(let name): "Unknown option '\(name.spelling)'\(suggestion(for: name))"
    case .unknownCommand(let word): "Unknown command '\(word)'\(suggestion(for: word))"
    case .missingValue(let option, let name): "Missing value for '\(option.optionSynopsis(name))'"
    case .unexpectedValue(let name, let value):
      "The option '\(name.spelling)' does not take any value, but '\(value)' was specified."
    case .unexpectedArguments(let words): unexpected(words)
    case .duplicateExclusive(let previous, let duplicate):
      "Value to be set with flag '\(duplicate.spelling)' had already been set with flag '\(previous.spelling)'"
    case .missingArgument(let argument): missing(argument)
    case .invalidValue(let argument, let invalid): message(for: invalid, of: argument)
    case .unsupportedShell(let shell):
      """
      Can't generate completion scripts for '\(shell)'.
      Please use --generate-completion-script=<shell> with one of:
          \(CompletionShell.allCases.map(\.rawValue).joined(separator: " "))
      """
    case .userError(let error): "\(error)"
    }
  }

  /// The argument that the error is about, whose help is shown with the message.
  var subject: ArgumentInfo? {
    switch error {
    case .missingValue(let argument, _), .missingArgument(let argument), .invalidValue(let argument, _): argument
    default: nil
    }
  }
}

extension ErrorMessageGenerator {
  private func suggestion(for name: OptionName) -> String {
    let known = stack.flatMap { $0.shownArguments() }.flatMap(\.names)
    switch name {
    case .long(let word):
      let long = known.compactMap { if case .long(let name) = $0 { name } else { nil } }
      return nearest(to: word, in: long).map { ". Did you mean '--\($0)'?" } ?? ""
    case .singleDash(let word): return ". Did you mean '--\(word)'?"
    // Every letter is one typo away from every other.
    case .short: return ""
    }
  }

  private func suggestion(for word: String) -> String {
    let commands = stack.last?.shownSubcommands ?? []
    return nearest(to: word, in: commands.flatMap { [$0.name] + $0.aliases }).map { ". Did you mean '\($0)'?" } ?? ""
  }

  private func unexpected(_ words: [String]) -> String {
    let quoted = words.map { "'\($0)'" }.joined(separator: ", ")
    return words.count == 1 ? "Unexpected argument \(quoted)" : "\(words.count) unexpected arguments: \(quoted)"
  }

  private func missing(_ argument: ArgumentInfo) -> String {
    let names = argument.choices.compactMap { $0.names.preferred?.spelling }
    guard argument.kind == .flag, names.count > 1 else {
      return "Missing expected argument '\(argument.synopsis)\(argument.isRepeating ? " ..." : "")'"
    }
    return "Missing one of: \(names.map { "'\($0)'" }.joined(separator: ", "))"
  }

  private func message(for invalid: InvalidValue, of argument: ArgumentInfo) -> String {
    let subject = invalid.name.map(argument.optionSynopsis) ?? argument.synopsis
    let reason = invalid.reason.map { ": \($0)" } ?? Self.list(argument.allValues)
    return "The value '\(invalid.word)' is invalid for '\(subject)'\(reason)"
  }

  /// The valid words: in the sentence if they are few, below it otherwise.
  private static func list(_ values: [String]) -> String {
    let quoted = values.map { "'\($0)'" }
    switch values.count {
    case 0: return ""
    case 1...2: return ". Please provide one of \(quoted.joined(separator: " and "))."
    case 3...5:
      return ". Please provide one of \(quoted.dropLast().joined(separator: ", ")) or \(quoted[quoted.count - 1])."
    default:
      return ". Please provide one of the following:\n\(values.map { "  - \($0)" }.joined(separator: "\n"))"
    }
  }
}
