import TestSupport

/// A small random library and its expected migration, computed in the most obvious way.
struct RandomLibrary {
  private(set) var rows: [TrackRow] = []
  /// The artists that each track names; empty if its `artistName` is used.
  private(set) var mentions: [(track: Int64, artists: [Mention])] = []

  struct Mention {
    let name: String
    var id: String?
    var imageURL: String?
    /// Whether the name is the track's `artistName`.
    var isFallback = false
  }

  private var generator: SeededGenerator
  private static let names = ["A", "a", "Å", "A\u{30A}", "東京", "🎵", "O'Neil \"x\"", "tab\there", "A ", "7", "null"]
  private static let fallbacks = [
    "", "  ", "{}", "[]", "null", "{\"artists\":null}", "{\"artists\":[]}", "{\"artists\":7}",
    "{\"artists\":[{\"id\":\"1\"}]}",
    "{", "{\"artists\":[\"A\"]", "{\"artists\":[\"A\"]}x", "{\"artists\":[\"\\uD800\"]}", "nonsense",
  ]

  init(seed: UInt64, count: Int) {
    generator = SeededGenerator(seed: seed)
    var key: Int64 = -3
    for _ in 0..<count {
      key += Int64.random(in: 1...4, using: &generator)
      addTrack(key)
    }
  }

  private mutating func addTrack(_ key: Int64) {
    var row = TrackRow(key, title: .text("T\(key)"), artistName: nil, json: nil)
    let artistName = generator.chance(oneIn: 5) ? nil : generator.pick(Self.names)
    if let artistName { row.artistName = .text(artistName) }
    if generator.chance(oneIn: 4) {
      if !generator.chance(oneIn: 3) { row.json = .text(generator.pick(Self.fallbacks)) }
      mentions.append((key, artistName.map { [Mention(name: $0, isFallback: true)] } ?? []))
    } else {
      let artists = (0..<Int.random(in: 1...4, using: &generator)).map { _ in mention() }
      row.json = .text(document(artists))
      mentions.append((key, artists))
    }
    rows.append(row)
  }

  private mutating func mention() -> Mention {
    let name = generator.pick(Self.names)
    // The id is the artist's own or another artist's.
    let id =
      generator.chance(oneIn: 3)
      ? nil : generator.chance(oneIn: 4) ? "\(Int.random(in: 0...3, using: &generator))" : "id of \(name)"
    return Mention(name: name, id: id, imageURL: generator.chance(oneIn: 2) ? nil : "https://example.com/\(name)")
  }

  private mutating func document(_ artists: [Mention]) -> String {
    let elements = artists.map { element($0) }
    let isBare = elements.count == 1 && elements[0].hasPrefix("{") && generator.chance(oneIn: 3)
    let value = isBare ? elements[0] : "[\(space())\(elements.joined(separator: ",\(space())"))]"
    var members = ["\(quoted("artists")):\(space())\(value)"]
    if generator.chance(oneIn: 2) {
      members.insert("\"album\":{\"artists\":[{\"name\":\"Wrong\"}],\"name\":\"Wrong\"}", at: 0)
    }
    if generator.chance(oneIn: 2) { members.append("\"n\":[1,2.5e3,null,true,{\"id\":[\"x\"]}]") }
    // Documents larger than a mebibyte take another path through the program.
    if generator.chance(oneIn: 200) { members.append("\"filler\":\"\(String(repeating: "x", count: 1_100_000))\"") }
    return "\(space()){\(members.joined(separator: ",\(space())"))\(space())}\(space())"
  }

  private mutating func element(_ mention: Mention) -> String {
    if mention.id == nil, mention.imageURL == nil, generator.chance(oneIn: 3) { return quoted(mention.name) }
    var members = ["\"name\":\(quoted(mention.name))"]
    if let id = mention.id {
      members.append("\"id\":\(Int(id) != nil && generator.chance(oneIn: 2) ? id : quoted(id))")
    }
    if let imageURL = mention.imageURL { members.append("\"imageURL\":\(quoted(imageURL))") }
    if generator.chance(oneIn: 3) { members.append("\"genres\":[{\"name\":\"Wrong\",\"id\":\"wrong\"}]") }
    members.shuffle(using: &generator)
    return "{\(space())\(members.joined(separator: ","))}"
  }

  private mutating func quoted(_ text: String) -> String {
    let isEscaped = generator.chance(oneIn: 3)
    let units = text.utf16.map { unit -> String in
      let digits = String(unit, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
    if isEscaped { return "\"\(units.joined())\"" }
    let plain = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\t", with: "\\t")
    return "\"\(plain)\""
  }

  private mutating func space() -> String { generator.pick(["", "", "", " ", "\n", "\t "]) }
}
