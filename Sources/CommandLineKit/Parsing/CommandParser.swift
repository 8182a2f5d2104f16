/// Sorts the words of a command line by command and argument.
///
/// It knows descriptions only, no types.
struct CommandParser {
  /// The commands named so far, from the root.
  var commands: [ParsedCommand]
  var reader: WordReader
  private var optionsEnded = false

  private init(root: CommandInfo, words: [String]) {
    commands = [ParsedCommand(info: root)]
    reader = WordReader(words)
  }

  /// Returns what was given for the root and for each command below it that was named.
  ///
  /// - Throws: ``CommandError``.
  static func parse(_ words: [String], root: CommandInfo) throws -> [ParsedCommand] {
    var parser = CommandParser(root: root, words: words)
    do {
      try parser.readWords()
      try parser.finish()
      return parser.commands
    } catch let error as ParserError {
      throw CommandError(error: parser.preferHelp(to: error), stack: parser.commands.map(\.info))
    }
  }

  private mutating func readWords() throws {
    while let word = reader.next() {
      if optionsEnded {
        try readBareWord(word, mayBeCommand: false)
      } else if word == "--" {
        optionsEnded = true
      } else if word.hasPrefix("--") {
        try readLongOption(word)
      } else if word.hasPrefix("-"), word.count > 1, !isNumber(word) {
        try readShortOptions(word)
      } else {
        try readBareWord(word, mayBeCommand: true)
      }
    }
  }

  private mutating func finish() throws {
    while descendToDefault() {}
    if current.info.isHelp { throw try helpRequest() }
    for index in commands.indices { try commands[index].assignWords() }
  }

  /// Who asks for help does not want to be told about the mistake that made them ask.
  private func preferHelp(to error: ParserError) -> ParserError {
    switch error {
    case .helpRequested, .versionRequested, .completionScriptRequested, .manualPageRequested, .userError: return error
    default: break
    }
    let help = current.info.arguments.filter { $0.role == .help }.flatMap(\.names).map(\.spelling)
    return !optionsEnded && reader.contains(any: help) ? .helpRequested(includeHidden: false) : error
  }
}

// MARK: - Commands and words

extension CommandParser {
  private var current: ParsedCommand {
    get { commands[commands.count - 1] }
    set { commands[commands.count - 1] = newValue }
  }

  private mutating func readBareWord(_ word: String, mayBeCommand: Bool) throws {
    if mayBeCommand, current.words.isEmpty, let subcommand = current.info.subcommand(named: word) {
      commands.append(ParsedCommand(info: subcommand))
    } else if current.info.positionals.isEmpty, descendToDefault() {
      try readBareWord(word, mayBeCommand: mayBeCommand)
    } else if current.info.positionals.isEmpty, !current.info.subcommands.isEmpty {
      throw ParserError.unknownCommand(word)
    } else {
      current.words.append(word)
    }
  }

  /// Goes on to the command that is meant where none is named.
  mutating func descendToDefault() -> Bool {
    guard let name = current.info.defaultSubcommand, let subcommand = current.info.subcommand(named: name) else {
      return false
    }
    commands.append(ParsedCommand(info: subcommand))
    return true
  }

  /// Makes `tool help albums` ask for the same as `tool albums --help`.
  private mutating func helpRequest() throws -> ParserError {
    let words = current.words
    commands.removeLast()
    for word in words {
      guard let subcommand = current.info.subcommand(named: word) else { throw ParserError.unknownCommand(word) }
      commands.append(ParsedCommand(info: subcommand))
    }
    return .helpRequested(includeHidden: false)
  }
}
