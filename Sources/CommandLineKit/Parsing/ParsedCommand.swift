/// What was given for one command of a command line such as `tool --verbose albums --limit 3`.
struct ParsedCommand: Equatable {
  var info: CommandInfo

  /// What was given, by the key of the argument.
  var occurrences: [String: [Occurrence]] = [:]

  /// The words that belong to no option, before they are given to arguments.
  var words: [String] = []
}

extension ParsedCommand {
  /// Gives the words to the positional arguments, in order; one that repeats takes all that are left.
  mutating func assignWords() throws {
    var rest = words[...]
    for argument in info.positionals {
      let taken = argument.isRepeating ? rest : rest.prefix(1)
      rest = rest.dropFirst(taken.count)
      occurrences[argument.key] = taken.map { .value($0, name: nil) }
    }
    if !rest.isEmpty { throw ParserError.unexpectedArguments(Array(rest)) }
  }

  /// Notes that a flag was given.
  mutating func add(_ flag: ArgumentInfo, choice: Int, name: OptionName) throws {
    let occurrence = Occurrence.flag(choice: choice, name: name)
    guard let exclusivity = flag.exclusivity, case .flag(let previous, let previousName)? = occurrences[flag.key]?.last
    else {
      occurrences[flag.key, default: []].append(occurrence)
      return
    }
    switch exclusivity.representation {
    case .exclusive where previous != choice:
      throw ParserError.duplicateExclusive(previous: previousName, duplicate: name)
    case .exclusive, .chooseLast: occurrences[flag.key] = [occurrence]
    case .chooseFirst: break
    }
  }
}
