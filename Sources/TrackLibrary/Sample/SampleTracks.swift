/// The ordinary tracks of a sample, in the shape of a streaming service's answers: about 920 bytes of JSON each, with
/// 1.4 artists on average.
///
/// A track follows from the seed and its number alone.
struct SampleTracks {
  /// Markets in which a track is available.
  private static let markets =
    #""available_markets": ["AD", "AE", "AR", "AT", "AU", "BE", "BG", "BR", "CA", "CH", "CL", "CO", "CR", "CY", "CZ", "#
    + #""DE", "DK"], "preview_url": "https://p.example.com/mp3-preview/"#

  private let seed: UInt64
  private let names: SampleArtistNames
  private let popularity: SamplePopularity
  private var artists: [Int] = []

  /// Prepares the tracks of a library with so many artists at most.
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

  /// One to four artists, most often one, none of them twice.
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

  /// Appends the album, and returns where the address of its larger image is.
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

  /// Appends an artist, and returns where the name is.
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

  /// A date within 22 years from 2001 on, in 64ths of a second: these are binary fractions, so every version of SQLite
  /// reads the same number from the digits.
  private static func appendDate(_ random: inout SplitMix64, to bytes: inout [UInt8]) {
    bytes.append(decimal: random.below(700_000_000))
    bytes.append(text: ".")
    bytes.append(decimal: random.below(64) * 15_625, width: 6)
  }
}
