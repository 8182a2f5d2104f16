internal import Verification

/// An artist among those of the new library and those that it lacks.
struct ArtistPlace {
  /// The row; `nil` for an artist that is missing.
  let key: Int64?
  let place: Int
}

/// The places of artists of mentions that have been compared, by the fingerprints of these.
///
/// It keeps as many as there is room for; of others, the latest.
struct KnownMentions {
  private static let (greatestCount, wayCount) = (1 << 20, 4)

  // Apart from each other, twelve bytes a mention instead of sixteen.
  private var fingerprints: [UInt64]
  private var places: [UInt32]

  /// - Parameter capacity: The number of artists.
  init(capacity: Int) {
    var count = 1024
    while count < capacity * 2, count < Self.greatestCount { count *= 2 }
    fingerprints = Array(repeating: 0, count: count)
    places = Array(repeating: 0, count: count)
  }

  /// A slot where a mention may be.
  private func index(_ fingerprint: UInt64, _ way: Int) -> Int {
    (Int(truncatingIfNeeded: fingerprint) &+ way) & (fingerprints.count - 1)
  }

  subscript(fingerprint: UInt64) -> Int? {
    for way in 0..<Self.wayCount {
      let slot = index(fingerprint, way)
      if fingerprints[slot] == 0 { return nil }
      if fingerprints[slot] == fingerprint { return Int(places[slot]) }
    }
    return nil
  }

  mutating func insert(_ place: Int, _ fingerprint: UInt64) {
    let free = (0..<Self.wayCount).first { fingerprints[index(fingerprint, $0)] == 0 }
    // Bits that have no part in the index.
    let way = free ?? Int(fingerprint >> 62)
    let slot = index(fingerprint, way)
    (fingerprints[slot], places[slot]) = (fingerprint, UInt32(truncatingIfNeeded: place))
  }
}
