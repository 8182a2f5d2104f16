internal import CoreDataExpressions
internal import DataModel
internal import Migration
internal import SystemC

extension AttributeDescription {
  /// The value as Core Data returns it to apps.
  func boxed(_ value: AttributeValue) -> Any? {
    switch value {
    case .string(let text): text
    case .integer(let integer): type == .decimal ? NSDecimalNumber(value: integer) : NSNumber(value: integer)
    // The digits of a real number are more exact than its bits: 12.1 is not 12.0999….
    case .double(let double):
      type == .decimal ? NSDecimalNumber(string: double.description) : NSNumber(value: double)
    case .boolean(let boolean): NSNumber(value: boolean)
    case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
    case .data(let bytes): object(of: Data(bytes))
    case .uuid(let bytes): UUID(bytes: bytes) ?? Data(bytes)
    // Text that is not a valid URL stays text, so that copying it loses nothing.
    case .uri(let text): URL(string: text, encodingInvalidCharacters: false) ?? text
    }
  }

  /// The attribute's form of an app's value, or `nil` if it is of another type.
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
      // NaN has no digits.
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
  /// Creates a UUID from 16 bytes.
  init?(bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  /// The 16 bytes.
  var bytes: [UInt8] { withUnsafeBytes(of: uuid) { [UInt8]($0) } }
}

extension ExpressionValue {
  /// An app's value in expressions, or `nil` for types that they do not support.
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

  /// The value in the form that apps use.
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

// On Apple's platforms, all objects can be arguments of formats, so `id as CVarArg` compiles there. Here, the types
// that such policies cast conform. `String(format:)` prints their descriptions.

extension UUID: @retroactive CVarArg, @retroactive _CVarArgObject {}
extension Date: @retroactive CVarArg, @retroactive _CVarArgObject {}
extension URL: @retroactive CVarArg, @retroactive _CVarArgObject {}
extension Data: @retroactive CVarArg, @retroactive _CVarArgObject {}
extension Decimal: @retroactive CVarArg, @retroactive _CVarArgObject {}
extension Array: @retroactive CVarArg, @retroactive _CVarArgObject {}
extension Set: @retroactive CVarArg, @retroactive _CVarArgObject {}
extension NSNumber: @retroactive CVarArg, @retroactive _CVarArgObject {}
extension NSDate: @retroactive CVarArg, @retroactive _CVarArgObject {}
extension NSUUID: @retroactive CVarArg, @retroactive _CVarArgObject {}
extension NSArray: @retroactive CVarArg, @retroactive _CVarArgObject {}
extension NSSet: @retroactive CVarArg, @retroactive _CVarArgObject {}
extension NSManagedObject: CVarArg, _CVarArgObject {}
extension NSManagedObjectID: CVarArg, _CVarArgObject {}

extension _CVarArgObject {
  /// The description, which is what a format prints.
  public var _cVarArgObject: any CVarArg { NSString(string: String(describing: self)) }

  /// Not an address: code that encodes the object reads the property above first.
  public var _cVarArgEncoding: [Int] { [0] }
}

extension URL {
  /// The path of a file, without a trailing slash.
  ///
  /// `path` is text, which drops bytes that are not UTF-8.
  var exactPath: String {
    var bytes: [UInt8] = []
    var rest = absoluteURL.path(percentEncoded: true).utf8[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2)
      if byte == UInt8(ascii: "%"), let decoded = UInt8(String(decoding: digits, as: UTF8.self), radix: 16) {
        bytes.append(decoded)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    if bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
    return String(pathBytes: bytes)
  }
}
