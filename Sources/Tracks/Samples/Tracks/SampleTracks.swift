internal import MigrationDiagnostics
internal import PersistentStore
internal import TrackLibrary

/// The ordinary tracks of a sample, shaped like the responses of a streaming service: about 920 bytes of JSON each,
/// with 1.4 artists on average.
///
/// A track depends only on the seed and its number.
struct SampleTracks {
  /// Markets in which a track is available.
  private static let markets =
    #""available_markets": ["AD", "AE", "AR", "AT", "AU", "BE", "BG", "BR", "CA", "CH", "CL", "CO", "CR", "CY", "CZ", "#
    + #""DE", "DK"], "preview_url": "https://p.example.com/mp3-preview/"#

  private let seed: UInt64
  private let names: SampleArtistNames
  private let popularity: SamplePopularity
  private var artists: [Int] = []

  /// Prepares the tracks of a library with at most this many artists.
  init(seed: UInt64, possibleArtistCount: Int) {
    self.seed = seed
    names = SampleArtistNames(seed: seed)
    popularity = SamplePopularity(count: possibleArtistCount)
  }

  /// Writes a track into an empty row.
  mutating func compose(_ number: Int, into row: inout SampleRow) {
    var random = SplitMix64(seed: seed, purpose: .track, index: number)
    drawArtists(&random)
    row.bytes.append(text: #"{"id": ""#)
    let id = row.text { $0.appendIdentifier(&random) }
    row.bytes.append(text: #"", "title": ""#)
    let title = row.text { SampleTitles.append(&random, to: &$0) }
    row.title = title
    Self.appendFigures(&random, to: &row.bytes)
    row.imageURL = Self.appendAlbum(id: id, title: title, &random, to: &row)
    row.bytes.append(text: #", "artists": ["#)
    for (index, artist) in artists.enumerated() {
      if index > 0 { row.bytes.append(text: ", ") }
      let name = appendArtist(artist, to: &row)
      if index == 0 { row.artistName = name }
    }
    row.bytes.append(text: "], ")
    row.bytes.append(text: Self.markets)
    row.bytes.append(copyOf: id)
    row.bytes.append(text: #""}"#)
    row.json = 0..<row.bytes.count
    row.lastPlayedAt = row.text { Self.appendDate(&random, to: &$0) }
  }

  /// One to four different artists, usually one.
  private mutating func drawArtists(_ random: inout SplitMix64) {
    let share = random.below(100)
    let wanted = share < 70 ? 1 : share < 90 ? 2 : share < 98 ? 3 : 4
    artists.removeAll(keepingCapacity: true)
    for _ in 0..<wanted {
      let artist = popularity.draw(&random)
      if !artists.contains(artist) { artists.append(artist) }
    }
  }

  private static func appendFigures(_ random: inout SplitMix64, to bytes: inout [UInt8]) {
    bytes.append(text: #"", "duration_ms": "#)
    bytes.append(decimal: 60_000 + random.below(340_001))
    bytes.append(text: random.below(10) == 0 ? #", "explicit": true"# : #", "explicit": false"#)
    bytes.append(text: #", "popularity": "#)
    bytes.append(decimal: random.below(101))
    bytes.append(text: #", "disc_number": 1, "track_number": "#)
    bytes.append(decimal: 1 + random.below(20))
    bytes.append(text: #", "isrc": "USRC1"#)
    bytes.append(decimal: 1_000_000 + random.below(9_000_000))
  }

  /// Appends the album, and returns the range of its larger image's URL.
  private static func appendAlbum(
    id: Range<Int>, title: Range<Int>, _ random: inout SplitMix64, to row: inout SampleRow
  ) -> Range<Int> {
    row.bytes.append(text: #"", "album": {"id": ""#)
    for index in id.reversed() { row.bytes.append(row.bytes[index]) }
    row.bytes.append(text: #"", "name": "Album "#)
    row.bytes.append(copyOf: title)
    row.bytes.append(text: #"", "release_date": ""#)
    row.bytes.append(decimal: 1960 + random.below(65))
    row.bytes.append(text: "-")
    row.bytes.append(decimal: 1 + random.below(12), width: 2)
    row.bytes.append(text: "-")
    row.bytes.append(decimal: 1 + random.below(28), width: 2)
    row.bytes.append(text: #"", "total_tracks": 12, "images": [{"url": ""#)
    let image = row.text { bytes in appendImage(id, size: "640", to: &bytes) }
    row.bytes.append(text: #"", "height": 640, "width": 640}, {"url": ""#)
    appendImage(id, size: "300", to: &row.bytes)
    row.bytes.append(text: #"", "height": 300, "width": 300}]}"#)
    return image
  }

  private static func appendImage(_ id: Range<Int>, size: String, to bytes: inout [UInt8]) {
    bytes.append(text: "https://i.example.com/image/")
    bytes.append(copyOf: id)
    bytes.append(text: size)
  }

  /// Appends an artist, and returns the range of the name.
  private func appendArtist(_ artist: Int, to row: inout SampleRow) -> Range<Int> {
    var random = SplitMix64(seed: seed, purpose: .artist, index: artist)
    row.bytes.append(text: #"{"id": ""#)
    let id = row.text { $0.appendIdentifier(&random) }
    row.bytes.append(text: #"", "name": ""#)
    let name = row.text { names.append(artist: artist, &random, to: &$0) }
    row.bytes.append(text: #"", "imageURL": "https://i.example.com/artist/"#)
    row.bytes.append(copyOf: id)
    row.bytes.append(text: #".jpg"}"#)
    return name
  }

  /// A date within 22 years from 2001, in 64ths of a second.
  ///
  /// These are binary fractions, so every version of SQLite reads the same number from the digits.
  private static func appendDate(_ random: inout SplitMix64, to bytes: inout [UInt8]) {
    bytes.append(decimal: random.below(700_000_000))
    bytes.append(text: ".")
    bytes.append(decimal: random.below(64) * 15_625, width: 6)
  }
}

/// One row of a sample: texts that are ranges of one buffer, which the next row reuses.
///
/// A missing text is NULL. Text that occurs verbatim in the JSON is not written twice: ranges may overlap.
struct SampleRow {
  /// The attributes, in the order of `insert`.
  static let properties = ["artistName", "imageURL", "json", "lastPlayedAt", "title"]

  var bytes: [UInt8] = []
  var artistName: Range<Int>?
  var imageURL: Range<Int>?
  var json: Range<Int>?
  /// Seconds in decimal digits.
  ///
  /// The column's affinity converts them to a number (sqlite.org/datatype3.html), an integer if there is no fraction,
  /// exactly as Core Data stores dates.
  var lastPlayedAt: Range<Int>?
  var title: Range<Int>?

  /// Clears the buffer for the next row.
  mutating func clear() {
    bytes.removeAll(keepingCapacity: true)
    (artistName, imageURL, json, lastPlayedAt, title) = (nil, nil, nil, nil, nil)
  }

  /// Appends the output of `compose`, and returns its range.
  mutating func text(_ compose: (inout [UInt8]) -> Void) -> Range<Int> {
    let start = bytes.count
    compose(&bytes)
    return start..<bytes.count
  }

  /// Adds the row to a store.
  ///
  /// Uses raw pointers because this is a hot path: a copy of every document would cost as much as generating it.
  func insert(into inserter: InstanceInserter, primaryKey: Int64) throws(MigrationError) {
    try bytes.withUnsafeBufferPointer { bytes throws(MigrationError) in
      let buffer = UnsafeRawBufferPointer(bytes)
      func text(_ range: Range<Int>?) -> UnsafeRawBufferPointer {
        range.map { UnsafeRawBufferPointer(rebasing: buffer[$0]) } ?? UnsafeRawBufferPointer(start: nil, count: 0)
      }
      try inserter.insert(
        primaryKey: primaryKey, texts: text(artistName), text(imageURL), text(json), text(lastPlayedAt), text(title))
    }
  }
}

/// SplitMix64 by Steele, Lea and Flood, a small random number generator: a seed produces the same numbers everywhere.
///
/// Its state is a counter, so a generator for the nth track or artist can be created directly, without those before it.
package struct SplitMix64: RandomNumberGenerator {
  /// The purpose of the numbers; each purpose has its own sequence.
  package enum Purpose: UInt64 {
    case store, track, artist
  }

  private static let increment: UInt64 = 0x9E37_79B9_7F4A_7C15
  private var state: UInt64

  package init(seed: UInt64, purpose: Purpose, index: Int = 0) {
    let stream = Self.mixed(seed &+ Self.increment &* (purpose.rawValue &+ 1))
    state = stream ^ Self.mixed(UInt64(bitPattern: Int64(index)) &+ Self.increment)
  }

  package mutating func next() -> UInt64 {
    state &+= Self.increment
    return Self.mixed(state)
  }

  /// A number from 0 up to, but not including, the bound.
  package mutating func below(_ bound: Int) -> Int {
    // The high half of a product: almost uniform for bounds this small, and without a division.
    Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// A number from 0 up to, but not including, 1.
  package mutating func unit() -> Double {
    Double(next() >> 11) * 0x1p-53
  }

  /// An identifier in the form of a random UUID (version 4).
  package mutating func nextUUID() -> String {
    var digits: [UInt8] = []
    digits.append(hexadecimal: next() & ~0xF000 | 0x4000, digits: 16)
    digits.append(hexadecimal: next() & ~(3 << 62) | 1 << 63, digits: 16)
    let text = String(decoding: digits, as: UTF8.self).uppercased()
    var groups: [Substring] = []
    var rest = text[...]
    for length in [8, 4, 4, 4, 12] {
      groups.append(rest.prefix(length))
      rest = rest.dropFirst(length)
    }
    return groups.joined(separator: "-")
  }

  private static func mixed(_ value: UInt64) -> UInt64 {
    var mixed = value
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
