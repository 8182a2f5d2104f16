import Policies

/// A document with the artists that it names, or the reason why it names none.
struct DocumentCase: Sendable, CustomStringConvertible {
  let json: String
  /// The artists as `name|id|imageURL`.
  let artists: [String]
  let reason: FallbackReason?
  var description: String { json.isEmpty ? "(empty)" : String(json.prefix(80)) }

  /// A document that names artists.
  init(_ json: String, _ artists: String...) {
    self.json = json
    self.artists = artists
    reason = nil
  }

  /// A document that names none, so that the track's artist name is used.
  init(_ json: String, _ reason: FallbackReason) {
    self.json = json
    artists = ["Fallback|NULL|NULL"]
    self.reason = reason
  }

  static let all = shapes + ids + names + ignored + fallbacks + broken
}

extension DocumentCase {
  private static let shapes = [
    DocumentCase(#"{"artists":[{"id":"1","name":"A","imageURL":"u"}]}"#, "A|1|u"),
    DocumentCase(#"{"artists":[{"id":"1","name":"A"},{"id":"2","name":"B","imageURL":"v"}]}"#, "A|1|NULL", "B|2|v"),
    DocumentCase(#"{"artists":[{"imageURL":"u","name":"A","id":"1"}]}"#, "A|1|u"),
    DocumentCase(#"{"artists":{"id":"1","name":"A","imageURL":"u"}}"#, "A|1|u"),
    DocumentCase(#"{"artists":["A","B"]}"#, "A|NULL|NULL", "B|NULL|NULL"),
    DocumentCase(#"{"artists":["A",{"name":"B","id":2}]}"#, "A|NULL|NULL", "B|2|NULL"),
    DocumentCase(#"{"artists":[{"name":"A"},{"name":"A"},"A"]}"#, "A|NULL|NULL"),
    DocumentCase(" \n\t\r{ \"artists\" : [ { \"name\" : \"A\" } ] } \n", "A|NULL|NULL"),
    DocumentCase("\u{FEFF}{\"artists\":[{\"name\":\"A\"}]}", "A|NULL|NULL"),
    DocumentCase(#"{"artists":[{"name":"A"}],"artists":[{"name":"B"}]}"#, "A|NULL|NULL"),
    DocumentCase(#"{"\u0061rtists":[{"n\u0061me":"A"}]}"#, "A|NULL|NULL"),
  ]

  private static let ids = [
    DocumentCase(#"{"artists":[{"name":"A","id":12}]}"#, "A|12|NULL"),
    DocumentCase(#"{"artists":[{"name":"A","id":-0}]}"#, "A|-0|NULL"),
    DocumentCase(#"{"artists":[{"name":"A","id":1.50}]}"#, "A|1.50|NULL"),
    DocumentCase(#"{"artists":[{"name":"A","id":1E+2}]}"#, "A|1E+2|NULL"),
    DocumentCase(
      #"{"artists":[{"name":"A","id":123456789012345678901234567890}]}"#, "A|123456789012345678901234567890|NULL"),
    DocumentCase(#"{"artists":[{"name":"A","id":9007199254740993}]}"#, "A|9007199254740993|NULL"),
    DocumentCase(#"{"artists":[{"name":"A","id":null,"imageURL":null}]}"#, "A|NULL|NULL"),
    DocumentCase(#"{"artists":[{"name":"A","id":true,"imageURL":false}]}"#, "A|NULL|NULL"),
    DocumentCase(#"{"artists":[{"name":"A","id":["x"],"imageURL":{"url":"u"}}]}"#, "A|NULL|NULL"),
    DocumentCase(#"{"artists":[{"id":{"id":"inner","name":"inner"},"name":"A"}]}"#, "A|NULL|NULL"),
    DocumentCase(#"{"artists":[{"name":"A","id":"","imageURL":""}]}"#, "A||"),
    DocumentCase(#"{"artists":[{"name":"A","id":"1","id":"2","name":"B","imageURL":"u","imageURL":"v"}]}"#, "A|1|u"),
    DocumentCase(#"{"artists":[{"name":"A","id":null,"id":"2"}]}"#, "A|NULL|NULL"),
  ]

  private static let names = [
    DocumentCase(#"{"artists":[{"name":7}]}"#, "7|NULL|NULL"),
    DocumentCase(#"{"artists":[{"name":"é\u00e9\u0065\u0301"}]}"#, "\u{E9}\u{E9}e\u{301}|NULL|NULL"),
    DocumentCase(#"{"artists":[{"name":"\uD83C\uDFB5 🎵"}]}"#, "🎵 🎵|NULL|NULL"),
    DocumentCase(#"{"artists":[{"name":"\"\\\/\b\f\n\r\t"}]}"#, "\"\\/\u{8}\u{C}\n\r\t|NULL|NULL"),
    DocumentCase(#"{"artists":[{"name":"a\u0000b"}]}"#, "a\0b|NULL|NULL"),
    DocumentCase(#"{"artists":[{"name":" A "},{"name":"A"}]}"#, " A |NULL|NULL", "A|NULL|NULL"),
    DocumentCase(
      #"{"artists":[{"name":"É"},{"name":"E\u0301"},{"name":"é"}]}"#, "É|NULL|NULL", "E\u{301}|NULL|NULL", "é|NULL|NULL"
    ),
    DocumentCase(#"{"artists":[{"name":"'; DROP TABLE ZARTIST; --"}]}"#, "'; DROP TABLE ZARTIST; --|NULL|NULL"),
    DocumentCase(#"{"artists":[{"name":"\u2028\uFFFF"}]}"#, "\u{2028}\u{FFFF}|NULL|NULL"),
    // Elements without a name are skipped if another element has one.
    DocumentCase(
      #"{"artists":[{"id":"1"},{"name":""},{"name":null},{},null,7,true,[],[{"name":"X"}],["X"],"",{"name":"A"}]}"#,
      "A|NULL|NULL"),
  ]

  private static let ignored = [
    DocumentCase(#"{"name":"X","id":"9","album":{"artists":[{"name":"X"}]},"artists":[{"name":"A"}]}"#, "A|NULL|NULL"),
    DocumentCase(#"{"artists":[{"name":"A","artists":[{"name":"X"}],"similar":{"name":"X"}}]}"#, "A|NULL|NULL"),
    DocumentCase(
      #"{"artists":[{"more":{"name":"X","id":"9","deep":[[{"name":"X"}]]},"name":"A"}],"z":[{"name":"X"}]}"#,
      "A|NULL|NULL"),
    DocumentCase(#"{"artists":{"name":"A","images":[{"name":"X"},"X"],"id":"1"}}"#, "A|1|NULL"),
    DocumentCase(#"{"artists":{"artists":[{"name":"X"}],"name":"A"}}"#, "A|NULL|NULL"),
    DocumentCase(#"{"Artists":[{"name":"X"}],"artist":"X","artists":[{"Name":"X","name":"A"}]}"#, "A|NULL|NULL"),
    DocumentCase(#"{"a":[],"b":{},"c":[[]],"artists":["A"],"d":null}"#, "A|NULL|NULL"),
  ]

  private static let fallbacks = [
    DocumentCase("", .emptyJSON), DocumentCase(" \n\t ", .emptyJSON), DocumentCase("\u{FEFF}", .emptyJSON),
    DocumentCase("null", .notAnObject), DocumentCase("7", .notAnObject), DocumentCase("\"A\"", .notAnObject),
    DocumentCase("true", .notAnObject), DocumentCase("[]", .notAnObject),
    DocumentCase(#"[{"artists":[{"name":"X"}]}]"#, .notAnObject), DocumentCase(#"["artists"]"#, .notAnObject),
    DocumentCase("{}", .noArtists), DocumentCase(#"{"album":{"artists":[{"name":"X"}]}}"#, .otherAnswer),
    DocumentCase(#"{"x":[{"artists":["X"]}],"name":"X"}"#, .noArtists),
    DocumentCase(#"{"artists":null}"#, .nullArtists), DocumentCase(#"{"artists":null,"artists":["X"]}"#, .nullArtists),
    DocumentCase(#"{"artists":[]}"#, .emptyArtists), DocumentCase(#"{"artists":[],"x":[7]}"#, .emptyArtists),
    DocumentCase(#"{"artists":"X"}"#, .artistsNotAnArray), DocumentCase(#"{"artists":7}"#, .artistsNotAnArray),
    DocumentCase(#"{"artists":true}"#, .artistsNotAnArray),
    DocumentCase(#"{"artists":{}}"#, .noUsableArtist), DocumentCase(#"{"artists":{"id":"1"}}"#, .noUsableArtist),
    DocumentCase(#"{"artists":[{}]}"#, .noUsableArtist), DocumentCase(#"{"artists":[null]}"#, .noUsableArtist),
    DocumentCase(#"{"artists":[7,true,[],[["X"]],[{"name":"X"}],"",{"name":""}]}"#, .noUsableArtist),
    DocumentCase(#"{"artists":[{"name":["X"]}]}"#, .noUsableArtist),
    DocumentCase(#"{"artists":[{"name":{"name":"X"}}]}"#, .noUsableArtist),
    DocumentCase(#"{"artists":[{"name":null,"name":"X"}]}"#, .noUsableArtist),
  ]

  private static let broken = [
    DocumentCase("{", .truncated), DocumentCase(#"{"artists":[{"name":"X"}]"#, .truncated),
    DocumentCase(#"{"artists":[{"name":"X"#, .truncated), DocumentCase("tru", .truncated),
    DocumentCase(#"{"artists":[{"name":"X"}]}}"#, .trailingBytes),
    DocumentCase(#"{"artists":["X"]}{}"#, .trailingBytes),
    DocumentCase("{} \0", .trailingBytes),
    DocumentCase(#"{"artists":[{"name":"X"},]}"#, .syntax), DocumentCase("{'artists':[]}", .syntax),
    DocumentCase(#"{"artists":["X"],}"#, .syntax), DocumentCase("<html>", .syntax), DocumentCase("\0", .syntax),
    DocumentCase(#"{"artists":["X"] // no"#, .syntax), DocumentCase(#"{"artists":[NaN]}"#, .syntax),
    DocumentCase(#"{"artists":[01]}"#, .syntax), DocumentCase("{\"artists\":[\"a\nb\"]}", .syntax),
    DocumentCase(#"{"artists":["\uD83C"]}"#, .loneSurrogate), DocumentCase(#"{"artists":["\uDFB5x"]}"#, .loneSurrogate),
    // Skipped values must be valid too.
    DocumentCase(#"{"x":[1,],"artists":["X"]}"#, .syntax),
    DocumentCase(#"{"artists":["X"],"x":"\uD800"}"#, .loneSurrogate),
  ]
}
