/// A property that is read from a word that belongs to no option.
///
///     @Argument(help: "The library to read.", completion: .file()) var library: String
@propertyWrapper
package struct Argument<Value>: Decodable {
  var parsed: ParsedValue<Value>

  /// Unavailable.
  ///
  /// For `@Argument var name: T`, the compiler looks for a no-argument initializer only here. Finding this one, it goes
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
  package init(wrappedValue: Value, help: ArgumentHelp? = nil, completion: CompletionKind? = nil) {
    self.init(.single(ValueTraits(help: help, completion: completion), ValueConversion(), initial: wrappedValue))
  }

  /// Creates an argument that must be given.
  package init(help: ArgumentHelp? = nil, completion: CompletionKind? = nil) {
    self.init(.single(ValueTraits(help: help, completion: completion), ValueConversion(), initial: nil))
  }
}

extension Argument {
  /// Creates an argument that may be left out, read by a closure.
  package init(
    wrappedValue: Value, help: ArgumentHelp? = nil, completion: CompletionKind? = nil,
    transform: @escaping @Sendable (String) throws -> Value
  ) {
    self.init(
      .single(ValueTraits(help: help, completion: completion), ValueConversion(transform), initial: wrappedValue))
  }

  /// Creates an argument that must be given, read by a closure.
  package init(
    help: ArgumentHelp? = nil, completion: CompletionKind? = nil,
    transform: @escaping @Sendable (String) throws -> Value
  ) {
    self.init(.single(ValueTraits(help: help, completion: completion), ValueConversion(transform), initial: nil))
  }

  /// Creates an argument that is nil if it is left out.
  package init<Wrapped: ExpressibleByArgument>(
    wrappedValue: NilDefault, help: ArgumentHelp? = nil, completion: CompletionKind? = nil
  ) where Value == Wrapped? {
    self.init(help: help, completion: completion)
  }

  /// Creates an argument that is nil if it is left out.
  package init<Wrapped: ExpressibleByArgument>(help: ArgumentHelp? = nil, completion: CompletionKind? = nil)
  where Value == Wrapped? {
    self.init(.optional(ValueTraits(help: help, completion: completion), ValueConversion<Wrapped>()))
  }

  /// Creates an argument that is nil if it is left out, read by a closure.
  package init<Wrapped>(
    wrappedValue: NilDefault, help: ArgumentHelp? = nil, completion: CompletionKind? = nil,
    transform: @escaping @Sendable (String) throws -> Wrapped
  ) where Value == Wrapped? {
    self.init(help: help, completion: completion, transform: transform)
  }

  /// Creates an argument that is nil if it is left out, read by a closure.
  package init<Wrapped>(
    help: ArgumentHelp? = nil, completion: CompletionKind? = nil,
    transform: @escaping @Sendable (String) throws -> Wrapped
  ) where Value == Wrapped? {
    self.init(.optional(ValueTraits(help: help, completion: completion), ValueConversion<Wrapped>(transform)))
  }

  /// Creates an argument for any number of words.
  package init<Element: ExpressibleByArgument>(
    wrappedValue: [Element], help: ArgumentHelp? = nil, completion: CompletionKind? = nil
  ) where Value == [Element] {
    self.init(.array(ValueTraits(help: help, completion: completion), ValueConversion(), initial: wrappedValue))
  }

  /// Creates an argument for one or more words.
  package init<Element: ExpressibleByArgument>(help: ArgumentHelp? = nil, completion: CompletionKind? = nil)
  where Value == [Element] {
    self.init(.array(ValueTraits(help: help, completion: completion), ValueConversion<Element>(), initial: nil))
  }

  /// Creates an argument for any number of words, read by a closure.
  package init<Element>(
    wrappedValue: [Element], help: ArgumentHelp? = nil, completion: CompletionKind? = nil,
    transform: @escaping @Sendable (String) throws -> Element
  ) where Value == [Element] {
    self.init(
      .array(ValueTraits(help: help, completion: completion), ValueConversion(transform), initial: wrappedValue))
  }

  /// Creates an argument for one or more words, read by a closure.
  package init<Element>(
    help: ArgumentHelp? = nil, completion: CompletionKind? = nil,
    transform: @escaping @Sendable (String) throws -> Element
  ) where Value == [Element] {
    self.init(
      .array(ValueTraits(help: help, completion: completion), ValueConversion<Element>(transform), initial: nil))
  }
}
