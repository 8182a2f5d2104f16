import TestSupport

/// A track of a v1 library.
struct TrackRow {
  var title: CellValue
  var artistName: CellValue = nil
  var json: CellValue = nil
  var imageURL: CellValue = nil
  var lastPlayedAt: CellValue = nil
}

extension [TrackRow] {
  /// Three artists in five tracks: one track without JSON, one with broken JSON.
  static let few = [
    TrackRow(
      title: "Hyperballad", artistName: "Björk",
      json: #"{"artists":[{"id":"bj","name":"Björk","imageURL":"https://i.example/bj"}]}"#,
      imageURL: "https://i.example/hyper", lastPlayedAt: .real(722_865_600)),
    TrackRow(
      title: "I've Seen It All", artistName: "Björk",
      json: #"{"artists":[{"id":"bj","name":"Björk"},{"id":"ty","name":"Thom Yorke"}]}"#, lastPlayedAt: .real(1.5)),
    TrackRow(title: "Army of Me", artistName: "Björk", json: #"{"artists":[{"name":"Björk","id":"bj"}]}"#),
    TrackRow(title: "Xtal", artistName: "Aphex Twin"),
    TrackRow(title: "Tha", artistName: "Aphex Twin", json: #"{"artists":[{"name":"Aphex"#),
  ]

  /// The rows of `few` in v2: artists, then links.
  static let fewMigrated = [
    "1|bj|Björk|https://i.example/bj", "2|ty|Thom Yorke|NULL", "3|NULL|Aphex Twin|NULL",
    "link 1|1", "link 1|2", "link 1|3", "link 2|2", "link 3|4", "link 3|5",
  ]

  /// Returns a number of regular tracks with some artists in common.
  static func many(_ count: Int) -> [TrackRow] {
    (1...count).map { number in
      let artists = (0...(number % 3)).map { #"{"id":"id-\#(number % 97 + $0)","name":"Artist \#(number % 97 + $0)"}"# }
      return TrackRow(
        title: "Track \(number)", artistName: "Artist \(number % 97)",
        json: #"{"title":"Track \#(number)","artists":[\#(artists.joined(separator: ","))],"popularity":\#(number)}"#,
        lastPlayedAt: .real(Double(number)))
    }
  }
}
