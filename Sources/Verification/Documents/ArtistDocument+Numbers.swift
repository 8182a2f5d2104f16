extension ArtistDocument {
  mutating func beginNumber(_ byte: UInt8, _ next: Place) {
    isKey = false
    beginText(isKept: isField)
    place = next
    take(byte)
  }

  /// Reads a byte of a number; false when it is none of it.
  mutating func readNumber(_ byte: UInt8) -> Bool {
    let isDigit = UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    switch (place, byte) {
    case (.minus, UInt8(ascii: "0")): place = .zero
    case (.minus, _) where isDigit: place = .integer
    case (.integer, _) where isDigit: break
    case (.zero, UInt8(ascii: ".")), (.integer, UInt8(ascii: ".")): place = .point
    case (.point, _) where isDigit: place = .fraction
    case (.fraction, _) where isDigit: break
    case (.zero, UInt8(ascii: "e")), (.integer, UInt8(ascii: "e")), (.fraction, UInt8(ascii: "e")),
      (.zero, UInt8(ascii: "E")), (.integer, UInt8(ascii: "E")), (.fraction, UInt8(ascii: "E")):
      place = .exponent
    case (.exponent, UInt8(ascii: "+")), (.exponent, UInt8(ascii: "-")): place = .sign
    case (.exponent, _) where isDigit, (.sign, _) where isDigit, (.power, _) where isDigit: place = .power
    default: return false
    }
    take(byte)
    return true
  }

  mutating func endNumber() {
    switch place {
    case .zero, .integer, .fraction, .power: endText(isNumber: true)
    default: place = .broken
    }
  }

  private mutating func take(_ byte: UInt8) {
    tokenLength += 1
    // Unlike a text, a number that is too long makes the document unreadable.
    guard tokenLength <= Self.textLimit else { return place = .broken }
    if isKept { mentions.bytes.append(byte) }
  }
}
