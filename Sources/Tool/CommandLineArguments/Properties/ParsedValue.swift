/// A type that can be read from one word of the command line.
///
/// An enumeration with text as its raw values only has to declare the conformance:
///
///     enum Format: String, CaseIterable, ExpressibleByArgument { case table, json }
package protocol ExpressibleByArgument: SendableMetatype {
  /// Creates the value, or returns nil if the word is not one.
  init?(argument: String)

  /// The value as help shows it after "default:".
  var defaultValueDescription: String { get }

  /// Every accepted word, for help and completions; empty if they cannot be listed.
  static var allValueStrings: [String] { get }

  /// Whether a word that starts with one dash can be a value rather than an option.
  static var allowsLeadingDash: Bool { get }
}

extension ExpressibleByArgument {
  /// No: only `--option=-value` is a value.
  package static var allowsLeadingDash: Bool { false }

  /// The value's description.
  package var defaultValueDescription: String { "\(self)" }

  /// No words: any may be accepted.
  package static var allValueStrings: [String] { [] }
}

extension ExpressibleByArgument where Self: CaseIterable & RawRepresentable, RawValue == String {
  /// Creates the value whose raw value is the word.
  package init?(argument: String) { self.init(rawValue: argument) }

  /// The raw value.
  package var defaultValueDescription: String { rawValue }

  /// The raw values of all cases.
  package static var allValueStrings: [String] { allCases.map(\.rawValue) }
}

extension ExpressibleByArgument where Self: LosslessStringConvertible {
  /// Creates the value that the word describes.
  package init?(argument: String) { self.init(argument) }
}

extension String: ExpressibleByArgument {}
extension Int: ExpressibleByArgument {}
extension Int64: ExpressibleByArgument {}
extension UInt64: ExpressibleByArgument {}
extension Double: ExpressibleByArgument {}

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

/// A description of a property's value, and the way to read it.
struct ValueReader<Value> {
  /// The value if nothing is given; nil if the argument is required.
  var initial: Value?

  /// Describes the property with this name.
  var describe: (String) -> ArgumentInfo

  /// Makes the value from one or more occurrences.
  ///
  /// - Throws: ``InvalidValue``.
  var read: ([Occurrence]) throws -> Value
}

extension ValueReader {
  /// Reads one value; the last one is used.
  static func single(_ traits: ValueTraits, initial: Value?) -> Self where Value: ExpressibleByArgument {
    Self(initial: initial) { property in
      traits.describe(property, Value.self, defaultValue: initial?.defaultValueDescription)
    } read: { occurrences in
      try occurrences[occurrences.count - 1].value()
    }
  }

  /// Reads a value that may be left out.
  static func optional<Wrapped: ExpressibleByArgument>(_ traits: ValueTraits) -> Self where Value == Wrapped? {
    Self(initial: .some(nil)) { property in
      traits.describe(property, Wrapped.self)
    } read: { occurrences in
      try occurrences[occurrences.count - 1].value() as Wrapped
    }
  }

  /// Reads any number of values, at least one if there is no default.
  static func array<Element: ExpressibleByArgument>(_ traits: ValueTraits, initial: [Element]?) -> Self
  where Value == [Element] {
    Self(initial: initial) { property in
      let defaultValue = initial?.map(\.defaultValueDescription).joined(separator: ", ")
      var info = traits.describe(property, Element.self, defaultValue: defaultValue)
      info.isRepeating = true
      return info
    } read: { occurrences in
      try occurrences.map { try $0.value() }
    }
  }

  /// Reads a flag, which inverts the default.
  static func toggle(_ traits: ValueTraits, initial: Bool) -> Self where Value == Bool {
    Self(initial: initial) { property in
      traits.describe(property, .flag)
    } read: { _ in
      !initial
    }
  }
}

/// The declarations of arguments, options and flags besides their values.
struct ValueTraits {
  /// Nil for a positional argument.
  var name: NameSpecification?
  var help: ArgumentHelp?
  var completion: CompletionKind?

  func describe(_ property: String, _ kind: ArgumentInfo.Kind) -> ArgumentInfo {
    var info = ArgumentInfo(key: property, kind: kind, names: name?.names(for: property) ?? [])
    info.abstract = help?.abstract ?? ""
    info.visibility = help?.visibility ?? .default
    info.environmentVariable = help?.environmentVariable
    info.otherNames = help?.otherNames ?? []
    return info
  }

  func describe<Value: ExpressibleByArgument>(
    _ property: String, _ type: Value.Type, defaultValue: String? = nil
  ) -> ArgumentInfo {
    var info = describe(property, name == nil ? .positional : .option)
    info.valueName = help?.valueName ?? info.names.compactMap(\.long).first ?? property.kebabCased
    info.allValues = Value.allValueStrings
    info.allowsLeadingDash = Value.allowsLeadingDash
    info.completion = completion ?? (info.allValues.isEmpty ? .default : .list(info.allValues))
    info.defaultValue = defaultValue.flatMap { $0.isEmpty ? nil : $0 }
    return info
  }
}
