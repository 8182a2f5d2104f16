/// The JSON of some tracks, as `tracks-migrate sample` makes it: about 920 bytes each.
struct Documents {
  static let count = 20_000

  /// All documents, one after the other.
  private(set) var bytes: [UInt8] = []
  /// Where each ends.
  private(set) var ends: [Int] = []

  init() {
    for track in 0..<Self.count {
      bytes += Array(Self.document(track).utf8)
      ends.append(bytes.count)
    }
  }

  /// The same document many times.
  init(repeating document: [UInt8]) {
    for _ in 0..<Self.count {
      bytes += document
      ends.append(bytes.count)
    }
  }

  /// Hands out the documents one by one.
  func forEach(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    try bytes.withUnsafeBytes { bytes in
      var start = 0
      for end in ends {
        try body(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
        start = end
      }
    }
  }

  private static func document(_ track: Int) -> String {
    let id = String(0x9E37_79B9_7F4A_7C15 &* UInt64(track + 1) | 1 << 63, radix: 16) + "5f01c4"
    let image = "https://i.example.com/image/\(id)"
    let title = ["The Machine and the Star", "Die schöne Müllerin", "東京の夜"][track % 3]
    let artists = (0...track % 10 / 7).map { index in
      let artist = id.dropFirst(index) + "a"
      let name = ["DJ Solir", "Sölíř", "ゲマ・そら"][(track + index) % 3]
      return #"{"id": "\#(artist)", "name": "\#(name) \#(track % 4096)", "#
        + #""imageURL": "https://i.example.com/artist/\#(artist).jpg"}"#
    }
    return #"{"id": "\#(id)", "title": "\#(title)", "duration_ms": \#(60_000 + track), "explicit": false, "#
      + #""popularity": \#(track % 101), "disc_number": 1, "track_number": \#(track % 20), "isrc": "USRC11039467", "#
      + #""album": {"id": "\#(id)", "name": "Album \#(title)", "release_date": "2018-07-10", "total_tracks": 12, "#
      + #""images": [{"url": "\#(image)640", "height": 640, "width": 640}, "#
      + #"{"url": "\#(image)300", "height": 300, "width": 300}]}, "artists": [\#(artists.joined(separator: ", "))], "#
      + #""available_markets": ["AD", "AE", "AR", "AT", "AU", "BE", "BG", "BR", "CA", "CH", "CL", "CO", "CR", "CY", "#
      + #""CZ", "DE", "DK"], "preview_url": "https://p.example.com/mp3-preview/\#(id)"}"#
  }
}
