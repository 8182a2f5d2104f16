/// The tracks that a library had before an import, by title and artists.
struct TrackMatches {
  private var tracks: Set<[UInt8]> = []

  /// Adds a track; one without a title matches nothing.
  mutating func insert(_ title: UnsafeRawBufferPointer?, _ artists: [Int64]) {
    if let key = Self.key(title, artists) { tracks.insert(key) }
  }

  /// Whether there is a track with this title and exactly these artists.
  func has(_ title: UnsafeRawBufferPointer?, _ artists: [Int64]) -> Bool {
    Self.key(title, artists).map(tracks.contains) ?? false
  }

  private static func key(_ title: UnsafeRawBufferPointer?, _ artists: [Int64]) -> [UInt8]? {
    guard let title else { return nil }
    // The artists come first: their number and length leave no doubt where the title begins.
    var key: [UInt8] = []
    key.reserveCapacity(8 * (artists.count + 1) + title.count)
    for number in [Int64(artists.count)] + artists.sorted() {
      withUnsafeBytes(of: number.littleEndian) { key.append(contentsOf: $0) }
    }
    key.append(contentsOf: title)
    return key
  }
}
