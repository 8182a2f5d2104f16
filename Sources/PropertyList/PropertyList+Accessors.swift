extension PropertyList {
  /// The truth value, if this is one.
  public var boolean: Bool? {
    if case .boolean(let value) = self { value } else { nil }
  }

  /// The integer, if this is one of at most 64 bits.
  public var integer: Int64? {
    if case .integer(let value) = self { value } else { nil }
  }

  /// The floating-point number, if this is one.
  ///
  /// Integers count too: writers may shorten `1.0` to `1`.
  public var real: Double? {
    switch self {
    case .real(let value): value
    case .integer(let value): Double(value)
    default: nil
    }
  }

  /// The date in seconds since 2001-01-01 00:00:00 UTC, if this is one.
  public var date: Double? {
    if case .date(let value) = self { value } else { nil }
  }

  /// The bytes, if this is data.
  public var data: [UInt8]? {
    if case .data(let value) = self { value } else { nil }
  }

  /// The text, if this is a string.
  public var string: String? {
    if case .string(let value) = self { value } else { nil }
  }

  /// The elements, if this is an array.
  public var array: [PropertyList]? {
    if case .array(let value) = self { value } else { nil }
  }

  /// The dictionary, if this is one.
  public var dictionary: PropertyListDictionary? {
    if case .dictionary(let value) = self { value } else { nil }
  }

  /// The number of the archived object that this refers to, if this is such a reference.
  public var uid: UInt64? {
    if case .uid(let value) = self { value } else { nil }
  }

  /// The value under a key, if this is a dictionary that has it.
  public subscript(key: String) -> PropertyList? { dictionary?[key] }
}
