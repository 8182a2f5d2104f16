/// A property that is read from the word after a name.
///
///     @Option(name: .shortAndLong, help: "How many to list.") var limit = 10   // -l 5, --limit 5, --limit=5
@propertyWrapper
package struct Option<Value>: Decodable {
  var parsed: ParsedValue<Value>

  /// Unavailable.
  ///
  /// For `@Option var name: T`, the compiler looks for a no-argument initializer only here. Finding this one, it goes
  /// on to the initializers in the extensions, whose arguments have defaults.
  @available(
    *, unavailable, message: "A default is needed unless the type of the property conforms to ExpressibleByArgument."
  )
  package init() { preconditionFailure("unavailable") }

  /// Takes the value from the command line that is being parsed.
  package init(from decoder: any Decoder) throws {
    parsed = try ParsedValue(from: decoder)
  }

  /// The value that was given, or the default.
  package var wrappedValue: Value {
    get { parsed.value }
    set { parsed = .value(newValue) }
  }

  init(_ reader: ValueReader<Value>) {
    parsed = .pending(reader)
  }
}

extension Option: Sendable where Value: Sendable {}

extension Option: ArgumentProvider {
  func definitions(property: String, prefix: String) -> [ArgumentDefinition] {
    parsed.definitions(property: property, prefix: prefix)
  }
}

extension Option where Value: ExpressibleByArgument {
  /// Creates an option that may be left out.
  package init(
    wrappedValue: Value, name: NameSpecification = .long, parsing: SingleValueParsingStrategy = .next,
    help: ArgumentHelp? = nil, completion: CompletionKind? = nil
  ) {
    self.init(.single(ValueTraits(name, parsing, help, completion), ValueConversion(), initial: wrappedValue))
  }

  /// Creates an option that must be given.
  package init(
    name: NameSpecification = .long, parsing: SingleValueParsingStrategy = .next,
    help: ArgumentHelp? = nil, completion: CompletionKind? = nil
  ) {
    self.init(.single(ValueTraits(name, parsing, help, completion), ValueConversion(), initial: nil))
  }
}

extension Option {
  /// Creates an option that may be left out, read by a closure.
  package init(
    wrappedValue: Value, name: NameSpecification = .long, parsing: SingleValueParsingStrategy = .next,
    help: ArgumentHelp? = nil, completion: CompletionKind? = nil,
    transform: @escaping @Sendable (String) throws -> Value
  ) {
    self.init(.single(ValueTraits(name, parsing, help, completion), ValueConversion(transform), initial: wrappedValue))
  }

  /// Creates an option that must be given, read by a closure.
  package init(
    name: NameSpecification = .long, parsing: SingleValueParsingStrategy = .next,
    help: ArgumentHelp? = nil, completion: CompletionKind? = nil,
    transform: @escaping @Sendable (String) throws -> Value
  ) {
    self.init(.single(ValueTraits(name, parsing, help, completion), ValueConversion(transform), initial: nil))
  }

  /// Creates an option that is nil if it is left out.
  package init<Wrapped: ExpressibleByArgument>(
    wrappedValue: NilDefault, name: NameSpecification = .long, parsing: SingleValueParsingStrategy = .next,
    help: ArgumentHelp? = nil, completion: CompletionKind? = nil
  ) where Value == Wrapped? {
    self.init(name: name, parsing: parsing, help: help, completion: completion)
  }

  /// Creates an option that is nil if it is left out.
  package init<Wrapped: ExpressibleByArgument>(
    name: NameSpecification = .long, parsing: SingleValueParsingStrategy = .next,
    help: ArgumentHelp? = nil, completion: CompletionKind? = nil
  ) where Value == Wrapped? {
    self.init(.optional(ValueTraits(name, parsing, help, completion), ValueConversion<Wrapped>()))
  }

