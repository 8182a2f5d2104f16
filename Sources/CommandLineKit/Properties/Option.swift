/// A property that is read from the word after a name.
///
///     @Option(name: .shortAndLong, help: "How many to list.") var limit = 10   // -l 5, --limit 5, --limit=5
@propertyWrapper
public struct Option<Value>: Decodable {
  var parsed: ParsedValue<Value>

  /// Does not exist.
  ///
  /// For `@Option var name: T` the compiler looks for a no-argument initializer here only. Finding this one, it goes on to
  /// those of the extensions, whose arguments have defaults.
  @available(
    *, unavailable, message: "A default is needed unless the type of the property conforms to ExpressibleByArgument."
  )
  public init() { preconditionFailure("unavailable") }

  /// Takes the value from the command line that is being parsed.
  public init(from decoder: any Decoder) throws {
    parsed = try ParsedValue(from: decoder)
  }

  /// The value that was given, or the default.
  public var wrappedValue: Value {
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
  public init(
    wrappedValue: Value, name: NameSpecification = .long, parsing: SingleValueParsingStrategy = .next,
    help: ArgumentHelp? = nil, completion: CompletionKind? = nil
  ) {
    self.init(.single(ValueTraits(name, parsing, help, completion), ValueConversion(), initial: wrappedValue))
  }

  /// Creates an option that must be given.
  public init(
    name: NameSpecification = .long, parsing: SingleValueParsingStrategy = .next,
    help: ArgumentHelp? = nil, completion: CompletionKind? = nil
  ) {
    self.init(.single(ValueTraits(name, parsing, help, completion), ValueConversion(), initial: nil))
  }
}

extension Option {
  /// Creates an option that may be left out, read by a closure.
  public init(
    wrappedValue: Value, name: NameSpecification = .long, parsing: SingleValueParsingStrategy = .next,
    help: ArgumentHelp? = nil, completion: CompletionKind? = nil,
    transform: @escaping @Sendable (String) throws -> Value
  ) {
    self.init(.single(ValueTraits(name, parsing, help, completion), ValueConversion(transform), initial: wrappedValue))
  }

  /// Creates an option that must be given, read by a closure.
  public init(
    name: NameSpecification = .long, parsing: SingleValueParsingStrategy = .next,
    help: ArgumentHelp? = nil, completion: CompletionKind? = nil,
    transform: @escaping @Sendable (String) throws -> Value
  ) {
    self.init(.single(ValueTraits(name, parsing, help, completion), ValueConversion(transform), initial: nil))
  }
}

extension Option {
  /// Creates an option that is nil if it is left out.
  public init<Wrapped: ExpressibleByArgument>(
    wrappedValue: NilDefault, name: NameSpecification = .long, parsing: SingleValueParsingStrategy = .next,
    help: ArgumentHelp? = nil, completion: CompletionKind? = nil
  ) where Value == Wrapped? {
    self.init(name: name, parsing: parsing, help: help, completion: completion)
  }

  /// Creates an option that is nil if it is left out.
  public init<Wrapped: ExpressibleByArgument>(
    name: NameSpecification = .long, parsing: SingleValueParsingStrategy = .next,
    help: ArgumentHelp? = nil, completion: CompletionKind? = nil
  ) where Value == Wrapped? {
    self.init(.optional(ValueTraits(name, parsing, help, completion), ValueConversion<Wrapped>()))
  }

  /// Creates an option that is nil if it is left out, read by a closure.
  public init<Wrapped>(
    wrappedValue: NilDefault, name: NameSpecification = .long, parsing: SingleValueParsingStrategy = .next,
    help: ArgumentHelp? = nil, completion: CompletionKind? = nil,
    transform: @escaping @Sendable (String) throws -> Wrapped
  ) where Value == Wrapped? {
    self.init(name: name, parsing: parsing, help: help, completion: completion, transform: transform)
  }

  /// Creates an option that is nil if it is left out, read by a closure.
  public init<Wrapped>(
    name: NameSpecification = .long, parsing: SingleValueParsingStrategy = .next,
    help: ArgumentHelp? = nil, completion: CompletionKind? = nil,
    transform: @escaping @Sendable (String) throws -> Wrapped
  ) where Value == Wrapped? {
    self.init(.optional(ValueTraits(name, parsing, help, completion), ValueConversion<Wrapped>(transform)))
  }
}
