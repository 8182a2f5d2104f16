import TestSupport

/// A shape of JSON and its expected result.
struct OddDocument: Sendable {
  let title: String
  let json: Stored
  /// The names of the track's artists, in the order of their primary keys in the whole library.
  let artists: [String]
  /// Why `artistName` is used.
  var reason: String?
  /// The byte offset of the error in an unreadable document; `nil` for a readable one.
  var byteOffset: Int?
  /// Elements of `artists` without a name.
  var namelessArtistCount = 0

  /// The contents of the column.
  enum Stored: Sendable {
    case null
    case text(String)
    case bytesOfText([UInt8])
    case blob([UInt8])
    case integer(Int64)

    var value: CellValue {
      switch self {
      case .null: .null
      case .text(let text): .text(text)
      case .bytesOfText(let bytes): .rawText(bytes)
      case .blob(let bytes): .blob(bytes)
      case .integer(let integer): .integer(integer)
      }
    }

    /// The bytes of the document; `nil` for none.
    var bytes: [UInt8]? {
      switch self {
      case .null: nil
      case .text(let text): Array(text.utf8)
      case .bytesOfText(let bytes), .blob(let bytes): bytes
      case .integer(let integer): Array("\(integer)".utf8)
      }
    }
  }

  /// Whether the raw text is kept.
  var isRejected: Bool { reason?.hasPrefix("json_") == true || namelessArtistCount > 0 }

  private static let deep = String(repeating: "[", count: 1_100_000)

  static let all: [OddDocument] = readable + fallingBack + unreadable

  private static let readable = [
    OddDocument(
      title: "plain", json: .text(#"{"artists":[{"id":"1","name":"One"},{"id":"2","name":"Two"}]}"#),
      artists: ["One", "Two"]),
    OddDocument(title: "one object", json: .text(#"{"artists":{"id":"1","name":"One"}}"#), artists: ["One"]),
    OddDocument(title: "names only", json: .text(#"{"artists":["One","Three"]}"#), artists: ["One", "Three"]),
    OddDocument(title: "same twice", json: .text(#"{"artists":[{"name":"One"},{"name":"One"}]}"#), artists: ["One"]),
    OddDocument(
      title: "keys twice", json: .text(#"{"artists":[{"name":"One","name":"Other"}],"artists":[]}"#), artists: ["One"]),
    OddDocument(
      title: "escapes", json: .text(#"{"\u0061rtists":[{"name":"Bj\u00f6rk \ud83c\udfb5\n\"\\"}]}"#),
      artists: ["Björk 🎵\n\"\\"]),
    OddDocument(title: "number as name", json: .text(#"{"artists":[{"id":7,"name":1975}]}"#), artists: ["1975"]),
    OddDocument(title: "name of blanks", json: .text(#"{"artists":[{"name":" "}]}"#), artists: [" "]),
    OddDocument(
      title: "nested elsewhere",
      json: .text(#"{"album":{"artists":[{"name":"No"}]},"artists":[{"name":"One","x":{"name":"No"}}]}"#),
      artists: ["One"]),
    OddDocument(title: "byte order mark", json: .text("\u{FEFF}{\"artists\":[{\"name\":\"One\"}]}"), artists: ["One"]),
    OddDocument(
      title: "blank around", json: .text(" \n\t{\"artists\" : [ {\"name\" : \"One\"} ] } \n"), artists: ["One"]),
    OddDocument(title: "blob", json: .blob(Array(#"{"artists":[{"name":"One"}]}"#.utf8)), artists: ["One"]),
    OddDocument(title: "composed", json: .text("{\"artists\":[{\"name\":\"Bj\u{F6}rk\"}]}"), artists: ["Bj\u{F6}rk"]),
    OddDocument(
      title: "decomposed", json: .text("{\"artists\":[{\"name\":\"Bjo\u{308}rk\"}]}"), artists: ["Bjo\u{308}rk"]),
    OddDocument(title: "NUL in a name", json: .text(#"{"artists":[{"name":"A\u0000B"}]}"#), artists: ["A\0B"]),
    OddDocument(
      title: "one without a name", json: .text(#"{"artists":[{"id":"9"},{"name":"One"},null,3]}"#), artists: ["One"],
      namelessArtistCount: 3),
    OddDocument(
      title: "large",
      json: .text(#"{"pad":"\#(String(repeating: "x", count: 1_500_000))","artists":[{"name":"Large"}]}"#),
      artists: ["Large"]),
  ]

  private static let fallingBack = [
    OddDocument(title: "none", json: .null, artists: ["Fallback"], reason: "no_json"),
    OddDocument(title: "empty", json: .text(""), artists: ["Fallback"], reason: "empty_json"),
    OddDocument(title: "blank", json: .text(" \n "), artists: ["Fallback"], reason: "empty_json"),
    OddDocument(title: "array", json: .text("[1,2]"), artists: ["Fallback"], reason: "not_an_object"),
    OddDocument(title: "scalar", json: .text("true"), artists: ["Fallback"], reason: "not_an_object"),
    OddDocument(title: "integer", json: .integer(42), artists: ["Fallback"], reason: "not_an_object"),
    OddDocument(title: "no artists", json: .text(#"{"title":"x"}"#), artists: ["Fallback"], reason: "no_artists"),
    OddDocument(
      title: "null artists", json: .text(#"{"artists":null}"#), artists: ["Fallback"], reason: "null_artists"),
    OddDocument(
      title: "empty artists", json: .text(#"{"artists":[]}"#), artists: ["Fallback"], reason: "empty_artists"),
    OddDocument(
      title: "text for artists", json: .text(#"{"artists":"One"}"#), artists: ["Fallback"],
      reason: "artists_not_an_array"),
    OddDocument(
      title: "nobody has a name", json: .text(#"{"artists":[{"name":""},{"name":null}]}"#), artists: ["Fallback"],
      reason: "no_usable_artist", namelessArtistCount: 2),
  ]

  private static let unreadable = [
    OddDocument(
      title: "broken", json: .text(#"{"artists":[{"name":"One",}]}"#), artists: ["Fallback"], reason: "json_syntax",
      byteOffset: 26),
    OddDocument(
      title: "single quotes", json: .text("{'artists':[]}"), artists: ["Fallback"], reason: "json_syntax", byteOffset: 1
    ),
    OddDocument(
      title: "cut off", json: .text(#"{"artists":[{"name":"One"}"#), artists: ["Fallback"], reason: "json_truncated",
      byteOffset: 26),
    OddDocument(
      title: "more behind", json: .text(#"{"artists":[{"name":"One"}]} x"#), artists: ["Fallback"],
      reason: "json_trailing_bytes", byteOffset: 29),
    OddDocument(
      title: "no UTF-8",
      json: .bytesOfText(Array("{\"artists\":[{\"name\":\"".utf8) + [0xFF, 0xFE] + Array("\"}]}".utf8)),
      artists: ["Fallback"], reason: "json_invalid_utf8", byteOffset: 21),
    OddDocument(
      title: "half a pair", json: .text(#"{"artists":[{"name":"\ud83c"}]}"#), artists: ["Fallback"],
      reason: "json_lone_surrogate", byteOffset: nil),
    OddDocument(
      title: "deep", json: .text(#"{"a":\#(deep)"#), artists: ["Fallback"], reason: "json_too_deep", byteOffset: nil),
    OddDocument(
      title: "controls \u{1}", json: .text("{\"a\":\"\u{1}\"}"), artists: ["Fallback"], reason: "json_syntax",
      byteOffset: nil),
  ]
}
