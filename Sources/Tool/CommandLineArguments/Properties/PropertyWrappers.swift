/// A property that is read from a word that belongs to no option.
///
///     @Argument(help: "The library to read.", completion: .file(.reads)) var library: String
@propertyWrapper
package final class Argument<Value>: ArgumentProperty, Decodable {
  private let parsed: ParsedValue<Value>

  /// Takes the value from the command line that is being parsed.
  package init(from decoder: any Decoder) throws {
    parsed = try ParsedValue(from: decoder)
  }

  /// The value that was given; nil if it is optional and was left out.
  package var wrappedValue: Value { parsed.value }

  private init(_ reader: ValueReader<Value>) {
    parsed = .pending(reader)
  }

  override func definitions(property: String, prefix: String) -> [ArgumentDefinition] {
    parsed.definitions(property: property, prefix: prefix)
  }
}

extension Argument {
  /// Creates an argument that must be given.
  package convenience init(help: ArgumentHelp? = nil, completion: CompletionKind? = nil)
  where Value: ExpressibleByArgument {
    self.init(.single(ValueTraits(help: help, completion: completion), initial: nil))
  }

  /// Creates an argument that is nil if it is left out.
  package convenience init<Wrapped: ExpressibleByArgument>(help: ArgumentHelp? = nil, completion: CompletionKind? = nil)
  where Value == Wrapped? {
    self.init(.optional(ValueTraits(help: help, completion: completion)))
  }

  /// Creates an argument for one or more words.
  package convenience init<Element: ExpressibleByArgument>(help: ArgumentHelp? = nil, completion: CompletionKind? = nil)
  where Value == [Element] {
    self.init(.array(ValueTraits(help: help, completion: completion), initial: nil))
  }

  /// Creates an argument for any number of words.
  package convenience init<Element: ExpressibleByArgument>(
    wrappedValue: [Element], help: ArgumentHelp? = nil, completion: CompletionKind? = nil
  ) where Value == [Element] {
    self.init(.array(ValueTraits(help: help, completion: completion), initial: wrappedValue))
  }
}

/// A property that is read from the word after a name.
///
///     @Option(name: .shortAndLong, help: "How many to list.") var limit = 10   // -l 5, --limit 5, --limit=5
@propertyWrapper
package final class Option<Value>: ArgumentProperty, Decodable {
  private let parsed: ParsedValue<Value>

  /// Takes the value from the command line that is being parsed.
  package init(from decoder: any Decoder) throws {
    parsed = try ParsedValue(from: decoder)
  }

  /// The value that was given, or the default.
  package var wrappedValue: Value { parsed.value }

  private init(_ reader: ValueReader<Value>) {
    parsed = .pending(reader)
  }

  override func definitions(property: String, prefix: String) -> [ArgumentDefinition] {
    parsed.definitions(property: property, prefix: prefix)
  }
}

extension Option {
  /// Creates an option with a default.
  package convenience init(
    wrappedValue: Value, name: NameSpecification = .long, help: ArgumentHelp? = nil, completion: CompletionKind? = nil
  ) where Value: ExpressibleByArgument {
    self.init(.single(ValueTraits(name: name, help: help, completion: completion), initial: wrappedValue))
  }

  /// Creates an option that is nil if it is left out.
  package convenience init<Wrapped: ExpressibleByArgument>(
    name: NameSpecification = .long, help: ArgumentHelp? = nil, completion: CompletionKind? = nil
  ) where Value == Wrapped? {
    self.init(.optional(ValueTraits(name: name, help: help, completion: completion)))
  }

  /// Creates an option that may be given any number of times.
  package convenience init<Element: ExpressibleByArgument>(
    wrappedValue: [Element], name: NameSpecification = .long, help: ArgumentHelp? = nil,
    completion: CompletionKind? = nil
  ) where Value == [Element] {
    self.init(.array(ValueTraits(name: name, help: help, completion: completion), initial: wrappedValue))
  }
}

/// A property that is set by its name alone.
///
///     @Flag(name: .shortAndLong, help: "Say less.") var quiet = false          // -q, --quiet
@propertyWrapper
package final class Flag: ArgumentProperty, Decodable {
  private let parsed: ParsedValue<Bool>

  /// Takes the value from the command line that is being parsed.
  package init(from decoder: any Decoder) throws {
    parsed = try ParsedValue(from: decoder)
  }

  /// The opposite of the default if the flag was given, otherwise the default.
  package var wrappedValue: Bool { parsed.value }

  /// Creates a flag that is the opposite of its default when given.
  package init(wrappedValue: Bool, name: NameSpecification = .long, help: ArgumentHelp? = nil) {
    parsed = .pending(.toggle(ValueTraits(name: name, help: help), initial: wrappedValue))
  }

  override func definitions(property: String, prefix: String) -> [ArgumentDefinition] {
    parsed.definitions(property: property, prefix: prefix)
  }
}

/// A set of arguments, options and flags that several commands share.
///
///     struct OutputOptions: ParsableArguments { @Flag var quiet = false }
///
///     @OptionGroup(title: "Output") var output: OutputOptions
@propertyWrapper
package final class OptionGroup<Value>: ArgumentProperty {
  /// The value, after parsing.
  private let parsed: Value?

  /// The arguments, for the path of the group.
  private let describe: (String) -> [ArgumentDefinition]

  /// The heading above the group's options in help; options of a group without one are listed among the others.
  private let title: String

  /// Creates a group, with a heading in help if it has a title.
  package init(title: String = "") where Value: ParsableArguments {
    self.title = title
    parsed = nil
    describe = { ArgumentDefinition.all(of: Value.self, prefix: $0) }
  }

  /// Takes the group's values from the command line that is being parsed, and validates them.
  package init(from decoder: any Decoder) throws where Value: ParsableArguments {
    var value = try Value(from: decoder)
    do {
      try value.validate()
    } catch {
      throw ParserError.userError(error)
    }
    parsed = value
    describe = { _ in [] }
    title = ""
  }

  /// The group.
  package var wrappedValue: Value {
    guard let parsed else { preconditionFailure("Read a property of a command that was not made by parsing.") }
    return parsed
  }

  override func definitions(property: String, prefix: String) -> [ArgumentDefinition] {
    describe("\(prefix)\(property).").map { definition in
      var definition = definition
      if definition.info.section.isEmpty { definition.info.section = title }
      return definition
    }
  }
}

extension OptionGroup: Decodable where Value: ParsableArguments {}
