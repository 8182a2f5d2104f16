/// Passes the values of a command line to the compiler-generated `init(from:)` of a command.
struct ArgumentDecoder: Decoder {
  /// The values by the path of their property, each in a ``ParsedBox``.
  var values: [String: Any]

  /// The path of the property that is decoded, or of the group that contains it.
  var path: String = ""

  /// The value of the property that is decoded.
  var value: Any? { values[path] }

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(ArgumentContainer<Key>(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw unsupported() }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw unsupported() }

  func unsupported() -> any Error {
    DecodingError.dataCorrupted(
      .init(codingPath: [], debugDescription: "'\(path)' is not an argument, option, flag or option group"))
  }
}

/// The properties of one command or option group.
private struct ArgumentContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  var decoder: ArgumentDecoder

  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { [] }

  func contains(_ key: Key) -> Bool { decoder.values[at(key).path] != nil }
  func decodeNil(forKey key: Key) throws -> Bool { !contains(key) }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try T(from: at(key)) }

  private func at(_ key: Key) -> ArgumentDecoder {
    ArgumentDecoder(
      values: decoder.values, path: decoder.path.isEmpty ? key.stringValue : "\(decoder.path).\(key.stringValue)")
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { throw at(key).unsupported() }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw at(key).unsupported() }
  func superDecoder() throws -> any Decoder { throw decoder.unsupported() }
  func superDecoder(forKey key: Key) throws -> any Decoder { throw at(key).unsupported() }
}

/// Creates commands from the parsed command line of a ``CommandParser``.
struct CommandBinder {
  /// Returns the last command that was named, after validating it and all its parent commands.
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
        if given.isEmpty, let value = try environmentValue(of: definition) {
          values[definition.info.key] = value
          continue
        }
        // A path is not necessarily UTF-8.
        if definition.info.completion.fileUse == nil { given = try given.map { try $0.asText() } }
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

  /// The value that an environment variable gives to an option that is not on the command line.
  private static func environmentValue(of definition: ArgumentDefinition) throws -> Any? {
    guard let name = definition.info.environmentVariable, let word = Platform.environmentVariable(name), !word.isEmpty
    else { return nil }
    do {
      return try definition.value([Occurrence(word: word, name: definition.info.names.preferred)])
    } catch is InvalidValue {
      throw ParserError.userError(
        ValidationError(
          "the value '\(word)' of the environment variable '\(name)' is invalid for '\(definition.info.synopsis)'."))
    }
  }
}
