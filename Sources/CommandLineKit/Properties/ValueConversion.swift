/// How one word becomes a value, and a value words.
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
  /// Uses the value's own conversion.
  init() {
    self.init(
      transform: { Value(argument: $0) },
      words: \.defaultValueDescription,
      allValues: Value.allValueStrings,
      completion: Value.defaultCompletionKind)
  }
}

extension ValueConversion {
  /// Uses a closure of the property.
  init(_ transform: @escaping @Sendable (String) throws -> Value) {
    self.init(transform: transform, words: { "\($0)" })
  }
}
