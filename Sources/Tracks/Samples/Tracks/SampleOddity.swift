/// A malformed track, or one that only looks malformed.
///
/// Its title says in which way.
struct SampleOddity {
  var title: String?
  var artistName: String? = "Fallback Fay"
  var json: [UInt8]?
  /// Seconds in decimal digits.
  var lastPlayedAt: String? = "600000000.5"

  /// A track with a document given as text.
  init(_ title: String?, _ json: String?) {
    self.title = title
    self.json = json.map { Array($0.utf8) }
  }

  /// A track with these elements in `artists`.
  init(_ title: String?, artists: String) {
    self.init(title, #"{"title": "Odd", "artists": [\#(artists)]}"#)
  }

  /// A track whose only artist has this JSON string as its name, quotes included.
  init(_ title: String?, name: String) {
    self.init(title, artists: #"{"name": \#(name)}"#)
  }

  /// A track with a document that is not valid text.
  init(_ title: String?, bytes: [UInt8]) {
    self.title = title
    json = bytes
  }

  /// A copy of the track with a change.
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

extension SampleOddity {
  /// Ids and images that are not the usual strings.
  private static let identifiers = [
    Self(
      "Id is a number beyond 2^53",
      artists: #"{"id": 9007199254740993, "name": "Numbered Nina", "imageURL": "https://i.example.com/nina.jpg"}"#),
    Self("Id is null", artists: #"{"id": null, "name": "Nullid Ned", "imageURL": "https://i.example.com/ned.jpg"}"#),
    Self("Id is missing", artists: #"{"name": "Noid Nora", "imageURL": "https://i.example.com/nora.jpg"}"#),
    Self("Image is null", artists: #"{"id": "odd-max", "name": "Imageless Max", "imageURL": null}"#),
    Self("Image is missing", artists: #"{"id": "odd-mia", "name": "Imageless Mia"}"#),
  ]

  /// Values of `artists` other than an array of objects with names.
  private static let shapes = [
    Self("Artists is missing", #"{"title": "Odd"}"#),
    Self("Artists is null", #"{"artists": null}"#),
    Self("Artists is an empty array", #"{"artists": []}"#),
    Self("Artists is a string", #"{"artists": "Stringy Stu"}"#),
    Self("Artists is a number", #"{"artists": 42}"#),
    Self("Artists is one bare object", #"{"artists": {"id": "odd-bea", "name": "Bare Bea", "imageURL": null}}"#),
    Self("An artist is a string", artists: #""Stringy Sue""#),
    Self("An artist has no name", artists: #"{"id": "odd-1"}, {"id": "odd-2", "name": "Second Sid"}"#),
    Self("The only artist has no name", artists: #"{"id": "odd-3", "imageURL": "https://i.example.com/3.jpg"}"#),
    Self("Artists of every kind", artists: #"null, 1, true, [], {}, {"id": "odd-4", "name": "Lonely Lou"}"#),
    Self("No artist anywhere", "{}").with { $0.artistName = "" },
  ]

  /// Artists that occur twice, or nearly.
  private static let doubles = [
    Self(
      "The same artist twice",
      artists: #"{"id": "odd-5", "name": "Twice Tom"}, {"id": "odd-5", "name": "Twice Tom"}"#),
    Self("Same name, first id", artists: #"{"id": "odd-6", "name": "Same Name"}"#),
    Self("Same name, second id", artists: #"{"id": "odd-7", "name": "Same Name"}"#),
    Self("Same id, first name", artists: #"{"id": "odd-8", "name": "Before Renaming"}"#),
    Self("Same id, second name", artists: #"{"id": "odd-8", "name": "After Renaming"}"#),
    Self(
      "Duplicate keys", #"{"artists": [{"id": "odd-9", "name": "First Key", "name": "Second Key"}], "artists": []}"#),
    Self("Name in NFC", artists: "{\"id\": \"odd-10\", \"name\": \"Caf\u{E9} Noir\"}"),
    Self("Name in NFD", artists: "{\"id\": \"odd-11\", \"name\": \"Cafe\u{301} Noir\"}"),
    Self("Name in small letters", artists: #"{"id": "odd-12", "name": "echo park"}"#),
    Self("Name in capitals", artists: #"{"id": "odd-13", "name": "ECHO PARK"}"#),
  ]

  // MARK: - Documents

  /// Names that must be migrated exactly.
  static let names = [
    Self("Name with escapes", name: #""Tab\tSlash\/Backslash\\ \u00c5sa""#),
    Self("Name with an escaped surrogate pair", name: #""Guitar \ud83c\udfb8 Gus""#),
    Self("Name with an escaped NUL", name: #""Nul\u0000Byte""#),
    Self("Name with emoji", name: "\"Piano 🎹 Pia 👩‍🎤\""),
    Self("Name with leading blanks", name: #""  Blank Bo""#),
    Self("Name with quotes", name: #""\"Quoted\" Quinn's""#),
    Self("Name with a newline", name: #""Line\nBreak""#),
  ]

  /// Documents that cannot be read, or only with difficulty.
  private static let broken = [
    Self("Byte-order mark", bytes: [0xEF, 0xBB, 0xBF] + Array(#"{"artists": [{"name": "Bom Bill"}]}"#.utf8)),
    Self("Broken JSON", #"{"artists": [{"id": "odd-14", "name": "Broken Bob"},}"#),
    Self("Truncated JSON", #"{"artists": [{"id": "odd-15", "name": "Truncated Tr"#),
    Self("Trailing bytes", #"{"artists": [{"id": "odd-16", "name": "Trailing Tia"}]} and more"#),
    Self("Invalid UTF-8", bytes: Array(#"{"artists": [{"name": "Caf"#.utf8) + [0xE9] + Array(#" Latin 1"}]}"#.utf8)),
    Self("Lone surrogate", name: #""Half \ud83c Pair""#),
  ]

  /// Columns that are NULL, empty or of an unexpected type.
  static let columns = [
    Self("JSON is NULL", nil),
    Self("JSON is empty", ""),
    Self("JSON is blank", " \n\t "),
    Self("JSON is an array", #"[{"artists": [{"name": "Array Al"}]}]"#),
    Self("JSON is a string", #""{\"artists\": []}""#),
    Self("Artist name is NULL and JSON broken", #"{"artists": [}"#).with { $0.artistName = nil },
    Self(nil, artists: #"{"id": "odd-17", "name": "Title Is Null"}"#),
    Self("Never played", artists: #"{"id": "odd-18", "name": "Never Nell"}"#).with { $0.lastPlayedAt = nil },
    Self("Played at a whole second", artists: #"{"id": "odd-19", "name": "Whole Walt"}"#)
      .with { $0.lastPlayedAt = "600000000" },
    Self("Played between two seconds", artists: #"{"id": "odd-20", "name": "Fraction Fred"}"#)
      .with { $0.lastPlayedAt = "600000000.25" },
  ]

  /// Documents that put a strain on a parser.
  ///
  /// Their large parts are under a key that nothing reads.
  private static func large(levels: Int, bytes: Int) -> [Self] {
    let nest = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    let text = String(repeating: "0123456789abcdef", count: bytes / 16)
    return [
      Self("Nested deeply", #"{"nest": \#(nest), "artists": [{"id": "odd-21", "name": "Deep Dee"}]}"#),
      Self("Very long", #"{"text": "\#(text)", "artists": [{"id": "odd-22", "name": "Long Lee"}]}"#),
    ]
  }

  /// All oddities, at least one of each kind.
  ///
  /// - Parameter areGiant: Whether the two large documents have 200,000 levels and 2 MiB, more than is read at once,
  ///   rather than 2,000 levels and 128 KiB.
  static func all(areGiant: Bool) -> [Self] {
    let large = large(levels: areGiant ? 200_000 : 2_000, bytes: areGiant ? 2 << 20 : 128 << 10)
    return identifiers + shapes + doubles + names + broken + columns + large
  }
}
