/// The dictionary of a property list, which keeps the order of its keys.
///
/// Writing what was read thus changes nothing else, and the same content always gives the same bytes. Keys are compared
/// by their bytes: unlike Swift's own dictionaries, it keeps a composed and a decomposed `é` apart.
public struct PropertyListDictionary: Sendable, Hashable {
  /// A key and its value.
  public struct Pair: Sendable, Hashable {
    /// The key.
    public let key: String
    /// The value under the key.
    public internal(set) var value: PropertyList
  }

  /// The keys and values, in order.
  public private(set) var pairs: [Pair] = []
  private var places: [ByteKey: Int] = [:]

  /// Creates an empty dictionary.
  public init() {}

  /// The number of keys.
  public var count: Int { pairs.count }

  /// Whether there are no keys.
  public var isEmpty: Bool { pairs.isEmpty }

  /// The keys, in order.
  public var keys: [String] { pairs.map(\.key) }

  /// The values, in the order of their keys.
  public var values: [PropertyList] { pairs.map(\.value) }

  /// The value under a key.
  ///
  /// Setting an existing key keeps its place, a new one goes last, and `nil` removes.
  public subscript(key: String) -> PropertyList? {
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
  public static func == (left: Self, right: Self) -> Bool { left.pairs == right.pairs }

  /// Feeds the pairs to the hasher, in order.
  public func hash(into hasher: inout Hasher) { hasher.combine(pairs) }

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
  /// Creates a dictionary; where a key comes twice, the last value stands.
  public init(dictionaryLiteral elements: (String, PropertyList)...) {
    for (key, value) in elements { self[key] = value }
  }
}
