import TestSupport

/// Random JSON of tracks: well-formed answers of servers, malformed ones, and invalid JSON.
enum RandomDocument {
  static let names = [
    "A", "a", "\u{C5}", "A\u{30A}", "東京", "🎵", "O'Neil \"x\"", "tab\there", "A ", "7", "null", "a\0b", "", "\u{FEFF}B",
    "\\", "artists", String(repeating: "long ", count: 60),
  ]
  private static let ids = ["1", "2", "3", "7", "", "A", "id with 'quotes'"]
  private static let numbers = [
    "1", "7", "-0", "1.0", "1e2", "1E+2", "0.10", "123456789012345678901234567890", "9007199254740993",
  ]
  /// Answers without artists where any preset expects them, and the article's own shape in odd forms.
  ///
  /// The other presets have tests of their own.
  private static let services = [
    #"{"tracks":{"artists":[{"id":null,"name":"A"}]},"is_local":true}"#, #"{"artists":[{"id":null,"name":"A"}]}"#,
    #"{"master_metadata_album_artist_name":"A"}"#, #"{"artist-credit":[{"artist":{"name":"a‐ha"}}]}"#,
    #"{"contributors":[{"id":27,"name":"A","picture_xl":"u"}],"artist":{"id":27,"name":"A"}}"#,
    #"{"artistId":909253,"artistName":"A"}"#, #"{"relationships":{"artists":{"data":[{"id":"1"}]}}}"#,
    ##"{"artist":{"mbid":"","text":"A"}}"##, #"{"artists":[{"id":194,"name":"Various (2)","anv":"","join":","}]}"#,
    #"{"artists":[{"id":7,"name":"A","type":"MAIN","picture":null}]}"#, #"{"artists":"A & B"}"#,
    #"{"ArtistItems":[{"Id":"1","Name":"A"}],"Artists":["A"]}"#, #"{"artists":{"id":"1","name":"A","imageURL":"u"}}"#,
    #"[{"artists":[{"name":"A"}]}]"#, "", " \n", "null", "7", "\"A\"", "{}", "[]",
  ]
  /// The bytes that a mutation inserts.
  private static let intruders: [[UInt8]] =
    [
      "\\uD800", "\\uDC00", "\\u12", "\\x", "\\", "\"", ",", ":", "[", "]", "{", "}", "NaN", "01", "-", ".5", "1e",
      "\0",
      "\n", "//", "'", "tru", "\u{FEFF}", "\u{B}", "{}", "artists", "\u{7F}", "é",
    ].map { Array($0.utf8) } + [
      [0xFF], [0xC3], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xC0, 0x80], [0xF4, 0x90, 0x80, 0x80],
    ]

  static func make(_ random: inout SeededGenerator) -> [UInt8] {
    var bytes = Array(
      (random.chance(20) ? random.pick(from: services, or: "{\"artists\":[]}") : document(&random)).utf8)
    while random.chance(12) { mutate(&bytes, &random) }
    if random.chance(3) { bytes = [0xEF, 0xBB, 0xBF] + bytes }
    return bytes
  }

  /// Returns a document that a SQL program migrates alike: complete artists, each name with its own id and image.
  static func clean(_ random: inout SeededGenerator) -> [UInt8] {
    let artists = (0...random.number(0...3)).map { _ in
      let name = quoted(["A", "\u{C5}", "A\u{30A}", "東京", "🎵", "O'Neil \\\"x\\\""][random.number(0...5)])
      return "{\"id\":\(name),\"name\":\(name),\"imageURL\":\(name)}"
    }
    return Array("{\"album\":{\"artists\":[1]},\"artists\":[\(artists.joined(separator: ","))]}".utf8)
  }

  private static func quoted(_ text: String) -> String { "\"\(text)\"" }

  private static func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
    let place = random.number(0...bytes.count)
    switch random.number(0...4) {
    case 0: bytes.removeSubrange(place...)
    case 1: if place < bytes.count { bytes.remove(at: place) }
    case 2: if place < bytes.count { bytes[place] ^= UInt8(1 << random.number(0...7)) }
    case 3: bytes += random.pick(from: intruders, or: [0x20])
    default: bytes.insert(contentsOf: random.pick(from: intruders, or: [0x20]), at: place)
    }
  }

  private static func document(_ random: inout SeededGenerator) -> String {
    var members = ["\(key("artists", &random)):\(space(&random))\(artists(&random))"]
    if random.chance(5) { members.removeAll() }
    while random.chance(40) {
      let name = random.pick("name", "id", "ARTIST", "Artists", "albums", "")
      members.insert(
        "\(text(name, &random)):\(junk(3, &random))", at: random.number(0...members.count))
    }
    if random.chance(6) { members.append("\(key("artists", &random)):\(artists(&random))") }
    return "\(space(&random)){\(space(&random))\(members.joined(separator: ",\(space(&random))"))}\(space(&random))"
  }

  private static func artists(_ random: inout SeededGenerator) -> String {
    switch random.number(0...19) {
    case 0: return junk(2, &random)
    case 1, 2: return artist(&random)
    case 3: return "null"
    default:
      let elements = (0..<random.number(0...4)).map { _ in artist(&random) }
      return "[\(space(&random))\(elements.joined(separator: "\(space(&random)),"))\(space(&random))]"
    }
  }

  private static func artist(_ random: inout SeededGenerator) -> String {
    switch random.number(0...11) {
    case 0: return junk(2, &random)
    case 1: return text(random.pick(from: names, or: "B"), &random)
    default: break
    }
    var members = ["\(key("name", &random)):\(scalar(names, &random))"]
    if random.chance(5) { members.removeAll() }
    if random.chance(70) { members.append("\(key("id", &random)):\(scalar(ids, &random))") }
    if random.chance(60) { members.append("\"imageURL\":\(scalar(["u", "v", "", "https://x/\u{E9}"], &random))") }
    if random.chance(6) { members.append("\"\(random.pick("name", "id", "imageURL"))\":\(scalar(names, &random))") }
    if random.chance(20) { members.append("\"genres\":\(junk(2, &random))") }
    members.shuffle(using: &random)
    return "{\(space(&random))\(members.joined(separator: ",\(space(&random))"))}"
  }

  private static func scalar(_ texts: [String], _ random: inout SeededGenerator) -> String {
    switch random.number(0...13) {
    case 0: random.pick(from: numbers, or: "12")
    case 1: junk(1, &random)
    default: text(random.pick(from: texts, or: "B"), &random)
    }
  }

  /// Any value.
  private static func junk(_ depth: Int, _ random: inout SeededGenerator) -> String {
    switch random.number(0...(depth > 0 ? 8 : 5)) {
    case 0: "null"
    case 1: random.pick("true", "false")
    case 2, 3: random.pick(from: numbers, or: "12")
    case 4, 5: text(random.pick(from: names, or: "B"), &random)
    case 6: "[\((0..<random.number(0...3)).map { _ in junk(depth - 1, &random) }.joined(separator: ","))]"
    default:
      "{"
        + (0..<random.number(0...3)).map { _ in
          "\(key(random.pick("artists", "name", "id", "x"), &random)):\(junk(depth - 1, &random))"
        }.joined(separator: ",") + "}"
    }
  }

  private static func key(_ name: String, _ random: inout SeededGenerator) -> String {
    random.chance(5) ? "\"\\u\(hexadecimal(name.utf16.first ?? 0, &random))\(name.dropFirst())\"" : "\"\(name)\""
  }

  private static func text(_ text: String, _ random: inout SeededGenerator) -> String {
    let isEscaped = random.chance(20)
    let parts = text.utf16.isEmpty ? [] : Array(text.unicodeScalars)
    return "\""
      + parts.map { scalar in
        if isEscaped { return String(scalar).utf16.map { "\\u\(hexadecimal($0, &random))" }.joined() }
        switch scalar {
        case "\"", "\\": return "\\\(scalar)"
        case "\t": return "\\t"
        case "\0": return "\\u0000"
        default: return String(scalar)
        }
      }.joined() + "\""
  }

  private static func hexadecimal(_ unit: UInt16, _ random: inout SeededGenerator) -> String {
    let digits = String(unit, radix: 16, uppercase: random.chance(50))
    return String(repeating: "0", count: 4 - digits.count) + digits
  }

  private static func space(_ random: inout SeededGenerator) -> String { random.pick("", "", "", " ", "\n", "\t\r ") }
}
