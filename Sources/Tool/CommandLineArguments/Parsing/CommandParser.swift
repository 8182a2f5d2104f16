/// Sorts the words of a command line by command and argument.
///
/// It depends only on descriptions, not on types.
private struct CommandParser {
  /// The commands named so far, from the root.
  var commands: [ParsedCommand]
  var reader: WordReader
  private var optionsEnded = false

  private init(root: CommandInfo, words: [String]) {
    commands = [ParsedCommand(info: root)]
    reader = WordReader(words)
  }

  /// Returns what was given for the root and for each subcommand that was named.
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

  /// A user who asks for help does not need to hear about the mistake that made them ask.
  private func preferHelp(to error: ParserError) -> ParserError {
    switch error {
    case .helpRequested, .versionRequested, .completionScriptRequested, .manualPageRequested, .userError: return error
    case .unknownOption, .unknownCommand, .missingValue, .unexpectedValue, .unexpectedArguments, .missingArgument,
      .invalidValue, .unsupportedShell:
      let help = current.info.arguments.filter { $0.role == .help }.flatMap(\.names).map(\.spelling)
      return !optionsEnded && reader.contains(any: help) ? .helpRequested(includeHidden: false) : error
    }
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

  /// Descends to the default subcommand if none is named.
  private mutating func descendToDefault() -> Bool {
    guard let name = current.info.defaultSubcommand, let subcommand = current.info.subcommand(named: name) else {
      return false
    }
    commands.append(ParsedCommand(info: subcommand))
    return true
  }

  /// Makes `tool help albums` request the same as `tool albums --help`.
  private mutating func helpRequest() throws -> ParserError {
    let words = current.words
    commands.removeLast()
    for word in words {
      guard let subcommand = current.info.subcommand(named: word) else { throw ParserError.unknownCommand(word) }
      commands.append(ParsedCommand(info: subcommand))
    }
    return .helpRequested(includeHidden: false)
  }

  // MARK: - Options

  /// An option of one of the commands that were named.
  private typealias Match = (command: Int, argument: ArgumentInfo)

  /// Finds the option in the last command that was named, or else in those above it: `tool albums --verbose` works for
  /// a `--verbose` of `tool`.
  private func find(_ name: OptionName) -> Match? {
    for command in commands.indices.reversed() {
      if let found = commands[command].info.argument(named: name) { return (command, found) }
    }
    return nil
  }

  private mutating func findOrDescend(_ name: OptionName) throws -> Match {
    repeat {
      if let match = find(name) { return match }
    } while descendToDefault()
    throw ParserError.unknownOption(name)
  }

  /// Reads `--limit` or `--limit=5`.
  private mutating func readLongOption(_ word: String) throws {
    let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = OptionName.long(String(parts[0]))
    try read(try findOrDescend(name), name, attached: parts.count > 1 ? String(parts[1]) : nil)
  }

  /// Reads `-abc`: flags, the last of which may be an option that takes the rest of the word as its value.
  private mutating func readShortOptions(_ word: String) throws {
    try rejectLongNameAfterOneDash(word)
    var letters = word.dropFirst()
    while let letter = letters.popFirst() {
      let name = OptionName.short(letter)
      let match = try findOrDescend(name)
      if letters.first == "=" { return try read(match, name, attached: String(letters.dropFirst())) }
      if match.argument.kind == .option {
        return try read(match, name, attached: letters.isEmpty ? nil : String(letters))
      }
      try read(match, name, attached: nil)
    }
  }

  /// Without this check, `-limit` would be `-l` with the value `imit`.
  private func rejectLongNameAfterOneDash(_ word: String) throws {
    let name = String(word.dropFirst().prefix { $0 != "=" })
    if name.count > 1, find(.long(name)) != nil { throw ParserError.unknownOption(.singleDash(name)) }
  }

  private mutating func read(_ match: Match, _ name: OptionName, attached: String?) throws {
    if match.argument.kind == .flag {
      if let attached { throw ParserError.unexpectedValue(name: name, value: attached) }
      if let request = request(match.argument.role) { throw request }
      return commands[match.command].occurrences[match.argument.key, default: []].append(Occurrence(name: name))
    }
    // `--kind=` is an empty value: taking the next word as its value would swallow an argument.
    let allowsDash = match.argument.allowsLeadingDash
    guard let word = attached ?? reader.next(if: { !$0.looksLikeOption || allowsDash && !$0.hasPrefix("--") }) else {
      throw ParserError.missingValue(match.argument, name: name)
    }
    if match.argument.role == .completionScript { throw ParserError.completionScriptRequested(shell: word) }
    commands[match.command].occurrences[match.argument.key, default: []].append(Occurrence(word: word, name: name))
  }

  private func request(_ role: ArgumentInfo.Role) -> ParserError? {
    switch role {
    case .help: .helpRequested(includeHidden: false)
    case .hiddenHelp: .helpRequested(includeHidden: true)
    case .version: .versionRequested
    case .manualPage: .manualPageRequested
    case .value, .completionScript: nil
    }
  }

  /// Whether the word is a negative number, and no command has a flag for its digit.
  func isNumber(_ word: String) -> Bool {
    guard word.isNegativeNumber, let digit = word.dropFirst().first else { return false }
    return find(.short(digit)) == nil
  }
}

/// The words of a command line that have not been read yet.
private struct WordReader {
  private(set) var rest: ArraySlice<String>

  init(_ words: [String]) { rest = words[...] }

  mutating func next() -> String? { rest.popFirst() }

  /// Takes the next word if it meets the condition.
  mutating func next(if condition: (String) -> Bool) -> String? {
    guard let word = rest.first, condition(word) else { return nil }
    return next()
  }

  /// Whether one of these words comes before the end of the options.
  func contains(any words: [String]) -> Bool {
    rest.prefix { $0 != "--" }.contains(where: words.contains)
  }
}

extension String {
  /// Whether the word can only be an option: `-` alone is standard input, and `-5` is a number.
  var looksLikeOption: Bool { hasPrefix("-") && count > 1 && !isNegativeNumber }

  /// Whether the word is a dash and a number.
  ///
  /// `Double` alone would accept `-inf` and `-nan`, which are flags.
  var isNegativeNumber: Bool {
    guard hasPrefix("-"), let digit = dropFirst().first, digit.isNumber || digit == "." else { return false }
    return Double(self) != nil
  }
}

/// Reads a command line, from words to a validated command.
enum CommandLineReader {
  /// Returns the command that the words name, and the paths among them.
  ///
  /// - Parameter words: The words after the command's name.
  /// - Throws: ``CommandError``.
  static func read(
    _ words: [String], root: any ParsableArguments.Type
  ) throws -> (command: any ParsableArguments, paths: [GivenPath]) {
    // Nearly every command line is valid, and then only the commands that it names need a description.
    do {
      return try bind(words, CommandInfo(root: root, for: words), root)
    } catch {
      // Describing what is wrong requires knowing all commands.
    }
    do {
      return try bind(words, CommandInfo(root: root), root)
    } catch var error as CommandError {
      error.isEmptyCommandLine = words.isEmpty
      throw error
    }
  }

  private static func bind(
    _ words: [String], _ info: CommandInfo, _ root: any ParsableArguments.Type
  ) throws -> (command: any ParsableArguments, paths: [GivenPath]) {
    let commands = try CommandParser.parse(words, root: info)
    return (try CommandBinder.bind(commands, root: root), commands.flatMap(\.paths))
  }
}
