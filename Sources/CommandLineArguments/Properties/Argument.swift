/// A property that is read from a word that belongs to no option.
///
///     @Argument(help: "The library to read.", completion: .file()) var library: String
@propertyWrapper
public struct Argument<Value>: Decodable {
  var parsed: ParsedValue<Value>

  /// Unavailable.
  ///
  /// For `@Argument var name: T`, the compiler looks for a no-argument initializer only here. Finding this one, it goes
  /// on to the initializers in the extensions, whose arguments have defaults.
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

  private init(_ reader: ValueReader<Value>) {
    parsed = .pending(reader)
  }
}

extension Argument: Sendable where Value: Sendable {}

extension Argument: ArgumentProvider {
  func definitions(property: String, prefix: String) -> [ArgumentDefinition] {
    parsed.definitions(property: property, prefix: prefix)
  }
}

extension Argument where Value: ExpressibleByArgument {
  /// Creates an argument that may be left out.
  public init(wrappedValue: Value, help: ArgumentHelp? = nil, completion: CompletionKind? = nil) {
    self.init(.single(ValueTraits(help: help, completion: completion), ValueConversion(), initial: wrappedValue))
  }

  /// Creates an argument that must be given.
  public init(help: ArgumentHelp? = nil, completion: CompletionKind? = nil) {
    self.init(.single(ValueTraits(help: help, completion: completion), ValueConversion(), initial: nil))
  }
}

extension Argument {
  /// Creates an argument that may be left out, read by a closure.
  public init(
    wrappedValue: Value, help: ArgumentHelp? = nil, completion: CompletionKind? = nil,
    transform: @escaping @Sendable (String) throws -> Value
  ) {
    self.init(
      .single(ValueTraits(help: help, completion: completion), ValueConversion(transform), initial: wrappedValue))
  }

  /// Creates an argument that must be given, read by a closure.
  public init(
    help: ArgumentHelp? = nil, completion: CompletionKind? = nil,
    transform: @escaping @Sendable (String) throws -> Value
  ) {
    self.init(.single(ValueTraits(help: help, completion: completion), ValueConversion(transform), initial: nil))
  }

  /// Creates an argument that is nil if it is left out.
  public init<Wrapped: ExpressibleByArgument>(
    wrappedValue: NilDefault, help: ArgumentHelp? = nil, completion: CompletionKind? = nil
  ) where Value == Wrapped? {
    self.init(help: help, completion: completion)
  }

  /// Creates an argument that is nil if it is left out.
  public init<Wrapped: ExpressibleByArgument>(help: ArgumentHelp? = nil, completion: CompletionKind? = nil)
  where Value == Wrapped? {
    self.init(.optional(ValueTraits(help: help, completion: completion), ValueConversion<Wrapped>()))
  }

  /// Creates an argument that is nil if it is left out, read by a closure.
  public init<Wrapped>(
    wrappedValue: NilDefault, help: ArgumentHelp? = nil, completion: CompletionKind? = nil,
    transform: @escaping @Sendable (String) throws -> Wrapped
  ) where Value == Wrapped? {
    self.init(help: help, completion: completion, transform: transform)
  }

  /// Creates an argument that is nil if it is left out, read by a closure.
  public init<Wrapped>(
    help: ArgumentHelp? = nil, completion: CompletionKind? = nil,
    transform: @escaping @Sendable (String) throws -> Wrapped
  ) where Value == Wrapped? {
    self.init(.optional(ValueTraits(help: help, completion: completion), ValueConversion<Wrapped>(transform)))
  }

  /// Creates an argument for any number of words.
  public init<Element: ExpressibleByArgument>(
    wrappedValue: [Element], help: ArgumentHelp? = nil, completion: CompletionKind? = nil
  ) where Value == [Element] {
    self.init(.array(ValueTraits(help: help, completion: completion), ValueConversion(), initial: wrappedValue))
  }

  /// Creates an argument for one or more words.
  public init<Element: ExpressibleByArgument>(help: ArgumentHelp? = nil, completion: CompletionKind? = nil)
  where Value == [Element] {
    self.init(.array(ValueTraits(help: help, completion: completion), ValueConversion<Element>(), initial: nil))
  }

  /// Creates an argument for any number of words, read by a closure.
  public init<Element>(
    wrappedValue: [Element], help: ArgumentHelp? = nil, completion: CompletionKind? = nil,
    transform: @escaping @Sendable (String) throws -> Element
  ) where Value == [Element] {
    self.init(
      .array(ValueTraits(help: help, completion: completion), ValueConversion(transform), initial: wrappedValue))
  }

  /// Creates an argument for one or more words, read by a closure.
  public init<Element>(
    help: ArgumentHelp? = nil, completion: CompletionKind? = nil,
    transform: @escaping @Sendable (String) throws -> Element
  ) where Value == [Element] {
    self.init(
      .array(ValueTraits(help: help, completion: completion), ValueConversion<Element>(transform), initial: nil))
  }
}
