/// The content of a property wrapper: either how to find the value, or the value.
enum ParsedValue<Value> {
  case pending(ValueReader<Value>)
  case value(Value)

  /// Takes the value out of a decoder that an ``ArgumentDecoder`` made for this property.
  init(from decoder: any Decoder) throws {
    guard let leaf = decoder as? ArgumentDecoder, let box = leaf.value as? ParsedBox<Value> else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "Not made from a command line"))
    }
    self = .value(box.value)
  }

  /// The value.
  ///
  /// Reading it from a command created by `init()` is a programming error: such a command has no command line.
  var value: Value {
    switch self {
    case .value(let value): value
    case .pending: preconditionFailure("Read a property of a command that was not made by parsing.")
    }
  }

  /// The arguments that the property declares; none once it has a value.
  func definitions(property: String, prefix: String) -> [ArgumentDefinition] {
    guard case .pending(let reader) = self else { return [] }
    var info = reader.describe(property)
    info.key = prefix + property
    info.isOptional = reader.initial != nil
    return [
      ArgumentDefinition(info: info) { occurrences in
        if occurrences.isEmpty { return reader.initial.map(ParsedBox.init) }
        return ParsedBox(value: try reader.read(occurrences))
      }
    ]
  }
}

extension ParsedValue: Sendable where Value: Sendable {}

/// How a word is converted to a value, and a value to words.
struct ValueConversion<Value>: Sendable {
  var transform: @Sendable (String) throws -> Value?
  var words: @Sendable (Value) -> String
  var allValues: [String] = []
  var completion = CompletionKind.default

  /// - Throws: ``InvalidValue``.
  @Sendable func convert(_ occurrence: Occurrence) throws -> Value {
    guard case .value(let word, let name) = occurrence else {
      preconditionFailure("The parser gives flags to flags only.")
    }
    do {
      if let value = try transform(word) { return value }
    } catch {
      throw InvalidValue(word: word, name: name, reason: error)
    }
    throw InvalidValue(word: word, name: name)
  }

  func describe(_ traits: ValueTraits, _ property: String, defaultValue: String? = nil) -> ArgumentInfo {
    var info = traits.describe(property)
    info.allValues = allValues
    info.completion = traits.completion ?? completion
    info.defaultValue = defaultValue.flatMap { $0.isEmpty ? nil : $0 }
    return info
  }
}

extension ValueConversion where Value: ExpressibleByArgument {
  /// Uses the value type's own conversion.
  init() {
    self.init(
      transform: { Value(argument: $0) },
      words: \.defaultValueDescription,
      allValues: Value.allValueStrings,
      completion: Value.defaultCompletionKind)
  }
}

extension ValueConversion {
  /// Uses the property's closure.
  init(_ transform: @escaping @Sendable (String) throws -> Value) {
    self.init(transform: transform, words: { "\($0)" })
  }
}

/// How the value of a property is described and read.
struct ValueReader<Value> {
  /// The value if nothing is given; nil if the argument is required.
  var initial: Value?

  /// Describes the property with this name.
  var describe: @Sendable (String) -> ArgumentInfo

  /// Makes the value from one or more occurrences.
  var read: @Sendable ([Occurrence]) throws -> Value
}

extension ValueReader: Sendable where Value: Sendable {}

extension ValueReader {
  /// Reads one value; the last one is used.
  static func single(_ traits: ValueTraits, _ conversion: ValueConversion<Value>, initial: Value?) -> Self {
    let defaultValue = initial.map(conversion.words)
    return Self(initial: initial) { property in
      conversion.describe(traits, property, defaultValue: defaultValue)
    } read: { occurrences in
      try conversion.convert(occurrences[occurrences.count - 1])
    }
  }

  /// Reads a value that may be left out.
  static func optional<Wrapped>(_ traits: ValueTraits, _ conversion: ValueConversion<Wrapped>) -> Self
  where Value == Wrapped? {
    Self(initial: .some(nil)) { property in
      conversion.describe(traits, property)
    } read: { occurrences in
      try conversion.convert(occurrences[occurrences.count - 1])
    }
  }

  /// Reads any number of values, at least one if there is no default.
  static func array<Element>(_ traits: ValueTraits, _ conversion: ValueConversion<Element>, initial: [Element]?) -> Self
  where Value == [Element] {
    let defaultValue = initial.map { $0.map(conversion.words).joined(separator: ", ") }
    return Self(initial: initial) { property in
      var info = conversion.describe(traits, property, defaultValue: defaultValue)
      info.isRepeating = true
      return info
    } read: { occurrences in
      try occurrences.map(conversion.convert)
    }
  }
}

extension ValueReader where Value == Bool {
  /// Reads a flag with one name, which inverts the default.
  static func toggle(name: NameSpecification, help: ArgumentHelp?, initial: Bool) -> Self {
    Self(initial: initial) { property in
      ArgumentInfo(flag: property, choices: [.init(names: name.names(for: property))], help: help)
    } read: { _ in
      !initial
    }
  }
}

