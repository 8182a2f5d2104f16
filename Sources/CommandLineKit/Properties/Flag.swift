/// A property that is set by a name alone.
///
///     @Flag(name: .shortAndLong, help: "Say less.") var quiet = false          // -q, --quiet
///     @Flag(inversion: .prefixedNo) var index = true                           // --index, --no-index
///     @Flag(name: .shortAndLong, help: "Say more.") var verbose: Int           // -v, -vv
@propertyWrapper
public struct Flag<Value>: Decodable {
  var parsed: ParsedValue<Value>

  /// Does not exist.
  ///
  /// For `@Flag var name: T` the compiler looks for a no-argument initializer here only. Finding this one, it goes on to
  /// those of the extensions, whose arguments have defaults.
  @available(*, unavailable, message: "A default is needed unless the type of the property is one that flags can set.")
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

extension Flag: Sendable where Value: Sendable {}

extension Flag: ArgumentProvider {
  func definitions(property: String, prefix: String) -> [ArgumentDefinition] {
    parsed.definitions(property: property, prefix: prefix)
  }
}

extension Flag where Value == Bool {
  /// Creates a flag that is the opposite of its default when given.
  public init(wrappedValue: Bool, name: NameSpecification = .long, help: ArgumentHelp? = nil) {
    self.init(.toggle(name: name, help: help, initial: wrappedValue))
  }

  /// Creates a pair of flags, one for true and one for false.
  public init(
    wrappedValue: Bool, name: NameSpecification = .long, inversion: FlagInversion,
    exclusivity: FlagExclusivity = .chooseLast, help: ArgumentHelp? = nil
  ) {
    self.init(.inverted(name, inversion, exclusivity, help, initial: wrappedValue) { $0 })
  }

  /// Creates a pair of flags of which one must be given.
  public init(
    name: NameSpecification = .long, inversion: FlagInversion, exclusivity: FlagExclusivity = .chooseLast,
    help: ArgumentHelp? = nil
  ) {
    self.init(.inverted(name, inversion, exclusivity, help, initial: nil) { $0 })
  }
}

extension Flag where Value == Bool? {
  /// Creates a pair of flags; nil if neither is given.
  public init(
    wrappedValue: NilDefault, name: NameSpecification = .long, inversion: FlagInversion,
    exclusivity: FlagExclusivity = .chooseLast, help: ArgumentHelp? = nil
  ) {
    self.init(name: name, inversion: inversion, exclusivity: exclusivity, help: help)
  }

  /// Creates a pair of flags; nil if neither is given.
  public init(
    name: NameSpecification = .long, inversion: FlagInversion, exclusivity: FlagExclusivity = .chooseLast,
    help: ArgumentHelp? = nil
  ) {
    self.init(.inverted(name, inversion, exclusivity, help, initial: .some(nil)) { $0 })
  }
}

extension Flag where Value == Int {
  /// Creates a flag that counts how often it is given.
  public init(name: NameSpecification = .long, help: ArgumentHelp? = nil) {
    self.init(.count(name: name, help: help, initial: 0))
  }

  /// Creates a flag that counts how often it is given, from a start of its own.
  public init(wrappedValue: Int, name: NameSpecification = .long, help: ArgumentHelp? = nil) {
    self.init(.count(name: name, help: help, initial: wrappedValue))
  }
}
