/// The artists of the new library by what identifies them.
///
/// This is the only thing that grows with the number of artists: an artist takes 24 bytes, and two places among slots. No
/// texts are kept but those that no row has. A hash only finds whose key or rival a text may be, and the row decides.
struct ArtistTable {
  /// What the documents so far say about an artist's id or image.
  enum Detail: UInt8 {
    /// Nothing.
    case none
    /// Empty text, from the first document.
    case empty
    /// Text that has been compared.
    case settled
  }

  /// What is known of an artist.
  struct Flags: OptionSet {
    let rawValue: UInt16

    /// The new library does not have the artist.
    static let isMissing = Flags(rawValue: 1)
    /// A track mentions the artist.
    static let isMentioned = Flags(rawValue: 2)
    /// A document mentions the artist, rather than only `artistName`.
    static let isInDocument = Flags(rawValue: 4)
    /// A later document has added a detail that the first lacks.
    static let isCompletedLate = Flags(rawValue: 8)
    /// An artist with this id has been mentioned, and `namespace` says whose id it is.
    static let hasNamespace = Flags(rawValue: 16)
    /// A document has given an image.
    static let hasImage = Flags(rawValue: 32)
    /// The first image is the one in the row.
    static let imageIsStored = Flags(rawValue: 64)
    static let hasSeveralImages = Flags(rawValue: 128)
    /// A document has given an id; if ids identify artists, a name.
    static let hasRival = Flags(rawValue: 256)
    /// The first of these is the one in the row.
    static let rivalIsStored = Flags(rawValue: 512)
    /// Another artist has had the first of these too, later.
    static let rivalIsShared = Flags(rawValue: 1024)
    static let hasSeveralRivals = Flags(rawValue: 2048)
    /// A link to the artist has been found.
    static let isLinked = Flags(rawValue: 4096)
  }

  /// An artist.
  struct Entry {
    /// The row, unless the artist is missing.
    fileprivate let row: Int64
    fileprivate let hash: UInt32
    fileprivate var rivalHash: UInt32 = 0
    var flags: Flags
    var namespace: UInt16 = 0
    /// The first byte of the key, which tells the artists of several services with the same id apart.
    let service: UInt8
    /// The first byte of the first rival.
    var rivalService: UInt8 = 0
    var id = Detail.none
    var imageURL = Detail.none

    /// The row; `nil` for an artist that is missing.
    var primaryKey: Int64? { flags.contains(.isMissing) ? nil : row }
  }

  /// The artists, those of the new library first, in the order of their rows.
  var entries: [Entry] = []
  /// Places among the entries, plus one; 0 is free.
  private var slots: [UInt32]
  /// The same of the artists that were the first to have what is their first rival.
  private var rivalSlots: [UInt32] = []
  /// Hashes a key.
  private let hash: (ArraySlice<UInt8>) -> UInt32

  /// - Parameters:
  ///   - capacity: The number of artists that the new library has.
  ///   - hash: Hashes a key.
  init(capacity: Int, hash: @escaping (ArraySlice<UInt8>) -> UInt32) {
    self.hash = hash
    entries.reserveCapacity(capacity)
    // Three in eight stay free.
    slots = Array(repeating: 0, count: max(1024, capacity / 5 * 8 + 8))
  }

  /// The place of an artist.
  ///
  /// - Parameter isKey: Whether the artist at a place, of which the hash is right, has the key.
  func place(of key: [UInt8], _ isKey: (Int) throws -> Bool) rethrows -> Int? {
    try place(among: slots, hash(key[...]), ofRival: false, isKey)
  }

  /// The place of the artist that was the first to have a rival, if it is the first that this artist has.
  func owner(ofRival rival: [UInt8], _ isRival: (Int) throws -> Bool) rethrows -> Int? {
    rivalSlots.isEmpty ? nil : try place(among: rivalSlots, hash(rival[...]), ofRival: true, isRival)
  }

  /// Adds a new artist and returns its place.
  mutating func add(_ key: [UInt8], primaryKey: Int64?) -> Int {
    if entries.count / 5 * 8 + 8 > slots.count { grow() }
    let entry = Entry(
      row: primaryKey ?? 0, hash: hash(key[...]), flags: primaryKey == nil ? .isMissing : [], service: key.first ?? 0)
    entries.append(entry)
    Self.insert(entries.count - 1, entry.hash, into: &slots)
    return entries.count - 1
  }

  /// Makes an artist the owner of what is its first rival.
  mutating func own(_ rival: [UInt8], _ place: Int) {
    if rivalSlots.isEmpty { rivalSlots = Array(repeating: 0, count: slots.count) }
    entries[place].rivalHash = hash(rival[...])
    Self.insert(place, entries[place].rivalHash, into: &rivalSlots)
  }

  private func place(
    among slots: [UInt32], _ hash: UInt32, ofRival: Bool, _ isRight: (Int) throws -> Bool
  ) rethrows -> Int? {
    var slot = Self.slot(hash, slots.count)
    while slots[slot] != 0 {
      let place = Int(slots[slot]) - 1
      if (ofRival ? entries[place].rivalHash : entries[place].hash) == hash, try isRight(place) { return place }
      slot = slot + 1 < slots.count ? slot + 1 : 0
    }
    return nil
  }

  private static func insert(_ place: Int, _ hash: UInt32, into slots: inout [UInt32]) {
    var slot = slot(hash, slots.count)
    while slots[slot] != 0 { slot = slot + 1 < slots.count ? slot + 1 : 0 }
    slots[slot] = UInt32(place + 1)
  }

  /// The slot at which a search begins: hashes are spread evenly among any number of them.
  static func slot(_ hash: UInt32, _ count: Int) -> Int {
    Int(truncatingIfNeeded: (UInt64(hash) * UInt64(count)) >> 32)
  }

  /// A hash that the author of a library cannot predict.
  static func hash(_ key: ArraySlice<UInt8>) -> UInt32 {
    var hash = KeyedHash()
    key.withUnsafeBytes { hash.combine($0) }
    return UInt32(truncatingIfNeeded: hash.value >> 32)
  }

  /// Makes room for artists that are missing.
  private mutating func grow() {
    let owners = rivalSlots.filter { $0 != 0 }
    slots = Array(repeating: 0, count: slots.count * 2)
    for (place, entry) in entries.enumerated() { Self.insert(place, entry.hash, into: &slots) }
    guard !rivalSlots.isEmpty else { return }
    rivalSlots = Array(repeating: 0, count: slots.count)
    for owner in owners { Self.insert(Int(owner) - 1, entries[Int(owner) - 1].rivalHash, into: &rivalSlots) }
  }
}
