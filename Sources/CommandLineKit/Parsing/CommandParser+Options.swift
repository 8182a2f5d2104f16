extension CommandParser {
  /// An option of one of the commands that were named.
  private typealias Match = (command: Int, argument: ArgumentInfo, choice: Int)

  /// Finds the option in the last command that was named, or else in those above it: `tool albums --verbose` works for
  /// a `--verbose` of `tool`.
  private func find(_ name: OptionName) -> Match? {
    for command in commands.indices.reversed() {
      if let found = commands[command].info.argument(named: name) { return (command, found.argument, found.choice) }
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
  mutating func readLongOption(_ word: String) throws {
    let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = OptionName.long(String(parts[0]))
    try read(try findOrDescend(name), name, attached: parts.count > 1 ? String(parts[1]) : nil)
  }

  /// Reads `-abc`: flags, of which the last may be an option that takes the rest of the word as its value.
  mutating func readShortOptions(_ word: String) throws {
    try rejectLongNameAfterOneDash(word)
    var letters = word.dropFirst()
    while let letter = letters.popFirst() {
      let name = OptionName.short(letter)
      let match = try findOrDescend(name)
      if match.argument.kind == .option {
        if letters.first == "=" { return try read(match, name, attached: String(letters.dropFirst())) }
        return try read(match, name, attached: letters.isEmpty ? nil : String(letters))
      }
      if letters.first == "=" { return try read(match, name, attached: String(letters.dropFirst())) }
      try read(match, name, attached: nil)
    }
  }

  /// Without this, `-limit` would be `-l` with the value `imit`.
  private func rejectLongNameAfterOneDash(_ word: String) throws {
    let name = String(word.dropFirst().prefix { $0 != "=" })
    if name.count > 1, find(.long(name)) != nil { throw ParserError.unknownOption(.singleDash(name)) }
  }

  private mutating func read(_ match: Match, _ name: OptionName, attached: String?) throws {
    if match.argument.kind == .flag {
      if let attached { throw ParserError.unexpectedValue(name: name, value: attached) }
      if let request = request(match.argument.role) { throw request }
      return try commands[match.command].add(match.argument, choice: match.choice, name: name)
    }
    let values = try values(of: match.argument, name, attached: attached)
    if match.argument.role == .completionScript { throw ParserError.completionScriptRequested(shell: values[0]) }
    commands[match.command].occurrences[match.argument.key, default: []] += values.map { .value($0, name: name) }
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

  private mutating func values(of option: ArgumentInfo, _ name: OptionName, attached: String?) throws -> [String] {
    // `--kind=` is an empty value: taking the next word for it would swallow an argument.
    var values = attached.map { [$0] } ?? []
    switch option.parsing {
    case .next:
      if values.isEmpty, let word = reader.take(if: { !$0.looksLikeOption }) { values = [word] }
    case .unconditional:
      if values.isEmpty, let word = reader.next() { values = [word] }
    case .upToNextOption:
      if values.isEmpty { values = reader.take { !$0.looksLikeOption } }
    case .remaining:
      values += reader.takeAll()
    }
    if values.isEmpty { throw ParserError.missingValue(option, name: name) }
    return values
  }

  /// Whether the word is a negative number, and no command has a flag for its digit.
  func isNumber(_ word: String) -> Bool {
    guard word.isNegativeNumber, let digit = word.dropFirst().first else { return false }
    return find(.short(digit)) == nil
  }
}
