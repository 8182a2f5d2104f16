internal import TerminalOutput

/// Describes in words what is wrong with a command line.
struct ErrorMessageGenerator {
  var error: ParserError

  /// The commands that were named, whose options and subcommands can be suggested.
  var stack: [CommandInfo]

  /// The sentence; nil if nothing is wrong.
  var message: String? {
    switch error {
    case .helpRequested, .versionRequested, .completionScriptRequested, .manualPageRequested: nil
    case .unknownOption(let name): "there is no option '\(VisibleText.of(name.spelling))'.\(suggestion(for: name))"
    case .unknownCommand(let word): "there is no command '\(VisibleText.of(word))'.\(suggestion(for: word))"
    case .missingValue(let option, let name): "the value of '\(option.optionSynopsis(name))' is missing."
    case .unexpectedValue(let name, let value):
      "the option '\(name.spelling)' does not take any value, but '\(VisibleText.of(value))' was specified."
    case .unexpectedArguments(let words, let taken): unexpected(words, after: taken)
    case .missingArgument(let argument):
      "the argument '\(argument.synopsis)\(argument.isRepeating ? " ..." : "")' is missing."
    case .invalidValue(let argument, let invalid): message(for: invalid, of: argument)
    case .unsupportedShell(let shell):
      """
      there are no completion scripts for '\(VisibleText.of(shell))'.
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
    case .helpRequested, .versionRequested, .completionScriptRequested, .manualPageRequested, .unknownOption,
      .unknownCommand, .unexpectedValue, .unexpectedArguments, .unsupportedShell, .userError:
      nil
    }
  }
}

extension ErrorMessageGenerator {
  private func suggestion(for name: OptionName) -> String {
    let word = String(name.spelling.drop { $0 == "-" })
    if let sentence = stack.reversed().lazy.compactMap({ $0.otherOptions[word] }).first { return " \(sentence)" }
    let known = stack.flatMap { $0.shownArguments() }
    func meant(by word: String) -> String? {
      known.first { $0.otherNames.contains(word) }?.names.preferred?.spelling
    }
    let option: String?
    switch name {
    case .long(let word):
      let names = known.flatMap(\.names).compactMap(\.long)
      option = meant(by: word) ?? nearest(to: word, in: names).map { "--\($0)" }
    case .singleDash(let word): option = "--\(VisibleText.of(word))"
    // Every letter is one typo away from every other.
    case .short(let letter): option = meant(by: String(letter))
    }
    return option.map { " Did you mean '\($0)'?" } ?? ""
  }

  private func suggestion(for word: String) -> String {
    hint([word], after: []) ?? stack.last?.commandMeant(by: word).map { " Did you mean '\($0)'?" } ?? ""
  }

  /// The likely meaning of words that no command takes, by the first of the commands that knows.
  private func hint(_ words: [String], after taken: [String]) -> String? {
    stack.lazy.compactMap { $0.extraWords?(words, taken) }.first.map { " \(VisibleText.of($0))" }
  }

  private func unexpected(_ words: [String], after taken: [String]) -> String {
    let quoted = words.map { "'\(VisibleText.of($0))'" }.joined(separator: ", ")
    let hint = hint(words, after: taken) ?? ""
    return (words.count == 1 ? "the argument \(quoted) is unexpected." : "the arguments \(quoted) are unexpected.")
      + hint
  }

  private func message(for invalid: InvalidValue, of argument: ArgumentInfo) -> String {
    let subject = invalid.name.map(argument.optionSynopsis) ?? argument.synopsis
    let reason = invalid.reason.map { ": \($0)." } ?? Self.list(argument.allValues)
    return "the value '\(VisibleText.of(invalid.word))' is invalid for '\(subject)'\(reason)"
  }

  /// The valid words: in the sentence if they are few, below it otherwise.
  private static func list(_ values: [String]) -> String {
    let quoted = values.map { "'\($0)'" }
    switch values.count {
    case 0: return "."
    case 1...2: return ". Please provide one of \(quoted.joined(separator: " and "))."
    case 3...5:
      return ". Please provide one of \(quoted.dropLast().joined(separator: ", ")) or \(quoted[quoted.count - 1])."
    default:
      return ". Please provide one of the following:\n\(values.map { "  - \($0)" }.joined(separator: "\n"))"
    }
  }
}