  /// Creates an option that is nil if it is left out, read by a closure.
  package init<Wrapped>(
    wrappedValue: NilDefault, name: NameSpecification = .long, parsing: SingleValueParsingStrategy = .next,
    help: ArgumentHelp? = nil, completion: CompletionKind? = nil,
    transform: @escaping @Sendable (String) throws -> Wrapped
  ) where Value == Wrapped? {
    self.init(name: name, parsing: parsing, help: help, completion: completion, transform: transform)
  }

  /// Creates an option that is nil if it is left out, read by a closure.
  package init<Wrapped>(
    name: NameSpecification = .long, parsing: SingleValueParsingStrategy = .next,
    help: ArgumentHelp? = nil, completion: CompletionKind? = nil,
    transform: @escaping @Sendable (String) throws -> Wrapped
  ) where Value == Wrapped? {
    self.init(.optional(ValueTraits(name, parsing, help, completion), ValueConversion<Wrapped>(transform)))
  }

  // MARK: - Array

  /// Creates an option that may be given any number of times.
  package init<Element: ExpressibleByArgument>(
    wrappedValue: [Element], name: NameSpecification = .long, parsing: ArrayParsingStrategy = .singleValue,
    help: ArgumentHelp? = nil, completion: CompletionKind? = nil
  ) where Value == [Element] {
    self.init(.array(ValueTraits(name, parsing, help, completion), ValueConversion(), initial: wrappedValue))
  }

  /// Creates an option that must be given at least once.
  package init<Element: ExpressibleByArgument>(
    name: NameSpecification = .long, parsing: ArrayParsingStrategy = .singleValue,
    help: ArgumentHelp? = nil, completion: CompletionKind? = nil
  ) where Value == [Element] {
    self.init(.array(ValueTraits(name, parsing, help, completion), ValueConversion<Element>(), initial: nil))
  }

  /// Creates an option that may be given any number of times, read by a closure.
  package init<Element>(
    wrappedValue: [Element], name: NameSpecification = .long, parsing: ArrayParsingStrategy = .singleValue,
    help: ArgumentHelp? = nil, completion: CompletionKind? = nil,
    transform: @escaping @Sendable (String) throws -> Element
  ) where Value == [Element] {
    self.init(.array(ValueTraits(name, parsing, help, completion), ValueConversion(transform), initial: wrappedValue))
  }

  /// Creates an option that must be given at least once, read by a closure.
  package init<Element>(
    name: NameSpecification = .long, parsing: ArrayParsingStrategy = .singleValue,
    help: ArgumentHelp? = nil, completion: CompletionKind? = nil,
    transform: @escaping @Sendable (String) throws -> Element
  ) where Value == [Element] {
    self.init(.array(ValueTraits(name, parsing, help, completion), ValueConversion<Element>(transform), initial: nil))
  }
}

/// The type of a `nil` written as a property's default.
///
/// It is never created otherwise; an optional property with another default would be one that is never nil.
package struct NilDefault: ExpressibleByNilLiteral, Sendable {
  /// Creates the nil.
  package init(nilLiteral: ()) {}
}

/// How an option finds its value.
package struct SingleValueParsingStrategy: Sendable, Hashable {
  var parsing: ValueParsing

  /// The next word, unless it looks like an option.
  package static var next: Self { Self(parsing: .next) }

  /// The next word, whatever it looks like.
  package static var unconditional: Self { Self(parsing: .unconditional) }
}

/// How an option of an array finds its values.
package struct ArrayParsingStrategy: Sendable, Hashable {
  var parsing: ValueParsing

  /// One value each time the option is given: `--column a --column b`.
  package static var singleValue: Self { Self(parsing: .next) }

  /// One value each time the option is given, whatever it looks like.
  package static var unconditionalSingleValue: Self { Self(parsing: .unconditional) }

  /// All words up to the next option: `--column a b --limit 3`.
  package static var upToNextOption: Self { Self(parsing: .upToNextOption) }

  /// All words to the end of the command line, options too.
  package static var remaining: Self { Self(parsing: .remaining) }
}