extension ValueReader where Value == Int {
  /// Counts the occurrences.
  static func count(name: NameSpecification, help: ArgumentHelp?, initial: Int) -> Self {
    Self(initial: initial) { property in
      var info = ArgumentInfo(flag: property, choices: [.init(names: name.names(for: property))], help: help)
      info.isRepeating = true
      return info
    } read: { occurrences in
      initial + occurrences.count
    }
  }
}

extension ValueReader {
  /// Reads a pair of flags for true and false.
  static func inverted(
    _ name: NameSpecification, _ inversion: FlagInversion, _ exclusivity: FlagExclusivity, _ help: ArgumentHelp?,
    initial: Value?, make: @escaping @Sendable (Bool) -> Value
  ) -> Self {
    let chosen = initial as? Bool
    return Self(initial: initial) { property in
      let names = inversion.names(from: name.names(for: property))
      var info = ArgumentInfo(
        flag: property, choices: [.init(names: names.on), .init(names: names.off)], help: help)
      info.exclusivity = exclusivity
      info.defaultValue = chosen.flatMap { ($0 ? names.on : names.off).preferred?.spelling }
      return info
    } read: { occurrences in
      make(occurrences.last?.choice == 0)
    }
  }

  /// Reads one of the flags that the cases of an enumeration stand for.
  static func oneCase<Case: EnumerableFlag>(
    of type: Case.Type, _ exclusivity: FlagExclusivity, _ help: ArgumentHelp?, initial: Value?, chosen: Case?,
    make: @escaping @Sendable (Case) -> Value
  ) -> Self {
    let defaultChoice = chosen.flatMap { Array(Case.allCases).firstIndex(of: $0) }
    return Self(initial: initial) { property in
      var info = ArgumentInfo(flag: property, choices: Case.flagChoices, help: help)
      info.exclusivity = exclusivity
      info.defaultValue = defaultChoice.flatMap { info.choices[$0].names.preferred?.spelling }
      return info
    } read: { occurrences in
      make(Array(Case.allCases)[occurrences[occurrences.count - 1].choice])
    }
  }

  /// Reads all given flags of those that the cases of an enumeration stand for.
  static func cases<Case: EnumerableFlag>(_ help: ArgumentHelp?, initial: [Case]?) -> Self where Value == [Case] {
    Self(initial: initial) { property in
      var info = ArgumentInfo(flag: property, choices: Case.flagChoices, help: help)
      info.isRepeating = true
      return info
    } read: { occurrences in
      occurrences.map { Array(Case.allCases)[$0.choice] }
    }
  }
}

extension Occurrence {
  /// Which of a flag's choices was given.
  fileprivate var choice: Int {
    guard case .flag(let choice, _) = self else {
      preconditionFailure("The parser gives words to arguments and options only.")
    }
    return choice
  }
}

extension EnumerableFlag {
  fileprivate static var flagChoices: [ArgumentInfo.NameChoice] {
    allCases.map { value in
      .init(names: name(for: value).names(for: String(describing: value)), abstract: help(for: value)?.abstract)
    }
  }
}

extension ArgumentInfo {
  fileprivate init(flag property: String, choices: [NameChoice], help: ArgumentHelp?) {
    self.init(key: property, kind: .flag, choices: choices)
    describe(help)
  }
}

/// What arguments and options declare besides their values.
struct ValueTraits: Sendable {
  /// Nil for a positional argument.
  var name: NameSpecification?
  var parsing = ValueParsing.next
  var help: ArgumentHelp?
  var completion: CompletionKind?
}

extension ValueTraits {
  init(
    _ name: NameSpecification, _ strategy: SingleValueParsingStrategy, _ help: ArgumentHelp?,
    _ completion: CompletionKind?
  ) {
    self.init(name: name, parsing: strategy.parsing, help: help, completion: completion)
  }

  init(
    _ name: NameSpecification, _ strategy: ArrayParsingStrategy, _ help: ArgumentHelp?, _ completion: CompletionKind?
  ) {
    self.init(name: name, parsing: strategy.parsing, help: help, completion: completion)
  }

  func describe(_ property: String) -> ArgumentInfo {
    var info = ArgumentInfo(key: property, kind: name == nil ? .positional : .option)
    if let name { info.choices = [.init(names: name.names(for: property))] }
    info.describe(help, valueName: info.names.preferred.flatMap(Self.valueName) ?? property.kebabCased)
    info.parsing = parsing
    return info
  }

  private static func valueName(_ name: OptionName) -> String? {
    if case .long(let name) = name { name } else { nil }
  }
}

extension ArgumentInfo {
  mutating func describe(_ help: ArgumentHelp?, valueName: String = "") {
    abstract = help?.abstract ?? ""
    discussion = help?.discussion ?? ""
    visibility = help?.visibility ?? .default
    self.valueName = help?.valueName ?? valueName
  }
}
