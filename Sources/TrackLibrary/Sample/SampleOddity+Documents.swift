extension SampleOddity {
  /// Names that have to come through exactly.
  static let names = [
    Self("Name with escapes", name: #""Tab\tSlash\/Backslash\\ \u00c5sa""#),
    Self("Name with an escaped surrogate pair", name: #""Guitar \ud83c\udfb8 Gus""#),
    Self("Name with an escaped NUL", name: #""Nul\u0000Byte""#),
    Self("Name with emoji", name: "\"Piano 🎹 Pia 👩‍🎤\""),
    Self("Name with leading blanks", name: #""  Blank Bo""#),
    Self("Name with quotes", name: #""\"Quoted\" Quinn's""#),
    Self("Name with a newline", name: #""Line\nBreak""#),
  ]

  /// Documents that cannot be read, or hardly.
  static let broken = [
    Self("Byte-order mark", bytes: [0xEF, 0xBB, 0xBF] + Array(#"{"artists": [{"name": "Bom Bill"}]}"#.utf8)),
    Self("Broken JSON", #"{"artists": [{"id": "odd-14", "name": "Broken Bob"},}"#),
    Self("Truncated JSON", #"{"artists": [{"id": "odd-15", "name": "Truncated Tr"#),
    Self("Trailing bytes", #"{"artists": [{"id": "odd-16", "name": "Trailing Tia"}]} and more"#),
    Self("Invalid UTF-8", bytes: Array(#"{"artists": [{"name": "Caf"#.utf8) + [0xE9] + Array(#" Latin 1"}]}"#.utf8)),
    Self("Lone surrogate", name: #""Half \ud83c Pair""#),
  ]

  /// Columns that are NULL, empty or of another kind.
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

  /// Documents that a parser needs endurance for.
  ///
  /// What is large in them is under a key that nobody asks for.
  static func large(levels: Int, bytes: Int) -> [Self] {
    let nest = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    let text = String(repeating: "0123456789abcdef", count: bytes / 16)
    return [
      Self("Nested deeply", #"{"nest": \#(nest), "artists": [{"id": "odd-21", "name": "Deep Dee"}]}"#),
      Self("Very long", #"{"text": "\#(text)", "artists": [{"id": "odd-22", "name": "Long Lee"}]}"#),
    ]
  }

  /// All oddities: of each kind at least one.
  ///
  /// - Parameter areGiant: Whether the two large documents have 200,000 levels and 2 MiB, which is more than is read at
  ///   once, rather than 2,000 levels and 128 KiB.
  static func all(areGiant: Bool) -> [Self] {
    let large = large(levels: areGiant ? 200_000 : 2_000, bytes: areGiant ? 2 << 20 : 128 << 10)
    return identifiers + shapes + doubles + names + broken + columns + large
  }
}
