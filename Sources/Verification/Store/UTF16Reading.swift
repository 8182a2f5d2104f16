/// Makes UTF-8 of UTF-16 that comes in pieces; halves of pairs become U+FFFD.
struct UTF16Reading {
  private let isBigEndian: Bool
  private var units: [UInt16] = []
  private var rest: [UInt8] = []

  init(isBigEndian: Bool) {
    self.isBigEndian = isBigEndian
  }

  /// Reads a piece.
  mutating func read(_ piece: [UInt8], isLast: Bool) -> [UInt8] {
    let bytes = rest + piece
    for index in stride(from: 0, to: bytes.count - 1, by: 2) {
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      units.append(isBigEndian ? first << 8 | second : second << 8 | first)
    }
    rest = bytes.count.isMultiple(of: 2) ? [] : Array(bytes.suffix(1))
    // The first half of a pair waits for the second.
    let waiting = !isLast && units.last.map(UTF16.isLeadSurrogate) == true ? units.popLast() : nil
    var text = Array(String(decoding: units, as: UTF16.self).utf8)
    units = waiting.map { [$0] } ?? []
    if isLast, !rest.isEmpty { text += Array("\u{FFFD}".utf8) }
    return text
  }
}
