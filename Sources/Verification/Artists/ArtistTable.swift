/// The artists of the new library by what identifies them.
///
/// Keys lie one behind the other in one buffer: this is the only thing that grows with the number of artists.
struct ArtistTable {
  /// What the documents so far say an artist's id or image has to be.
  enum Detail: UInt8 {
    /// Nothing.
    case none
    /// An empty text, which the first document had.
    case empty
    /// A text, which has been compared.
    case settled
  }

  /// An artist.
  struct Entry {
    fileprivate let keyStart: Int
    fileprivate let keyEnd: Int
    /// The row; `nil` for an artist that has to be there and is not.
    let primaryKey: Int64?
    /// Whether any track mentions the artist.
    var isMentioned = false
    /// Whether any document does, rather than `artistName` alone.
    var isInDocument = false
    var id = Detail.none
    var imageURL = Detail.none
  }

  private(set) var entries: [Entry] = []
  private var keys: [UInt8] = []
  /// Places among the entries, plus one; 0 is free.
  private var slots = [UInt32](repeating: 0, count: 1024)

  subscript(place: Int) -> Entry {
    get { entries[place] }
    set { entries[place] = newValue }
  }

  /// What identifies the artist at a place.
  func key(at place: Int) -> ArraySlice<UInt8> { keys[entries[place].keyStart..<entries[place].keyEnd] }

  /// The place of an artist.
  func place(of key: some Collection<UInt8>) -> Int? {
    let slot = slots[slot(of: key)]
    return slot == 0 ? nil : Int(slot) - 1
  }

  /// Adds an artist that is not there yet, and returns its place.
  mutating func add(_ key: some Collection<UInt8>, primaryKey: Int64?) -> Int {
    if entries.count * 2 >= slots.count { grow() }
    let slot = slot(of: key)
    entries.append(Entry(keyStart: keys.count, keyEnd: keys.count + key.count, primaryKey: primaryKey))
    keys.append(contentsOf: key)
    slots[slot] = UInt32(entries.count)
    return entries.count - 1
  }

  private func slot(of key: some Collection<UInt8>) -> Int {
    var slot = Self.hash(key) & (slots.count - 1)
    while slots[slot] != 0 {
      let entry = entries[Int(slots[slot]) - 1]
      if keys[entry.keyStart..<entry.keyEnd].elementsEqual(key) { break }
      slot = (slot + 1) & (slots.count - 1)
    }
    return slot
  }

  /// A hash that no library can foresee.
  private static func hash(_ key: some Collection<UInt8>) -> Int {
    var hasher = Hasher()
    if key.withContiguousStorageIfAvailable({ hasher.combine(bytes: UnsafeRawBufferPointer($0)) }) == nil {
      for byte in key { hasher.combine(byte) }
    }
    return hasher.finalize()
  }

  private mutating func grow() {
    slots = [UInt32](repeating: 0, count: slots.count * 2)
    for (place, entry) in entries.enumerated() {
      var slot = Self.hash(keys[entry.keyStart..<entry.keyEnd]) & (slots.count - 1)
      while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = UInt32(place + 1)
    }
  }
}
