/// A property list value.
///
/// Two values are equal if their content is, with dictionaries compared in the order of their keys: equal values give
/// the same bytes.
package indirect enum PropertyList: Sendable, Hashable {
  /// The null object.
  ///
  /// Only binary property lists can hold it, and Apple's tools rarely write it.
  case null
  case boolean(Bool)
  case integer(Int64)
  /// An integer that does not fit into a signed 64-bit integer, such as the upper half of `UInt64`.
  case wideInteger(Int128)
  case real(Double)
  /// Seconds since 2001-01-01 00:00:00 UTC.
  case date(Double)
  case data([UInt8])
  case string(String)
  case array([PropertyList])
  case dictionary(PropertyListDictionary)
  /// A reference to an object of a keyed archive, see ``KeyedArchive``.
  case uid(UInt64)
}

extension PropertyList {
  /// The Boolean, if this is one.
  package var boolean: Bool? {
    if case .boolean(let value) = self { value } else { nil }
  }

  /// The integer, if this is one of at most 64 bits.
  package var integer: Int64? {
    if case .integer(let value) = self { value } else { nil }
  }

  /// The floating-point number, if this is one.
  ///
  /// Integers are included, because writers may shorten `1.0` to `1`.
  package var real: Double? {
    switch self {
    case .real(let value): value
    case .integer(let value): Double(value)
    default: nil
    }
  }

  /// The date in seconds since 2001-01-01 00:00:00 UTC, if this is one.
  package var date: Double? {
    if case .date(let value) = self { value } else { nil }
  }

  /// The bytes, if this is data.
  package var data: [UInt8]? {
    if case .data(let value) = self { value } else { nil }
  }

  /// The text, if this is a string.
  package var string: String? {
    if case .string(let value) = self { value } else { nil }
  }

  /// The elements, if this is an array.
  package var array: [PropertyList]? {
    if case .array(let value) = self { value } else { nil }
  }

  /// The dictionary, if this is one.
  package var dictionary: PropertyListDictionary? {
    if case .dictionary(let value) = self { value } else { nil }
  }

  /// The number of an archived object, if this is a reference.
  package var uid: UInt64? {
    if case .uid(let value) = self { value } else { nil }
  }

  /// The value under a key, if this is a dictionary that has it.
  package subscript(key: String) -> PropertyList? { dictionary?[key] }

  // MARK: - Contents

  /// Reads a binary or XML property list.
  ///
  /// - Throws: `PropertyListError` if the bytes are neither, or are damaged.
  package init(contentsOf bytes: [UInt8]) throws(PropertyListError) {
    if bytes.starts(with: BinaryTrailer.magic) {
      try self.init(binary: bytes)
    } else {
      try self.init(xml: bytes)
    }
  }
}

/// The dictionary of a property list, which keeps the order of its keys.
///
/// A list that is read and written stays the same, and the same content always gives the same bytes. Keys are compared
/// by their bytes: unlike Swift's dictionaries, it distinguishes a composed and a decomposed `é`.
package struct PropertyListDictionary: Sendable, Hashable {
  /// A key and its value.
  package struct Pair: Sendable, Hashable {
    /// The key.
    package let key: String
    /// The value under the key.
    package internal(set) var value: PropertyList
  }

  /// The keys and values, in order.
  package private(set) var pairs: [Pair] = []
  private var places: [ByteKey: Int] = [:]

  /// Creates an empty dictionary.
  package init() {}

  /// The number of keys.
  package var count: Int { pairs.count }

  /// Whether there are no keys.
  package var isEmpty: Bool { pairs.isEmpty }

  /// The keys, in order.
  package var keys: [String] { pairs.map(\.key) }

  /// The values, in the order of their keys.
  package var values: [PropertyList] { pairs.map(\.value) }

  /// The value under a key.
  ///
  /// Setting an existing key keeps its place, a new key is appended, and `nil` removes a key.
  package subscript(key: String) -> PropertyList? {
    get { places[ByteKey(key)].map { pairs[$0].value } }
    set {
      switch (places[ByteKey(key)], newValue) {
      case (let place?, let value?): pairs[place].value = value
      case (nil, let value?): append(key, value)
      case (let place?, nil): remove(at: place)
      case (nil, nil): break
      }
    }
  }

  /// Whether two dictionaries hold the same pairs in the same order.
  package static func == (left: Self, right: Self) -> Bool { left.pairs == right.pairs }

  /// Feeds the pairs to the hasher, in order.
  package func hash(into hasher: inout Hasher) { hasher.combine(pairs) }

  private mutating func append(_ key: String, _ value: PropertyList) {
    places[ByteKey(key)] = pairs.count
    pairs.append(Pair(key: key, value: value))
  }

  private mutating func remove(at place: Int) {
    places[ByteKey(pairs[place].key)] = nil
    pairs.remove(at: place)
    for index in pairs[place...].indices { places[ByteKey(pairs[index].key)] = index }
  }
}

extension PropertyListDictionary: ExpressibleByDictionaryLiteral {
  /// Creates a dictionary; of duplicate keys, the last value is used.
  package init(dictionaryLiteral elements: (String, PropertyList)...) {
    for (key, value) in elements { self[key] = value }
  }
}

/// A text that is compared by its UTF-8 bytes instead of by canonical equivalence.
private struct ByteKey: Hashable {
  private let text: String

  init(_ text: String) { self.text = text }

  static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

  func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
  }
}
