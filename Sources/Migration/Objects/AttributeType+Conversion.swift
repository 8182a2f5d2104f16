internal import DataModel

extension AttributeType {
  /// A value in the form that attributes of this type keep, or `nil` where it is of another kind.
  ///
  /// As in Core Data, numbers of all kinds and truth values pass for each other; everything else must be what the
  /// attribute holds. A whole number that does not fit its width is not accepted: it would come back as another.
  func converted(_ value: AttributeValue) -> AttributeValue? {
    switch self {
    case .integer16: value.wholeNumber.flatMap { Int16(exactly: $0) }.map { .integer(Int64($0)) }
    case .integer32: value.wholeNumber.flatMap { Int32(exactly: $0) }.map { .integer(Int64($0)) }
    case .integer64: value.wholeNumber.map { .integer($0) }
    case .boolean: value.truthValue.map { .boolean($0) }
    case .double: value.realNumber.map { .double($0) }
    // A float that is kept as a double must still be a float when it is read.
    case .float: value.realNumber.map { .double(Double(Float($0))) }
    case .decimal: decimal(value)
    case .string: if case .string = value { value } else { nil }
    case .date: if case .date = value { value } else { nil }
    case .uri: if case .uri = value { value } else { nil }
    case .uuid: if case .uuid(let bytes) = value, bytes.count == 16 { value } else { nil }
    case .binaryData, .transformable: if case .data = value { value } else { nil }
    case .undefined, .objectID, .composite: value
    }
  }

  /// Core Data keeps decimals as numbers of SQLite, which are whole or real.
  private func decimal(_ value: AttributeValue) -> AttributeValue? {
    if case .integer = value { return value }
    if case .string(let digits) = value {
      return Int64(digits).map { .integer($0) } ?? Double(digits).map { .double($0) }
    }
    return value.realNumber.map { .double($0) }
  }
}

extension AttributeValue {
  fileprivate var wholeNumber: Int64? {
    switch self {
    case .integer(let integer): integer
    case .boolean(let boolean): boolean ? 1 : 0
    // As NSNumber gives it: without the fraction.
    case .double(let double): Int64(exactly: double.rounded(.towardZero))
    default: nil
    }
  }

  fileprivate var realNumber: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .boolean(let boolean): boolean ? 1 : 0
    case .double(let double): double
    default: nil
    }
  }

  fileprivate var truthValue: Bool? {
    switch self {
    case .integer(let integer): integer != 0
    case .boolean(let boolean): boolean
    case .double(let double): double != 0
    default: nil
    }
  }

  /// What kind of value this is, for messages.
  var kindName: String {
    switch self {
    case .integer(let integer): "the whole number \(integer)"
    case .double(let double): "the number \(double)"
    case .string: "text"
    case .boolean: "a truth value"
    case .date: "a date"
    case .data: "data"
    case .uuid: "a UUID"
    case .uri: "a URL"
    }
  }
}
