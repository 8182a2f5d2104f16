/// What a property wrapper holds: how to find the value, or the value.
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
  /// Reading one from a command that was created by `init()` is a defect of the program: it has no command line.
  var value: Value {
    switch self {
    case .value(let value): value
    case .pending: preconditionFailure("Read a property of a command that was not made by parsing.")
    }
  }

  /// The arguments that the property stands for; none once it has a value.
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
