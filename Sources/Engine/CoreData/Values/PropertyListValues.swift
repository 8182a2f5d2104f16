internal import PersistentStore
internal import PropertyListFormat

// Property lists, such as a store's metadata, and the values that apps see in their place.

extension StoreMetadata {
  /// The metadata as apps see them.
  var foundationValue: [String: Any] {
    var values = properties.foundationValue
    values[NSStoreUUIDKey] = uuid
    return values
  }
}

extension PropertyListDictionary {
  fileprivate var foundationValue: [String: Any] {
    Dictionary(pairs.map { ($0.key, $0.value.foundationValue) }, uniquingKeysWith: { first, _ in first })
  }
}

extension PropertyList {
  fileprivate var foundationValue: Any {
    switch self {
    case .null, .uid: NSNull()
    case .boolean(let boolean): NSNumber(value: boolean)
    case .integer(let integer): NSNumber(value: integer)
    case .wideInteger(let integer): NSDecimalNumber(string: "\(integer)")
    case .real(let real): NSNumber(value: real)
    case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
    case .data(let bytes): Data(bytes)
    case .string(let text): text
    case .array(let elements): elements.map(\.foundationValue)
    case .dictionary(let dictionary): dictionary.foundationValue
    }
  }
}

extension PropertyList {
  /// The property list of Foundation's values; nil if it has another kind of value.
  init?(foundationValue value: Any) {
    switch value {
    case let text as String: self = .string(text)
    case let date as Date: self = .date(date.timeIntervalSinceReferenceDate)
    case let data as Data: self = .data(Array(data))
    case let number as NSNumber:
      // Casts do not tell Booleans from numbers.
      if String(cString: number.objCType) == "c" {
        self = .boolean(number.boolValue)
      } else if let integer = Int64(exactly: number.doubleValue), Double(integer) == number.doubleValue {
        self = .integer(number.int64Value)
      } else {
        self = .real(number.doubleValue)
      }
    case let elements as [Any]:
      let lists = elements.compactMap { PropertyList(foundationValue: $0) }
      guard lists.count == elements.count else { return nil }
      self = .array(lists)
    case let dictionary as [String: Any]:
      var pairs: PropertyListDictionary = [:]
      for (key, value) in dictionary.sorted(by: { $0.key < $1.key }) {
        guard let value = PropertyList(foundationValue: value) else { return nil }
        pairs[key] = value
      }
      self = .dictionary(pairs)
    default: return nil
    }
  }
}
