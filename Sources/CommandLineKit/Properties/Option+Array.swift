extension Option {
  /// Creates an option that may be given any number of times.
  public init<Element: ExpressibleByArgument>(
    wrappedValue: [Element], name: NameSpecification = .long, parsing: ArrayParsingStrategy = .singleValue,
    help: ArgumentHelp? = nil, completion: CompletionKind? = nil
  ) where Value == [Element] {
    self.init(.array(ValueTraits(name, parsing, help, completion), ValueConversion(), initial: wrappedValue))
  }

  /// Creates an option that must be given at least once.
  public init<Element: ExpressibleByArgument>(
    name: NameSpecification = .long, parsing: ArrayParsingStrategy = .singleValue,
    help: ArgumentHelp? = nil, completion: CompletionKind? = nil
  ) where Value == [Element] {
    self.init(.array(ValueTraits(name, parsing, help, completion), ValueConversion<Element>(), initial: nil))
  }

  /// Creates an option that may be given any number of times, read by a closure.
  public init<Element>(
    wrappedValue: [Element], name: NameSpecification = .long, parsing: ArrayParsingStrategy = .singleValue,
    help: ArgumentHelp? = nil, completion: CompletionKind? = nil,
    transform: @escaping @Sendable (String) throws -> Element
  ) where Value == [Element] {
    self.init(.array(ValueTraits(name, parsing, help, completion), ValueConversion(transform), initial: wrappedValue))
  }

  /// Creates an option that must be given at least once, read by a closure.
  public init<Element>(
    name: NameSpecification = .long, parsing: ArrayParsingStrategy = .singleValue,
    help: ArgumentHelp? = nil, completion: CompletionKind? = nil,
    transform: @escaping @Sendable (String) throws -> Element
  ) where Value == [Element] {
    self.init(.array(ValueTraits(name, parsing, help, completion), ValueConversion<Element>(transform), initial: nil))
  }
}
