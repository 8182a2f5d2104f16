internal import Verification

extension DocumentReader {
  mutating func beginText(isKept: Bool) {
    self.isKept = isKept
    isTooLong = false
    tokenLength = 0
    if isKey { keyBytes.removeAll(keepingCapacity: true) } else { textStart = tree.bytes.count }
  }

  /// Reads the bytes of a string up to one that needs special handling.
  mutating func readString(_ bytes: DocumentPiece, _ index: inout Int) {
    let text = bytes[index..<bytes.endOfPlainText(from: index)]
    let isWhole = tokenLength == 0
    index += text.count
    lengthen(by: text.count)
    guard index < bytes.count else { return keep(text) }
    let byte = bytes[index]
    index += 1
    if isKey, isWhole, byte == UInt8(ascii: "\"") {
      // Nearly every key is plain and in one piece, and need not be copied.
      return endKey(isKept ? tree.number(of: text) : nil)
    }
    keep(text)
    switch byte {
    case UInt8(ascii: "\""):
      if isKey { endKey(isKept ? keyBytes.withUnsafeBytes(tree.number) : nil) } else { endText(isNumber: false) }
    case UInt8(ascii: "\\"):
      lengthen(by: 1)
      place = .escape
    case 0x80...: beginCharacter(byte)
    default: place = .broken
    }
  }

  /// Counts bytes of a token, and drops a token that becomes too long.
  private mutating func lengthen(by count: Int) {
    tokenLength += count
    guard tokenLength > textLimit, isKept else { return }
    isKept = false
    guard !isKey else { return }
    tree.bytes.removeSubrange(textStart...)
    isTooLong = true
  }

  private mutating func keep(_ bytes: some Collection<UInt8>) {
    guard isKept, !bytes.isEmpty else { return }
    if isKey { keyBytes.append(contentsOf: bytes) } else { tree.bytes.append(contentsOf: bytes) }
  }

  /// Reads a byte of an escape or of a character beyond ASCII.
  mutating func readInString(_ byte: UInt8) {
    lengthen(by: 1)
    switch place {
    case .escape: readEscape(byte)
    case .digits: readDigit(byte)
    case .secondBackslash: place = byte == UInt8(ascii: "\\") ? .secondU : .broken
    case .secondU:
      guard byte == UInt8(ascii: "u") else { return place = .broken }
      (place, unit, digitCount) = (.digits, 0, 4)
    default: continueCharacter(byte)
    }
  }

  private mutating func readEscape(_ byte: UInt8) {
    let character: UInt8
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): character = byte
    case UInt8(ascii: "b"): character = 0x08
    case UInt8(ascii: "f"): character = 0x0c
    case UInt8(ascii: "n"): character = 0x0a
    case UInt8(ascii: "r"): character = 0x0d
    case UInt8(ascii: "t"): character = 0x09
    case UInt8(ascii: "u"):
      (place, unit, digitCount) = (.digits, 0, 4)
      return
    default: return place = .broken
    }
    keep(CollectionOfOne(character))
    place = .string
  }

  private mutating func readDigit(_ byte: UInt8) {
    let digit: UInt8
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
    default: return place = .broken
    }
    unit = unit << 4 | UInt32(digit)
    digitCount -= 1
    if digitCount == 0 { endUnit() }
  }

  private mutating func endUnit() {
    let isSecondHalf = 0xdc00...0xdfff ~= unit
    if let first = firstHalf {
      firstHalf = nil
      guard isSecondHalf else { return place = .broken }
      return keepScalar(0x10000 + (first - 0xd800) << 10 + (unit - 0xdc00))
    }
    guard !isSecondHalf else { return place = .broken }
    guard 0xd800...0xdbff ~= unit else { return keepScalar(unit) }
    firstHalf = unit
    place = .secondBackslash
  }

  private mutating func keepScalar(_ value: UInt32) {
    place = .string
    guard let scalar = Unicode.Scalar(value) else { return place = .broken }
    keep(UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
  }

  /// Begins a character of several bytes, according to table 3-7 of the Unicode standard.
  private mutating func beginCharacter(_ byte: UInt8) {
    switch byte {
    case 0xc2...0xdf: (continuationCount, continuationRange) = (1, 0x80...0xbf)
    case 0xe0: (continuationCount, continuationRange) = (2, 0xa0...0xbf)
    case 0xed: (continuationCount, continuationRange) = (2, 0x80...0x9f)
    case 0xe1...0xef: (continuationCount, continuationRange) = (2, 0x80...0xbf)
    case 0xf0: (continuationCount, continuationRange) = (3, 0x90...0xbf)
    case 0xf1...0xf3: (continuationCount, continuationRange) = (3, 0x80...0xbf)
    case 0xf4: (continuationCount, continuationRange) = (3, 0x80...0x8f)
    default: return place = .broken
    }
    lengthen(by: 1)
    keep(CollectionOfOne(byte))
    place = .continuation
  }

  private mutating func continueCharacter(_ byte: UInt8) {
    guard continuationRange.contains(byte) else { return place = .broken }
    keep(CollectionOfOne(byte))
    continuationRange = 0x80...0xbf
    continuationCount -= 1
    if continuationCount == 0 { place = .string }
  }

  // MARK: - Numbers

  mutating func beginNumber(_ byte: UInt8, _ next: Place) {
    isKey = false
    beginText(isKept: isWanted)
    place = next
    take(byte)
  }

  /// Reads a byte of a number; returns false if it does not belong to it.
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
    // Unlike text, a number that is too long makes the document unreadable.
    guard tokenLength <= textLimit else { return place = .broken }
    if isKept { tree.bytes.append(byte) }
  }
}
