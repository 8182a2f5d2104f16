internal import Verification

/// The artists of the new library by what identifies them.
///
/// All keys are in one buffer: this is the only thing that grows with the number of artists.
struct ArtistTable {
  /// The state of an artist's id or image in the documents so far.
  enum Detail: UInt8 {
    /// Nothing.
    case none
    /// Empty text, from the first document.
    case empty
    /// Text that has been compared.
    case settled
  }

  /// An artist.
  struct Entry {
    fileprivate let keyStart: Int
    fileprivate let keyEnd: Int
    /// The row; `nil` for an artist that is missing.
    let primaryKey: Int64?
    /// The details in the row.
    var stored = StoredDetails()
    /// Whether any track mentions the artist.
    var isMentioned = false
    /// Whether a document mentions the artist, rather than only `artistName`.
    var isInDocument = false
    var id = Detail.none
    var imageURL = Detail.none
    /// Whether a later document has added a detail that the first lacks.
    var isCompletedLate = false
    /// Whose id it is, once an artist with this id has been mentioned.
    var namespace: Int?
    /// The hash of the first image, which may be large.
    var imageHash: Int?
    var hasSeveralImages = false
    /// The place of the first id in the table of ids; if ids identify artists, of the first name.
    var rival: Int?
    var hasSeveralRivals = false
  }

  private(set) var entries: [Entry] = []
  private var keys: [UInt8] = []
  /// Places among the entries, plus one; 0 is free.
  private var slots = [UInt32](repeating: 0, count: 1024)

  subscript(place: Int) -> Entry {
    get { entries[place] }
    set { entries[place] = newValue }
  }

  /// The key of the artist at a place.
  func key(at place: Int) -> ArraySlice<UInt8> { keys[entries[place].keyStart..<entries[place].keyEnd] }

  /// The place of an artist.
  func place(of key: some Collection<UInt8>) -> Int? {
    let slot = slots[slot(of: key)]
    return slot == 0 ? nil : Int(slot) - 1
  }

  /// Adds a new artist and returns its place.
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
      if isKey(entry, key) { break }
      slot = (slot + 1) & (slots.count - 1)
    }
    return slot
  }

  private func isKey(_ entry: Entry, _ key: some Collection<UInt8>) -> Bool {
    guard entry.keyEnd - entry.keyStart == key.count else { return false }
    return key.withContiguousStorageIfAvailable { key in
      keys.withUnsafeBytes { keys in
        StoredValue.areEqual(
          UnsafeRawBufferPointer(rebasing: keys[entry.keyStart..<entry.keyEnd]), UnsafeRawBufferPointer(key))
      }
    } ?? keys[entry.keyStart..<entry.keyEnd].elementsEqual(key)
  }

  /// A hash that the author of a library cannot predict.
  static func hash(_ key: some Collection<UInt8>) -> Int {
    var hash = KeyedHash()
    if key.withContiguousStorageIfAvailable({ hash.combine(UnsafeRawBufferPointer($0)) }) == nil {
      Array(key).withUnsafeBytes { hash.combine($0) }
    }
    return Int(truncatingIfNeeded: hash.value)
  }

  /// Whether two texts are the same, byte for byte.
  static func areEqual(_ first: ArraySlice<UInt8>, _ second: ArraySlice<UInt8>) -> Bool {
    first.withUnsafeBytes { first in second.withUnsafeBytes { StoredValue.areEqual(first, $0) } }
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
