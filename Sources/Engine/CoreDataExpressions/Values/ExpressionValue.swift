/// The value of an expression.
public enum ExpressionValue {
  case null
  case boolean(Bool)
  case integer(Int64)
  case real(Double)
  /// The digits of a decimal number, such as `-12.50`.
  case decimal(String)
  case string(String)
  /// Seconds since 2001-01-01 00:00 UTC.
  case date(Double)
  case data([UInt8])
  case uuid(UUIDValue)
  case url(String)
  case object(any KeyValueObject)
  case collection(CollectionKind, [ExpressionValue])
  case dictionary([String: ExpressionValue])

  /// Returns a collection; sets of either kind have no duplicates.
  package static func collection(_ kind: CollectionKind, distinct elements: some Sequence<ExpressionValue>) -> Self {
    guard kind != .array else { return .collection(.array, Array(elements)) }
    var seen: Set<ExpressionValue> = []
    return .collection(kind, elements.filter { seen.insert($0).inserted })
  }

  /// Whether there is no value.
  package var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// The kind of the value, for messages.
  package var kindName: String {
    switch self {
    case .null: "nil"
    case .boolean: "a truth value"
    case .integer: "a whole number"
    case .real: "a real number"
    case .decimal: "a decimal number"
    case .string: "text"
    case .date: "a date"
    case .data: "data"
    case .uuid: "a UUID"
    case .url: "a URL"
    case .object: "an object"
    case .collection: "a collection"
    case .dictionary: "a dictionary"
    }
  }
}

extension ExpressionValue: Hashable {
  /// Compares as `==` in the format language does.
  ///
  /// Numbers of any kind are compared by value, text by its code units, objects by identity, and sets regardless of
  /// order. Values of different kinds are unequal.
  public static func == (left: ExpressionValue, right: ExpressionValue) -> Bool {
    if let left = left.number, let right = right.number { return left.compare(right) == .some(.same) }
    switch (left, right) {
    case (.null, .null): return true
    case (.string(let left), .string(let right)), (.url(let left), .url(let right)):
      return hasSameBytes(left, right)
    case (.date(let left), .date(let right)): return left == right
    case (.data(let left), .data(let right)): return left == right
    case (.uuid(let left), .uuid(let right)): return left == right
    case (.object(let left), .object(let right)): return left.identity == right.identity
    case (.collection(let leftKind, let left), .collection(let rightKind, let right)):
      return areEqual(left, leftKind, right, rightKind)
    case (.dictionary(let left), .dictionary(let right)): return left == right
    default: return false
    }
  }

  /// Compares text as bytes: `==` of strings treats composed and decomposed characters as equal.
  private static func hasSameBytes(_ left: String, _ right: String) -> Bool {
    left.utf8.count == right.utf8.count && left.utf8.elementsEqual(right.utf8)
  }

  private static func areEqual(
    _ left: [ExpressionValue], _ leftKind: CollectionKind, _ right: [ExpressionValue], _ rightKind: CollectionKind
  ) -> Bool {
    guard leftKind == rightKind else { return false }
    return leftKind == .set ? Set(left) == Set(right) : left == right
  }

  /// Hashes the parts that `==` compares.
  public func hash(into hasher: inout Hasher) {
    if let number {
      // Equal numbers of different kinds have the same real value.
      hasher.combine(number.real)
      return
    }
    switch self {
    case .string(var text), .url(var text): text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    case .date(let seconds): hasher.combine(seconds)
    case .data(let bytes): hasher.combine(bytes)
    case .uuid(let uuid): hasher.combine(uuid)
    case .object(let object): hasher.combine(object.identity)
    case .collection(_, let elements): hasher.combine(elements.count)
    case .dictionary(let values): hasher.combine(values.count)
    default: hasher.combine(0)
    }
  }
}

extension ExpressionValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
  /// Creates text.
  public init(stringLiteral value: String) {
    self = .string(value)
  }

  /// Creates a whole number.
  public init(integerLiteral value: Int64) {
    self = .integer(value)
  }

  /// Creates a real number.
  public init(floatLiteral value: Double) {
    self = .real(value)
  }
}

extension ExpressionValue: ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral {
  /// Creates a truth value.
  public init(booleanLiteral value: Bool) {
    self = .boolean(value)
  }

  /// Creates nil.
  public init(nilLiteral: ()) {
    self = .null
  }

  /// Creates an array.
  public init(arrayLiteral elements: ExpressionValue...) {
    self = .collection(.array, elements)
  }
}

/// The classes that `CAST` supports, with Core Data's names.
enum ValueType: String, CaseIterable {
  case date = "NSDate"
  case number = "NSNumber"
  case decimal = "NSDecimalNumber"
  case string = "NSString"
  case uuid = "NSUUID"
  case url = "NSURL"
  case data = "NSData"
}

/// An object whose values expressions read by name: a row, a managed object, a migration manager.
///
/// Two objects are equal if they have the same identity.
public protocol KeyValueObject: AnyObject {
  /// The identity of the object; by default, the object itself.
  ///
  /// A proxy has the identity of its object.
  var identity: ObjectIdentifier { get }

  /// Returns the value of an attribute, a relationship or another property.
  ///
  /// - Throws: Any error if there is no such key; evaluation rethrows it.
  func value(forKey key: String) throws -> ExpressionValue

  /// Returns whether the number of a key is a decimal one, whose properties differ from those of other numbers; by
  /// default, false.
  func isDecimal(forKey key: String) -> Bool
}

extension KeyValueObject {
  /// The object itself.
  package var identity: ObjectIdentifier { ObjectIdentifier(self) }

  /// No number is a decimal one.
  public func isDecimal(forKey key: String) -> Bool { false }
}

/// A UUID, without Foundation.
public struct UUIDValue: Sendable, Hashable, CustomStringConvertible {
  /// The sixteen bytes, as Core Data stores them.
  package let bytes: [UInt8]

  /// Creates a UUID from sixteen bytes, or returns `nil` for any other number of bytes.
  package init?(bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// Parses the usual form with four hyphens, in either case.
  package init?(_ text: String) {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12], let bytes = HexadecimalText.decode(groups.joined()) else {
      return nil
    }
    self.init(bytes: bytes)
  }

  /// The usual form, in uppercase.
  public var description: String {
    let digits = HexadecimalText.encode(bytes).uppercased()
    var rest = Substring(digits)
    let groups = [8, 4, 4, 4, 12].map { count -> Substring in
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }
    return groups.joined(separator: "-")
  }
}
