package import SystemC

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
///
/// A class, because Swift looks through the conformances of the whole program, Foundation's too, to find out whether a type
/// that it meets for the first time conforms to a protocol: 400,000 instructions for each, and none to see what it inherits
/// from. For the same reason, no wrapper's type requires a protocol of its value; the initializers do.
package class ArgumentProperty {
  init() {}

  /// The arguments, for a property whose path starts with `prefix`.
  func definitions(property: String, prefix: String) -> [ArgumentDefinition] { [] }
}

extension ArgumentDefinition {
  /// The arguments of all wrapped properties of a type, in the order they are written.
  static func all(of type: any ParsableArguments.Type, prefix: String = "") -> [ArgumentDefinition] {
    Mirror(reflecting: type.init()).children.flatMap { child -> [ArgumentDefinition] in
      // The storage of a wrapped property is named like the property, after an underscore.
      guard let label = child.label, let property = child.value as? ArgumentProperty else { return [] }
      return property.definitions(property: String(label.drop { $0 == "_" }), prefix: prefix)
    }
  }
}

/// One occurrence of an argument on the command line.
struct Occurrence {
  /// The word given; empty for a flag.
  var word = ""

  /// The name in front of it; nil for a positional argument.
  var name: OptionName?
}

extension Occurrence {
  /// Converts the word to a value.
  ///
  /// - Throws: ``InvalidValue``.
  func value<Value: ExpressibleByArgument>() throws -> Value {
    guard let value = Value(argument: word) else { throw InvalidValue(word: word, name: name) }
    return value
  }

  /// The same occurrence, for a value that is text and not a path.
  ///
  /// - Throws: ``InvalidValue``.
  func asText() throws -> Occurrence {
    guard let text = String(validating: word.pathBytes, as: UTF8.self) else {
      throw InvalidValue(word: word, name: name, reason: "it is not valid UTF-8")
    }
    return Occurrence(word: text, name: name)
  }
}

/// A path on the command line.
package struct GivenPath: Sendable, Hashable {
  /// The option that it is the value of, such as `--output`; `nil` for an argument without a name.
  package let option: String?
  /// The name of the value in help, such as `library`.
  package let valueName: String
  /// Whether there may be several.
  package let isRepeating: Bool
  /// The path.
  package let path: String
  /// The command's use of the file.
  package let use: FileUse
}

/// The arguments of one command of a command line such as `tool --verbose albums --limit 3`.
struct ParsedCommand {
  var info: CommandInfo

  /// The occurrences, by the key of the argument.
  var occurrences: [String: [Occurrence]] = [:]

  /// The words that belong to no option, before they are assigned to arguments.
  var words: [String] = []
}

extension ParsedCommand {
  /// The paths that were given, in the order of the arguments.
  var paths: [GivenPath] {
    info.arguments.flatMap { argument -> [GivenPath] in
      guard let use = argument.completion.fileUse else { return [] }
      // Of an option that is given again, the last value counts.
      let given = occurrences[argument.key] ?? []
      return (argument.isRepeating ? given : given.suffix(1)).map {
        GivenPath(
          option: argument.names.preferred?.spelling, valueName: argument.valueName, isRepeating: argument.isRepeating,
          path: $0.word, use: use)
      }
    }
  }

  /// Assigns the words to the positional arguments, in order.
  ///
  /// A repeating argument takes all that are left.
  mutating func assignWords() throws {
    var rest = words[...]
    for argument in info.positionals {
      let taken = argument.isRepeating ? rest : rest.prefix(1)
      rest = rest.dropFirst(taken.count)
      occurrences[argument.key] = taken.map { Occurrence(word: $0) }
    }
    if !rest.isEmpty { throw ParserError.unexpectedArguments(Array(rest), after: words.dropLast(rest.count)) }
  }
}
