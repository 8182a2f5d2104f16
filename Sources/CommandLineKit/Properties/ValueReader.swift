/// How the value of a property is described and read.
struct ValueReader<Value> {
  /// The value if nothing is given; nil if something must be.
  var initial: Value?

  /// Describes the property of this name.
  var describe: @Sendable (String) -> ArgumentInfo

  /// Makes the value from one or more occurrences.
  var read: @Sendable ([Occurrence]) throws -> Value
}

extension ValueReader: Sendable where Value: Sendable {}

extension ValueReader {
  /// Reads one value; the last one counts.
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
