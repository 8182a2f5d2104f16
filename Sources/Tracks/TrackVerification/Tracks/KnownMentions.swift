internal import Verification

/// An artist among those of the new library and those that it lacks.
struct ArtistPlace {
  /// The row; `nil` for an artist that is missing.
  let key: Int64?
  let place: Int
}

/// The artists of mentions that have been compared, by the fingerprints of these.
///
/// It keeps as many as there is room for; of others, the latest.
struct KnownMentions {
  private struct Slot {
    var fingerprint: UInt64 = 0
    var key: Int64?
    var place: UInt32 = 0
  }

  private static let (greatestCount, wayCount) = (1 << 18, 4)

  private var slots: [Slot]

  /// - Parameter capacity: The number of artists.
  init(capacity: Int) {
    var count = 1024
    while count < capacity * 2, count < Self.greatestCount { count *= 2 }
    slots = Array(repeating: Slot(), count: count)
  }

  /// A slot where a mention may be.
  private func index(_ fingerprint: UInt64, _ way: Int) -> Int {
    (Int(truncatingIfNeeded: fingerprint) &+ way) & (slots.count - 1)
  }

  subscript(fingerprint: UInt64) -> ArtistPlace? {
    for way in 0..<Self.wayCount {
      let slot = slots[index(fingerprint, way)]
      if slot.fingerprint == 0 { return nil }
      if slot.fingerprint == fingerprint { return ArtistPlace(key: slot.key, place: Int(slot.place)) }
    }
    return nil
  }

  mutating func insert(_ artist: ArtistPlace, _ fingerprint: UInt64) {
    let free = (0..<Self.wayCount).first { slots[index(fingerprint, $0)].fingerprint == 0 }
    // Bits that have no part in the index.
    let way = free ?? Int(fingerprint >> 62)
    slots[index(fingerprint, way)] = Slot(fingerprint: fingerprint, key: artist.key, place: UInt32(artist.place))
  }
}
