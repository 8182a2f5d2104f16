import TestSupport

/// A document of a track, which is read on every road that can hold it.
struct RoadDocument: Sendable {
  /// The ways in which a line of a feed can hold a document.
  enum Form: Sendable {
    /// As a part of the line, or as text in it.
    case nested
    /// As text only: a document that cannot be read, or is not an object or a list.
    case text
    /// In a row only: a line of a feed is UTF-8.
    case bytes
  }

  let bytes: [UInt8]
  let form: Form
  /// The artist's name beside the document; some are also those of artists in documents.
  var artistName = "Fallback"

  /// The document as text, for people.
  var excerpt: String { String(String(decoding: bytes.prefix(200), as: UTF8.self).prefix(120)) }

  static let all = numbered(
    (artists.flatMap(inWrappers) + pairs + shapes + scalars).map { RoadDocument(bytes: Array($0.utf8), form: .nested) }
      + texts.map { RoadDocument(bytes: Array($0.utf8), form: .text) }
      + broken.map { RoadDocument(bytes: $0, form: .bytes) })

  /// Returns documents that a seed brings back.
  static func random(count: Int, seed: UInt64) -> [RoadDocument] {
    var random = SeededGenerator(seed: seed)
    return numbered(
      (0..<count).map { _ in
        let elements = (0..<Int.random(in: 0...3, using: &random)).map { _ in artist(&random) }
        let place =
          ["artists", "artists", "artists", "artist", "ar", "contributors"].randomElement(using: &random) ?? ""
        let more = ["", #","id":7"#, #","artists":[]"#, #","x":{"artists":[{"name":"No"}]}"#].randomElement(
          using: &random)
        let text = #"{"\#(place)":[\#(elements.joined(separator: ","))]\#(more ?? "")}"#
        guard Int.random(in: 0..<8, using: &random) == 0 else {
          return RoadDocument(bytes: Array(text.utf8), form: .nested)
        }
        return RoadDocument(
          bytes: Array(text.utf8.prefix(Int.random(in: 0..<text.utf8.count, using: &random))), form: .text)
      })
  }

