/// Makes commands out of what a ``CommandParser`` sorted.
struct CommandBinder {
  /// Returns the command that was named last, after validating it and all commands above it.
  ///
  /// - Throws: ``CommandError``.
  static func bind(_ commands: [ParsedCommand], root: any ParsableArguments.Type) throws -> any ParsableArguments {
    var type = root
    var value = try make(type, commands, upTo: 0)
    for level in commands.indices.dropFirst() {
      type = subcommand(named: commands[level].info.name, of: type)
      value = try make(type, commands, upTo: level)
    }
    return value
  }

  private static func subcommand(
    named name: String, of type: any ParsableArguments.Type
  ) -> any ParsableArguments.Type {
    let subcommands = (type as? any ParsableCommand.Type)?.configuration.subcommands ?? []
    guard let subcommand = subcommands.first(where: { CommandInfo.name(of: $0) == name }) else {
      preconditionFailure("The description of '\(type)' has a subcommand '\(name)' that the type has not.")
    }
    return subcommand
  }

  private static func make(
    _ type: any ParsableArguments.Type, _ commands: [ParsedCommand], upTo level: Int
  ) throws -> any ParsableArguments {
    let stack = commands[...level].map(\.info)
    do {
      var value = try type.init(from: ArgumentDecoder(values: try values(of: type, commands[level].occurrences)))
      do {
        try value.validate()
      } catch {
        throw ParserError.userError(error)
      }
      return value
    } catch let error as ParserError {
      throw CommandError(error: error, stack: stack)
    }
  }

  private static func values(
    of type: any ParsableArguments.Type, _ occurrences: [String: [Occurrence]]
  ) throws -> [String: Any] {
    var values: [String: Any] = [:]
    for definition in ArgumentDefinition.all(of: type) {
      do {
        var given = occurrences[definition.info.key] ?? []
        if !definition.info.completion.isPath { given = try given.map { try $0.asText() } }
        guard let value = try definition.value(given) else {
          throw ParserError.missingArgument(definition.info)
        }
        values[definition.info.key] = value
      } catch let invalid as InvalidValue {
        throw ParserError.invalidValue(definition.info, invalid)
      }
    }
    return values
  }
}
