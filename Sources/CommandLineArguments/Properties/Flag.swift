/// A property that is set by its name alone.
///
///     @Flag(name: .shortAndLong, help: "Say less.") var quiet = false          // -q, --quiet
///     @Flag(inversion: .prefixedNo) var index = true                           // --index, --no-index
///     @Flag(name: .shortAndLong, help: "Say more.") var verbose: Int           // -v, -vv
@propertyWrapper
package struct Flag<Value>: Decodable {
  var parsed: ParsedValue<Value>

  /// Unavailable.
  ///
  /// For `@Flag var name: T`, the compiler looks for a no-argument initializer only here. Finding this one, it goes on
  /// to the initializers in the extensions, whose arguments have defaults.
  @available(*, unavailable, message: "A default is needed unless the type of the property is one that flags can set.")
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

extension Flag: Sendable where Value: Sendable {}

extension Flag: ArgumentProvider {
  func definitions(property: String, prefix: String) -> [ArgumentDefinition] {
    parsed.definitions(property: property, prefix: prefix)
  }
}

extension Flag where Value == Bool {
  /// Creates a flag that is the opposite of its default when given.
  package init(wrappedValue: Bool, name: NameSpecification = .long, help: ArgumentHelp? = nil) {
    self.init(.toggle(name: name, help: help, initial: wrappedValue))
  }

  /// Creates a pair of flags, one for true and one for false.
  package init(
    wrappedValue: Bool, name: NameSpecification = .long, inversion: FlagInversion,
    exclusivity: FlagExclusivity = .chooseLast, help: ArgumentHelp? = nil
  ) {
    self.init(.inverted(name, inversion, exclusivity, help, initial: wrappedValue) { $0 })
  }

  /// Creates a pair of flags of which one must be given.
  package init(
    name: NameSpecification = .long, inversion: FlagInversion, exclusivity: FlagExclusivity = .chooseLast,
    help: ArgumentHelp? = nil
  ) {
    self.init(.inverted(name, inversion, exclusivity, help, initial: nil) { $0 })
  }
}

extension Flag where Value == Bool? {
  /// Creates a pair of flags; nil if neither is given.
  package init(
    wrappedValue: NilDefault, name: NameSpecification = .long, inversion: FlagInversion,
    exclusivity: FlagExclusivity = .chooseLast, help: ArgumentHelp? = nil
  ) {
    self.init(name: name, inversion: inversion, exclusivity: exclusivity, help: help)
  }

  /// Creates a pair of flags; nil if neither is given.
  package init(
    name: NameSpecification = .long, inversion: FlagInversion, exclusivity: FlagExclusivity = .chooseLast,
    help: ArgumentHelp? = nil
  ) {
    self.init(.inverted(name, inversion, exclusivity, help, initial: .some(nil)) { $0 })
  }
}

extension Flag where Value == Int {
  /// Creates a flag that counts how often it is given.
  package init(name: NameSpecification = .long, help: ArgumentHelp? = nil) {
    self.init(.count(name: name, help: help, initial: 0))
  }

  /// Creates a flag that counts how often it is given, from a start of its own.
  package init(wrappedValue: Int, name: NameSpecification = .long, help: ArgumentHelp? = nil) {
    self.init(.count(name: name, help: help, initial: wrappedValue))
  }
}

extension Flag where Value: EnumerableFlag {
  /// Creates one flag per case, of which one must be given.
  package init(exclusivity: FlagExclusivity = .exclusive, help: ArgumentHelp? = nil) {
    self.init(.oneCase(of: Value.self, exclusivity, help, initial: nil, chosen: nil) { $0 })
  }

  /// Creates one flag per case; without any, the default counts.
  package init(wrappedValue: Value, exclusivity: FlagExclusivity = .exclusive, help: ArgumentHelp? = nil) {
    self.init(.oneCase(of: Value.self, exclusivity, help, initial: wrappedValue, chosen: wrappedValue) { $0 })
  }
}

extension Flag {
  /// Creates one flag per case; nil if none is given.
  package init<Case: EnumerableFlag>(
    wrappedValue: NilDefault, exclusivity: FlagExclusivity = .exclusive, help: ArgumentHelp? = nil
  ) where Value == Case? {
    self.init(exclusivity: exclusivity, help: help)
  }

  /// Creates one flag per case; nil if none is given.
  package init<Case: EnumerableFlag>(exclusivity: FlagExclusivity = .exclusive, help: ArgumentHelp? = nil)
  where Value == Case? {
    self.init(.oneCase(of: Case.self, exclusivity, help, initial: .some(nil), chosen: nil) { $0 })
  }

  /// Creates one flag per case, of which any number can be given.
  package init<Case: EnumerableFlag>(wrappedValue: [Case], help: ArgumentHelp? = nil) where Value == [Case] {
    self.init(.cases(help, initial: wrappedValue))
  }

  /// Creates one flag per case, of which at least one must be given.
  package init<Case: EnumerableFlag>(help: ArgumentHelp? = nil) where Value == [Case] {
    self.init(.cases(help, initial: nil))
  }
}

/// What happens when flags that exclude each other are given together.
package struct FlagExclusivity: Sendable, Hashable {
  enum Representation { case exclusive, chooseFirst, chooseLast }

  var representation: Representation

  /// An error.
  package static var exclusive: Self { Self(representation: .exclusive) }

  /// The first counts.
  package static var chooseFirst: Self { Self(representation: .chooseFirst) }

  /// The last counts.
  package static var chooseLast: Self { Self(representation: .chooseLast) }
}

/// How the name that turns a flag off is made from the name that turns it on.
package struct FlagInversion: Sendable, Hashable {
  enum Representation { case prefixedNo, prefixedEnableDisable }

  var representation: Representation

  /// `--index` and `--no-index`.
  package static var prefixedNo: Self { Self(representation: .prefixedNo) }

  /// `--enable-index` and `--disable-index`.
  package static var prefixedEnableDisable: Self { Self(representation: .prefixedEnableDisable) }
}

extension FlagInversion {
  /// The names that turn the flag on and off.
  ///
  /// A short name can only turn it on.
  func names(from names: [OptionName]) -> (on: [OptionName], off: [OptionName]) {
    let long = names.compactMap { if case .long(let name) = $0 { name } else { nil } }
    switch representation {
    case .prefixedNo:
      return (names, long.map { .long("no-\($0)") })
    case .prefixedEnableDisable:
      return (names.filter(\.isShort) + long.map { .long("enable-\($0)") }, long.map { .long("disable-\($0)") })
    }
  }
}

/// A type whose every case is a flag.
///
///     enum Order: EnumerableFlag { case ascending, descending }
///
///     @Flag var order: Order = .ascending   // --ascending, --descending
package protocol EnumerableFlag: CaseIterable, Equatable, SendableMetatype {
  /// The names of the flag for a case; the case's own name if not implemented.
  static func name(for value: Self) -> NameSpecification

  /// The help of the flag for a case. (default: the property's help)
  static func help(for value: Self) -> ArgumentHelp?
}

extension EnumerableFlag {
  /// The case's name in kebab case, after two dashes.
  package static func name(for value: Self) -> NameSpecification { .long }

  /// The property's help.
  package static func help(for value: Self) -> ArgumentHelp? { nil }
}
