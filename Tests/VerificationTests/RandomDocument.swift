import TestSupport

/// Makes valid, nearly valid and broken documents with few names, ids and keys, which therefore repeat often.
struct RandomDocument {
  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  private mutating func choose<Value>(_ values: [Value]) -> Value {
    values[Int(random.next() % UInt64(values.count))]
  }

  private mutating func happens(_ percent: UInt64) -> Bool { random.next() % 100 < percent }

  mutating func artistName() -> CellValue { choose([nil, "", "A", "B", "C\u{E9}", .blob([0x41]), .integer(7)]) }

  mutating func document() -> CellValue {
    if happens(5) { return nil }
    var bytes = Array(text().utf8)
    // An additional, missing or changed byte breaks most of them.
    if happens(20), !bytes.isEmpty {
      let index = Int(random.next() % UInt64(bytes.count))
      switch random.next() % 3 {
      case 0: bytes.remove(at: index)
      case 1: bytes.insert(choose(Self.oddBytes), at: index)
      default: bytes[index] = choose(Self.oddBytes)
      }
    }
    return happens(10) ? .blob(bytes) : String(validating: bytes, as: UTF8.self).map { .text($0) } ?? .blob(bytes)
  }

  private static let oddBytes: [UInt8] =
    Array("\"\\,:[]{}0-.eEtn \n\u{0B}".utf8) + [0, 0x1f, 0x7f, 0x80, 0xc0, 0xed, 0xff]

  /// A document as text.
  mutating func text() -> String {
    if happens(8) { return choose(["", " ", "\u{FEFF}", "1", "-0.5e+3", "null", "[]", "\"x\"", "{}", "01", "[1,]"]) }
    return value(["artists", "artists", "title", "\\u0061rtists", "artist"], depth: 0)
  }

  private mutating func value(_ keys: [String], depth: Int) -> String {
    let members = (0..<(random.next() % 4)).map { _ in
      "\"\(choose(keys))\"\(choose([":", " : "]))\(artists(depth: depth))"
    }
    return choose(["{", "{ "]) + members.joined(separator: choose([",", " ,\n"])) + "}"
  }

  private mutating func artists(depth: Int) -> String {
    switch random.next() % 10 {
    case 0: scalar()
    case 1: artist(depth: depth)
    default: "[" + (0..<(random.next() % 4)).map { _ in element(depth: depth) }.joined(separator: ",") + "]"
    }
  }

  private mutating func element(depth: Int) -> String {
    switch random.next() % 8 {
    case 0: scalar()
    case 1 where depth < 3: "[" + artists(depth: depth + 1) + "]"
    default: artist(depth: depth)
    }
  }

  private mutating func artist(depth: Int) -> String {
    let members = (0..<(random.next() % 5)).map { _ in
      let key = choose(["name", "name", "id", "imageURL", "x", "n\\u0061me"])
      let value = depth < 3 && happens(10) ? artists(depth: depth + 1) : scalar()
      return "\"\(key)\":\(value)"
    }
    return "{" + members.joined(separator: ",") + "}"
  }

  private mutating func scalar() -> String {
    choose([
      "\"A\"", "\"A\"", "\"B\"", "\"Ce\u{301}\"", "\"C\u{E9}\"", "\"C\\u00e9\"", "\"\\ud83c\\udfb8\"", "\"\\ud83c\"",
      "\"\"", "\"\\u0000\"", "\"\\t\\/\\\\\"", "1", "1.50", "-0", "1e5", "true", "false", "null", "\"\u{1F3B8}\"",
      "\"\u{FFFD}\"",
    ])
  }
}