  private static func artist(_ random: inout SeededGenerator) -> String {
    let names = [#""A""#, #""B""#, #""A & B""#, #""""#, "7", "null", #"" ""#, #""Fallback""#, #""É""#, #""E\u0301""#]
    let ids = [#""1""#, #""2""#, "3", "null", #""""#, #"["1","2"]"#]
    var members = [#""name":\#(names.randomElement(using: &random) ?? "")"#]
    if Bool.random(using: &random) { members.append(#""id":\#(ids.randomElement(using: &random) ?? "")"#) }
    if Int.random(in: 0..<4, using: &random) == 0 {
      members.append(#""imageURL":"\#(Bool.random(using: &random) ? "u" : "v")""#)
    }
    if Int.random(in: 0..<8, using: &random) == 0 { members.append(#""name":"Twice""#) }
    members.shuffle(using: &random)
    return "{\(members.joined(separator: ","))}"
  }

  private static func numbered(_ documents: [RoadDocument]) -> [RoadDocument] {
    documents.enumerated().map { place, document in
      var document = document
      document.artistName = ["One", "", "Fallback \(place)", "Fallback", "Two"][place % 5]
      return document
    }
  }

  private static let long = String(repeating: "x", count: 1 << 20) + "x"

  /// What may stand in a list of artists.
  private static let artists = [
    #"{"id":"1","name":"One"}"#, #"{"id":"1","name":"Uno"}"#, #"{"id":"9","name":"One"}"#, #"{"name":"One"}"#,
    #"{"id":7,"name":"Seven"}"#, #"{"id":null,"name":"Null"}"#, #"{"id":true,"name":"True"}"#,
    #"{"id":["1","2"],"name":"List"}"#, #"{"id":{"a":1},"name":"Object"}"#, #"{"id":"","name":"Empty id"}"#,
    #"{"id":-0.5e3,"name":"Exponent"}"#, #"{"id":123456789012345678901234567890,"name":"Big"}"#,
    #"{"name":"One","imageURL":"u"}"#, #"{"name":"One","imageURL":"v"}"#, #"{"name":"I","imageURL":null}"#,
    #"{"name":"I","imageURL":""}"#, #"{"name":"I","imageURL":5}"#, #"{"name":"I","images":[{"url":"u","height":1}]}"#,
    #"{"name":"I","imageURL":["u","v"]}"#, #"{"name":"","id":"3"}"#, #"{"name":" ","id":"3"}"#, #"{"name":null}"#,
    #"{"id":"4"}"#, "{}", "null", "true", "1975", #""Text""#, #""""#, "[]", #"[["A"]]"#, #"{"name":1975}"#,
    #"{"name":["A","B"]}"#, #"{"name":{"text":"A"}}"#, #"{"name":"One","name":"Other"}"#,
    #"{"id":"1","id":"2","name":"Ids"}"#, #"{"name":"Bj\u00f6rk"}"#, "{\"name\":\"Bjo\u{308}rk\"}",
    #"{"name":"A\u0000B"}"#, "{\"name\":\"\u{FEFF}B\"}", "{\"name\":\"\u{202E}thgir\"}", #"{"name":"\ud83c\udfb5"}"#,
    "{\"name\":\"👩‍👩‍👧\"}", "{\"name\":\"\u{200B}\"}", #"{"name":"A\n\t\"\\\/"}"#, #"{"name":"A feat. B"}"#,
    #"{"name":"A & B","id":"a;b"}"#, #"{"name":"A; B; C"}"#, #"{"name":"Main","role":"main"}"#,
    #"{"name":"Guest","role":"featured"}"#, #"{"name":"Odd","role":"cook"}"#, #"{"name":"None","role":null}"#,
  ]

  private static func inWrappers(_ artist: String) -> [String] {
    [#"{"artists":[\#(artist)]}"#, #"{"artists":[\#(artist),{"id":"2","name":"Two"}],"album":{"artists":["No"]}}"#]
  }

  private static let pairs = [
    #"{"artists":[{"name":"X"},{"name":"X","id":"x"}]}"#,
    #"{"artists":[{"name":"X","id":"x"},{"name":"X","id":"y"}]}"#,
    #"{"artists":[{"name":"X","id":"x"},{"name":"Y","id":"x"}]}"#,
    #"{"artists":[{"name":"X","imageURL":"a"},{"name":"X","imageURL":"b"}]}"#,
    #"{"artists":{"id":"1","name":"One"}}"#, #"{"artists":{"name":""}}"#, #"{"artists":null}"#, #"{"artists":[]}"#,
    #"{"artists":{}}"#, #"{"artists":"One"}"#, #"{"artists":7}"#, #"{"artists":[[],[]]}"#,
    #"{"artists":["One"],"artists":["Two"]}"#, #"{"artists":[],"artists":["Two"]}"#, #"{"\u0061rtists":["One"]}"#,
    #"{"artists":[{"name":"\#(long)"}]}"#, #"{"artists":[{"name":"L","id":"\#(long)"}]}"#,
    #"{"artists":[{"name":"M","imageURL":"\#(long)"},{"name":"N"}]}"#, #"{"pad":"\#(long)","artists":["Padded"]}"#,
    #"{"artists":[{"name":"","id":"\#(long)"}]}"#,
    #"{"deep":\#(String(repeating: "[", count: 200))\#(String(repeating: "]", count: 200)),"artists":["Deep"]}"#,
  ]

  /// What services answer, and what no preset knows.
  private static let shapes = [
    #"{"master_metadata_track_name":"T","master_metadata_album_artist_name":"A"}"#,
    #"{"artist-credit":[{"artist":{"name":"a-ha","id":"m"},"name":"A-ha","joinphrase":""}],"title":"T"}"#,
    #"{"contributors":[{"id":27,"name":"D","role":"Main"},{"id":28,"name":"E","role":"Featured"}],"id":3,"title":"T"}"#,
    #"{"artistId":909253,"artistName":"Jack","trackName":"T","wrapperType":"track"}"#,
    ##"{"artist":{"mbid":"","#text":"Last"},"name":"T"}"##, #"{"ar":[{"id":1,"name":"Net"}],"al":{},"name":"T"}"#,
    #"{"ArtistItems":[{"Id":"1","Name":"Jelly"}],"Artists":["Jelly"],"Name":"T"}"#,
    #"{"artists":[{"id":194,"name":"Various (2)","anv":"","join":","}],"title":"T"}"#,
    #"{"album_type":"album","artists":[{"name":"Album"}],"tracks":{"items":[]},"type":"album"}"#,
    #"{"error":{"status":404}}"#, #"{"title":"T"}"#, "{}", #"{"who":[{"called":"Unknown"}]}"#, "[1,2]", "[]",
    #"[{"artists":[{"name":"In a list"}]}]"#, #"{"track":{"artists":[{"name":"Inside","id":"5"}]}}"#,
    #"{"performer":"Nameless one"}"#, #"{"artist":"Alone"}"#, #"{"artist":{"name":"Object","id":"o"}}"#,
  ]

  /// Values that are no objects and have no artists, but whose tracks have titles.
  private static let scalars = ["42", "-1.5e3", "0", "true", "false"]

  /// What a line can hold as text only.
  private static let texts = [
    "", " ", "\n\t", "null", #""text""#, "{", "[", #"{"artists":[{"name":"One",}]}"#, "{'artists':[]}",
    #"{"artists":[{"name":"One"}"#, #"{"artists":[{"name":"One"}]} x"#, #"{"artists":["\ud83c"]}"#, "{\"a\":\"\u{1}\"}",
    "NaN", "{\"artists\":[NaN]}", #"{"artists":[01]}"#, #"{"artists":["\x"]}"#, #"{"artists"}"#, #"{"artists":}"#,
    "\u{0}",
    "\u{FEFF}{\"artists\":[{\"name\":\"Mark\"}]}", " \n{\"artists\" : [ \"Blank around\" ] }\r\n",
    String(repeating: "[", count: 20_000), #"{"artists":[{"name":"","id":"1"},{"name":"Cut"#,
  ]

  private static let broken: [[UInt8]] = [
    Array("{\"artists\":[\"".utf8) + [0xFF, 0xFE] + Array("\"]}".utf8), [0xC0, 0x80], [0xED, 0xA0, 0x80],
    Array("{\"artists\":[\"A".utf8) + [0xE2, 0x82],
  ]
}
