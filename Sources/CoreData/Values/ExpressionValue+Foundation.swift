internal import Expressions
internal import Migration

extension ExpressionValue {
  /// A value of an app in expressions, or `nil` for what they know nothing of.
  init?(any value: Any?) {
    guard let value = value.flatMap({ Unwrapping.value($0) }) else {
      self = .null
      return
    }
    if let text = value as? String {
      self = .string(text)
    } else if let handle = value as? NSManagedObject {
      guard let instance = handle.instance else { return nil }
      self = .object(ManagedObjectValues(instance))
    } else if let date = value as? Date {
      self = .date(date.timeIntervalSinceReferenceDate)
    } else if let scalar = Self.scalar(value) ?? Self.collection(value) {
      self = scalar
    } else {
      return nil
    }
  }

  private static func scalar(_ value: Any) -> ExpressionValue? {
    if type(of: value) == Bool.self { return (value as? Bool).map { .boolean($0) } }
    if let decimal = value as? NSDecimalNumber { return .decimal(decimal.stringValue) }
    if let real = value as? CGFloat { return .real(Double(real)) }
    if let number = value as? NSNumber {
      switch UInt8(bitPattern: number.objCType.pointee) {
      case UInt8(ascii: "d"), UInt8(ascii: "f"): return .real(number.doubleValue)
      default: return .integer(number.int64Value)
      }
    }
    if let data = value as? Data { return .data([UInt8](data)) }
    if let uuid = value as? UUID { return UUIDValue(bytes: uuid.bytes).map { .uuid($0) } }
    return (value as? URL).map { .url($0.absoluteString) }
  }

  private static func collection(_ value: Any) -> ExpressionValue? {
    func values(_ kind: CollectionKind, _ elements: [Any]) -> ExpressionValue? {
      let values = elements.compactMap { ExpressionValue(any: $0) }
      return values.count == elements.count ? .collection(kind, values) : nil
    }
    if let ordered = value as? NSOrderedSet { return values(.orderedSet, ordered.array) }
    if let array = value as? NSArray { return values(.array, array.map { $0 }) }
    if let set = value as? NSSet { return values(.set, set.allObjects) }
    guard let dictionary = value as? [String: Any] else { return nil }
    let converted = dictionary.compactMapValues { ExpressionValue(any: $0) }
    return converted.count == dictionary.count ? .dictionary(converted) : nil
  }

  /// The value as apps know it.
  var foundationValue: Any? {
    switch self {
    case .null: nil
    case .boolean(let boolean): NSNumber(value: boolean)
    case .integer(let integer): NSNumber(value: integer)
    case .real(let real): NSNumber(value: real)
    case .decimal(let digits): NSDecimalNumber(string: digits)
    case .string(let text): text
    case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
    case .data(let bytes): Data(bytes)
    case .uuid(let uuid): UUID(bytes: uuid.bytes)
    case .url(let text): URL(string: text, encodingInvalidCharacters: false) ?? text
    case .object(let object): (object as? ManagedObjectValues)?.instance.handle()
    case .collection(.array, let elements): elements.map { $0.foundationValue ?? NSNull() }
    case .collection(.orderedSet, let elements): NSOrderedSet(array: elements.map { $0.foundationValue ?? NSNull() })
    case .collection(.set, let elements): NSSet(array: elements.map { $0.foundationValue ?? NSNull() })
    case .dictionary(let values): values.mapValues { $0.foundationValue ?? NSNull() }
    }
  }
}
