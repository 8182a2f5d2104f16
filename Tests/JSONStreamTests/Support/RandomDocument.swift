import TestSupport

/// Makes random documents and mutates them.
struct RandomDocument {
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  mutating func number(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

  /// Returns a valid document.
  mutating func next() -> [UInt8] {
    let mark: [UInt8] = number(below: 10) == 0 ? [0xef, 0xbb, 0xbf] : []
    return mark + Array((blank() + value(depth: 0) + blank()).utf8)
  }

  /// Returns a document with a few bytes changed, removed, duplicated or inserted.
  mutating func mutation(of document: [UInt8]) -> [UInt8] {
    var bytes = document
    for _ in 0...number(below: 3) {
      guard !bytes.isEmpty else { return bytes }
      let index = number(below: bytes.count)
      switch number(below: 6) {
      case 0: bytes.remove(at: index)
      case 1: bytes.insert(pick(Self.interesting), at: index)
      case 2: bytes[index] = pick(Self.interesting)
      case 3: bytes[index] = UInt8(number(below: 256))
      case 4: bytes.insert(contentsOf: pick(Self.fragments), at: index)
      default: bytes.removeSubrange(index..<min(bytes.count, index + number(below: 8)))
      }
    }
    return bytes
  }

  /// Returns offsets at which to cut a document.
  mutating func cuts(_ length: Int) -> [Int] {
    (0..<number(below: 6)).map { _ in number(below: length + 1) }.sorted()
  }

  private static let interesting = Array("{}[],:\"\\ud8D0c1.-+eE/ tn\n\u{0b}\u{0}é😀".utf8)
  private static let fragments: [[UInt8]] = [
    Array("\\ud83d".utf8), Array("\\ude00".utf8), Array("\\u00".utf8), Array("\"\"".utf8), Array(",\"a\":".utf8),
    Array("1e5".utf8), [0xed, 0xa0, 0x80], [0xc0, 0x80], [0xef, 0xbb, 0xbf], [0xf4, 0x90, 0x80, 0x80],
    Array("null".utf8),
  ]

  private mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(below: elements.count)] }

  private mutating func blank() -> String { pick(["", "", "", "", " ", "\n", "\t", "\r\n"]) }

  private mutating func value(depth: Int) -> String {
    switch number(below: depth < 5 ? 10 : 6) {
    case 0: pick(["true", "false", "null"])
    case 1, 2: pick(["0", "-0", "12", "1.5", "-1e400", "1E+2", "12345678901234567890", "0.000", "7"])
    case 3, 4, 5: string()
    case 6, 7: "[" + members { $0.value(depth: depth + 1) } + "]"
    default: "{" + members { $0.string() + $0.blank() + ":" + $0.blank() + $0.value(depth: depth + 1) } + "}"
    }
  }

  private mutating func members(_ member: (inout RandomDocument) -> String) -> String {
    (0..<number(below: 5)).map { _ in blank() + member(&self) + blank() }.joined(separator: ",")
  }

  private mutating func string() -> String {
    let parts = [
      "a", "bc", "é", "東", "😀", "\\n", "\\\"", "\\\\", "\\u00e9", "\\ud83d\\ude00", "\\u0000", " ", "12345678",
    ]
    return "\"" + (0..<number(below: 7)).map { _ in pick(parts) }.joined() + "\""
  }
}
