internal import SystemC

/// An argument of a type: its description, and how to make the property's value from the words given.
struct ArgumentDefinition {
  var info: ArgumentInfo

  /// Makes the value, in a ``ParsedBox`` of the property's type; nil if it was not given and has no default.
  ///
  /// - Throws: ``InvalidValue``.
  var value: ([Occurrence]) throws -> Any?
}

/// Carries a value through `Any`.
///
/// An optional cast from `Any` directly would lose a level of optionality.
struct ParsedBox<Value> {
  var value: Value
}

/// A property wrapper that contributes arguments to the type it is used in.
protocol ArgumentProvider {
  /// The arguments, for a property whose path starts with `prefix`.
  func definitions(property: String, prefix: String) -> [ArgumentDefinition]
}

extension ArgumentDefinition {
  /// The arguments of all wrapped properties of a type, in the order they are written.
  static func all(of type: any ParsableArguments.Type, prefix: String = "") -> [ArgumentDefinition] {
    Mirror(reflecting: type.init()).children.flatMap { child -> [ArgumentDefinition] in
      // The storage of a wrapped property is named like the property, after an underscore.
      guard let label = child.label, let provider = child.value as? any ArgumentProvider else { return [] }
      return provider.definitions(property: String(label.drop { $0 == "_" }), prefix: prefix)
    }
  }
}

/// One occurrence of an argument on the command line.
enum Occurrence: Equatable, Sendable {
  /// A word for an option or, without a name, for a positional argument.
  case value(String, name: OptionName?)

  /// A flag, by the index of its choice.
  case flag(choice: Int, name: OptionName)
}

extension Occurrence {
  /// The same occurrence, for a value that is text and not a path.
  ///
  /// - Throws: ``InvalidValue``.
  func asText() throws -> Occurrence {
    guard case .value(let word, let name) = self else { return self }
    guard let text = String(validating: word.pathBytes, as: UTF8.self) else {
      throw InvalidValue(word: word, name: name, reason: NotUTF8())
    }
    return .value(text, name: name)
  }

  private struct NotUTF8: Error, CustomStringConvertible {
    var description: String { "it is not valid UTF-8" }
  }
}

/// What was given for one command of a command line such as `tool --verbose albums --limit 3`.
struct ParsedCommand: Equatable {
  var info: CommandInfo

  /// What was given, by the key of the argument.
  var occurrences: [String: [Occurrence]] = [:]

  /// The words that belong to no option, before they are assigned to arguments.
  var words: [String] = []
}

extension ParsedCommand {
  /// Assigns the words to the positional arguments, in order.
  ///
  /// A repeating argument takes all that are left.
  mutating func assignWords() throws {
    var rest = words[...]
    for argument in info.positionals {
      let taken = argument.isRepeating ? rest : rest.prefix(1)
      rest = rest.dropFirst(taken.count)
      occurrences[argument.key] = taken.map { .value($0, name: nil) }
    }
    if !rest.isEmpty { throw ParserError.unexpectedArguments(Array(rest)) }
  }

  /// Records that a flag was given.
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
