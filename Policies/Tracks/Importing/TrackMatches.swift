/// The tracks that a library had before an import, by title and artists.
struct TrackMatches {
  private var tracks: Set<[UInt8]> = []
  /// For artists that a line cannot tell from another one of the library, such as one of the same name, that one.
  private let meant: [Int64: Int64]

  init(meant: [Int64: Int64]) { self.meant = meant }

  /// Adds a track; one without a title matches nothing.
  mutating func insert(_ title: UnsafeRawBufferPointer?, _ artists: [Int64]) {
    if let key = key(title, artists) { tracks.insert(key) }
  }

  /// Whether there is a track with this title and exactly these artists.
  func has(_ title: UnsafeRawBufferPointer?, _ artists: [Int64]) -> Bool {
    key(title, artists).map(tracks.contains) ?? false
  }

  private func key(_ title: UnsafeRawBufferPointer?, _ artists: [Int64]) -> [UInt8]? {
    guard let title else { return nil }
    let artists = Set(artists.map { meant[$0] ?? $0 })
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
