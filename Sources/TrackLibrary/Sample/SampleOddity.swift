/// A track that is not as it should be, or only looks so.
///
/// Its title says how.
struct SampleOddity {
  var title: String?
  var artistName: String? = "Fallback Fay"
  var json: [UInt8]?
  /// Seconds in decimal digits.
  var lastPlayedAt: String? = "600000000.5"

  /// A track with a document that is given as text.
  init(_ title: String?, _ json: String?) {
    self.title = title
    self.json = json.map { Array($0.utf8) }
  }

  /// A track with the elements of `artists`.
  init(_ title: String?, artists: String) {
    self.init(title, #"{"title": "Odd", "artists": [\#(artists)]}"#)
  }

  /// A track with the JSON string that is the name of its only artist, quotes included.
  init(_ title: String?, name: String) {
    self.init(title, artists: #"{"name": \#(name)}"#)
  }

  /// A track with a document that is no valid text.
  init(_ title: String?, bytes: [UInt8]) {
    self.title = title
    json = bytes
  }

  /// The same track with something changed.
  func with(_ change: (inout Self) -> Void) -> Self {
    var copy = self
    change(&copy)
    return copy
  }

  /// Writes the track into an empty row.
  func compose(into row: inout SampleRow) {
    row.json = json.map { json in row.text { $0 += json } }
    row.title = title.map { title in row.text { $0.append(text: title) } }
    row.artistName = artistName.map { name in row.text { $0.append(text: name) } }
    row.lastPlayedAt = lastPlayedAt.map { date in row.text { $0.append(text: date) } }
    row.imageURL = row.text { $0.append(text: "https://i.example.com/image/odd640") }
  }
}
