/// Text that a program reads, and not a person: a number such as `7` or `3/12`, a UUID, or a URI.
package enum IdentifierText {
  /// Whether text is one of these.
  package static func isOne(_ text: UnsafeRawBufferPointer) -> Bool {
    guard let first = text.first else { return false }
    return isDigit(first) && isNumber(text) || text.count == 36 && isUUID(text) || isURI(text)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

  /// Whether text is a number, or one of several: `7`, `7.0`, `3/12`, `3 of 12`.
  private static func isNumber(_ text: UnsafeRawBufferPointer) -> Bool {
    var place = 0
    func skip(_ isWanted: (UInt8) -> Bool) -> Bool {
      let start = place
      while place < text.count, isWanted(text[place]) { place += 1 }
      return place > start
    }
    func skipSpace() { _ = skip { $0 == UInt8(ascii: " ") } }
    _ = skip(isDigit)
    if place == text.count { return true }
    if text[place] == UInt8(ascii: ".") {
      place += 1
      return skip(isDigit) && place == text.count
    }
    skipSpace()
    if place < text.count, text[place] == UInt8(ascii: "/") {
      place += 1
    } else if text[place...].starts(with: "of ".utf8) {
      place += 2
    } else {
      return false
    }
    skipSpace()
    return skip(isDigit) && place == text.count
  }

  private static func isUUID(_ text: UnsafeRawBufferPointer) -> Bool {
    text.enumerated().allSatisfy { place, byte in
      [8, 13, 18, 23].contains(place)
        ? byte == UInt8(ascii: "-")
        : isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }
  }

  /// Whether text is a URI such as `https://…` or `urn:isbn:…`; other text may have a colon too.
  private static func isURI(_ text: UnsafeRawBufferPointer) -> Bool {
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")), colon > 1, !text.contains(where: { $0 <= 0x20 }),
      text[..<colon].allSatisfy({ (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || isDigit($0) })
    else { return false }
    let rest = text[(colon + 1)...]
    return rest.starts(with: "//".utf8) || rest.contains(UInt8(ascii: ":"))
  }
}
