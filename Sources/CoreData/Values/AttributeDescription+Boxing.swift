internal import DataModel

extension AttributeDescription {
  /// The value as Core Data gives it to apps.
  func boxed(_ value: AttributeValue) -> Any? {
    switch value {
    case .string(let text): text
    case .integer(let integer): type == .decimal ? NSDecimalNumber(value: integer) : NSNumber(value: integer)
    // The digits of a real number say more than its bits: 12.1 is not 12.0999….
    case .double(let double):
      type == .decimal ? NSDecimalNumber(string: double.description) : NSNumber(value: double)
    case .boolean(let boolean): NSNumber(value: boolean)
    case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
    case .data(let bytes): object(of: Data(bytes))
    case .uuid(let bytes): UUID(bytes: bytes) ?? Data(bytes)
    // Text that is no URL stays text, so that copying it loses nothing.
    case .uri(let text): URL(string: text, encodingInvalidCharacters: false) ?? text
    }
  }

  /// The attribute's form of a value that an app gives, or `nil` where it is of another kind.
  func unboxed(_ value: Any) -> AttributeValue? {
    switch type {
    case .string: (value as? String).map { .string($0) }
    case .integer16, .integer32, .integer64, .boolean, .double, .float: Self.number(value)
    case .decimal: Self.decimal(value)
    case .date: (value as? Date).map { .date($0.timeIntervalSinceReferenceDate) }
    case .binaryData: (value as? Data).map { .data([UInt8]($0)) }
    case .transformable: data(of: value).map { .data([UInt8]($0)) }
    case .uuid: (value as? UUID).map { .uuid($0.bytes) }
    case .uri: Self.uri(value)
    case .undefined, .objectID, .composite: anyKind(value)
    }
  }

  private func anyKind(_ value: Any) -> AttributeValue? {
    if let text = value as? String { return .string(text) }
    if let date = value as? Date { return .date(date.timeIntervalSinceReferenceDate) }
    if let data = value as? Data { return .data([UInt8](data)) }
    if let uuid = value as? UUID { return .uuid(uuid.bytes) }
    if let url = value as? URL { return .uri(url.absoluteString) }
    return Self.number(value)
  }

  private static func uri(_ value: Any) -> AttributeValue? {
    if let url = value as? URL { return .uri(url.absoluteString) }
    guard let text = value as? String, URL(string: text, encodingInvalidCharacters: false) == nil else { return nil }
    return .uri(text)
  }

  private static func decimal(_ value: Any) -> AttributeValue? {
    if let decimal = value as? NSDecimalNumber {
      // Not a number has no digits.
      return decimal == NSDecimalNumber.notANumber ? nil : .string(decimal.stringValue)
    }
    return number(value)
  }

  static func number(_ value: Any) -> AttributeValue? {
    if let real = value as? CGFloat { return .double(Double(real)) }
    guard let number = value as? NSNumber else { return nil }
    switch UInt8(bitPattern: number.objCType.pointee) {
    case UInt8(ascii: "d"), UInt8(ascii: "f"): return .double(number.doubleValue)
    case UInt8(ascii: "Q"):
      return Int64(exactly: number.uint64Value).map { .integer($0) } ?? .double(number.doubleValue)
    default: return .integer(number.int64Value)
    }
  }
}

extension UUID {
  /// Creates a UUID from sixteen bytes.
  init?(bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  /// The sixteen bytes.
  var bytes: [UInt8] { withUnsafeBytes(of: uuid) { [UInt8]($0) } }
}
