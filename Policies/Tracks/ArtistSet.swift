/// The artists of one track: few, nearly always.
struct ArtistSet {
  private var few: [Int64] = []
  /// All of them, where there are many.
  private var many: Set<Int64> = []

  private static let fewCount = 16

  var isEmpty: Bool { few.isEmpty }

  mutating func removeAll() {
    few.removeAll(keepingCapacity: true)
    if !many.isEmpty { many.removeAll() }
  }

  /// Adds an artist, and tells whether it is new.
  mutating func insert(_ artist: Int64) -> Bool {
    if few.count < Self.fewCount {
      guard !few.contains(artist) else { return false }
      few.append(artist)
      return true
    }
    if many.isEmpty { many = Set(few) }
    return many.insert(artist).inserted
  }
}
