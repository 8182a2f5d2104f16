internal import SystemC

extension Redactor {
  /// Replaces a part of a value, and appends the result, which has as many bytes.
  ///
  /// - Parameter inJSON: Whether characters may be spelled with backslashes.
  func append(_ bytes: [UInt8], _ range: Range<Int>, inJSON: Bool, to result: inout [UInt8]) {
    word.removeAll(keepingCapacity: true)
    var place = range.lowerBound
    while place < range.upperBound {
      if word.isEmpty, let end = appendWhole(bytes, place, range.upperBound, to: &result) {
        place = end
        continue
      }
      if word.isEmpty, let end = appendPlainWord(bytes, place, range.upperBound, inJSON: inJSON, to: &result) {
        place = end
        continue
      }
      let found = unit(bytes, place, range.upperBound, inJSON: inJSON)
      switch found.meaning {
      case .letter(let letter):
        word.append(WordUnit(letter: letter, spelling: found.spelling, source: place..<found.end))
      case .mark where !word.isEmpty:
        word.append(WordUnit(letter: nil, spelling: found.spelling, source: place..<found.end))
      case .mark, .other:
        if !word.isEmpty { appendWord(bytes, to: &result) }
        result += bytes[place..<found.end]
      }
      place = found.end
    }
    if !word.isEmpty { appendWord(bytes, to: &result) }
  }

  /// Replaces what is more than a word, where one begins: a phrase that stays, the scheme of an address, a date, a UUID.
  ///
  /// - Returns: Its end; `nil` if there is none of these.
  private func appendWhole(_ bytes: [UInt8], _ place: Int, _ end: Int, to result: inout [UInt8]) -> Int? {
    if let count = vocabulary.phrase(in: bytes, at: place, end: end) {
      result += bytes[place..<(place + count)]
      keep(place..<(place + count))
      return place + count
    }
    let byte = bytes[place]
    if Self.isDigit(byte), let date = isoDate(bytes, place, end) {
      result += date.text
      return date.end
    }
    if Self.isHexDigit(byte), end - place >= 36, let uuid = uuidText(bytes, place, end) {
      result += uuid
      // It is replaced as a whole: four of its digits can be what they were, and so are all of FFFFFFFF-FFFF-….
      keep(place..<(place + 36))
      return place + 36
    }
    if let schemeEnd = Self.webSchemeEnd(bytes, place, end) {
      result += bytes[place..<schemeEnd]
      keep(place..<schemeEnd)
      return schemeEnd
    }
    return nil
  }

  /// Replaces a word in ASCII that is a word for sure, as most are: nothing follows that may belong to it.
  ///
  /// - Returns: Its end; `nil` if it has to be looked at character by character.
  private func appendPlainWord(
    _ bytes: [UInt8], _ place: Int, _ limit: Int, inJSON: Bool, to result: inout [UInt8]
  ) -> Int? {
    var end = place
    while end < limit, bytes[end] < 0x80, Self.isWordByte(bytes[end]) { end += 1 }
    let isWhole =
      end == limit
      || bytes[end] < 0x80 && bytes[end] != UInt8(ascii: "%") && !(inJSON && bytes[end] == UInt8(ascii: "\\"))
    guard end > place, isWhole else { return nil }
    let plain = Array(bytes[place..<end])
    let isKnown = !Self.isAfterPercent(bytes, place)
    if isKnown, let known = knownWords[plain] {
      result += known
      return end
    }
    for next in place..<end {
      guard case .letter(let letter) = letters.meaning(UInt32(bytes[next])) else { return nil }
      word.append(WordUnit(letter: letter, spelling: .plain, source: next..<(next + 1)))
    }
    let (start, keptCount) = (result.count, kept.count)
    let isSame = appendWord(bytes, to: &result)
    // A word that stays is noted each time, and a long one seldom comes again.
    guard isKnown, isSame, kept.count == keptCount, plain.count <= Self.knownWordLength else { return end }
    if knownWords.count >= Self.knownWordLimit { knownWords.removeAll(keepingCapacity: true) }
    knownWords[plain] = Array(result[start...])
    return end
  }

  /// Replaces the word that was collected.
  ///
  /// - Returns: Whether the result is the same whatever stands around the word, but for a percent sign before it.
  @discardableResult
  private func appendWord(_ bytes: [UInt8], to result: inout [UInt8]) -> Bool {
    defer { word.removeAll(keepingCapacity: true) }
    guard let first = word.first, let last = word.last else { return true }
    let range = first.source.lowerBound..<last.source.upperBound
    cipher.removeAll()
    var isNumber = true
    for unit in word {
      guard let letter = unit.letter else {
        isNumber = false
        continue
      }
      if letter.alphabet != LetterTable.asciiDigits { isNumber = false }
      cipher.sizes.append(letters.count(letter.alphabet))
      cipher.values.append(letter.value)
    }
    let (source, values) = (asciiWord(), cipher.values)
    if let source, vocabulary.keeps(source) {
      result += bytes[range]
      keep(range)
      return true
    }
    let isHex = Self.isAfterPercent(bytes, range.lowerBound) ? source.map(Self.beginsInHex) : nil
    // A word that stays elsewhere, or here, is passed: two words would be one otherwise.
    var isSame = true
    repeat {
      if isNumber {
        replaceDigits()
      } else {
        cipher.replace(alphabet: first.letter.map { letters.name($0.alphabet) } ?? 0)
      }
    } while cipher.values != values && !mayStand(before: bytes[range.upperBound...], after: result, isHex, &isSame)
    var place = 0
    for unit in word {
      guard var letter = unit.letter else {
        result += bytes[unit.source]
        continue
      }
      letter.value = cipher.values[place]
      place += 1
      append(letters.scalar(letter), unit, bytes, to: &result)
    }
    return isSame
  }

  /// The word with the letters in the cipher; `nil` if not all of them are in ASCII.
  private func asciiWord() -> [UInt8]? {
    var result: [UInt8] = []
    for unit in word {
      guard var letter = unit.letter, letter.alphabet <= LetterTable.asciiDigits else { return nil }
      letter.value = cipher.values[result.count]
      result.append(UInt8(truncatingIfNeeded: letters.scalar(letter)))
    }
    return result
  }

  /// Whether the word in the cipher is none that stays, and is read as the word was that it replaces.
  ///
  /// - Parameters:
  ///   - isHex: Whether that one, behind a percent sign, begins with the digits of a byte.
  ///   - isSame: Becomes false if it may stand in one place and not in another.
  private func mayStand(
    before next: ArraySlice<UInt8>, after last: [UInt8], _ isHex: Bool?, _ isSame: inout Bool
  ) -> Bool {
    guard let result = asciiWord() else { return true }
    if vocabulary.keeps(result) || isHex.map({ $0 != Self.beginsInHex(result) }) ?? false { return false }
    guard vocabulary.mayEndPhrase(result) else { return true }
    isSame = false
    return !vocabulary.endsPhrase(result, after: last, before: next)
  }

  /// Appends a character in the spelling of the one that it replaces.
  private func append(_ scalar: UInt32, _ unit: WordUnit, _ bytes: [UInt8], to result: inout [UInt8]) {
    if unit.spelling == .plain, scalar < 0x80 { return result.append(UInt8(scalar)) }
    guard let scalar = Unicode.Scalar(scalar) else { return result += bytes[unit.source] }
    switch unit.spelling {
    case .plain: result += Array(String(scalar).utf8)
    case .escape:
      let isUppercase = bytes[unit.source].contains { 0x41...0x46 ~= $0 }
      for unit in String(scalar).utf16 {
        result += [UInt8(ascii: "\\"), UInt8(ascii: "u")]
        Self.appendHex(UInt32(unit), digits: 4, isUppercase: isUppercase, to: &result)
      }
    case .percent:
      let isUppercase = bytes[unit.source].contains { 0x41...0x46 ~= $0 }
      for byte in String(scalar).utf8 {
        result.append(UInt8(ascii: "%"))
        Self.appendHex(UInt32(byte), digits: 2, isUppercase: isUppercase, to: &result)
      }
    }
  }

  static func appendHex(_ value: UInt32, digits: Int, isUppercase: Bool, to result: inout [UInt8]) {
    for place in (0..<digits).reversed() {
      let digit = UInt8(value >> UInt32(place * 4) & 15)
      result.append(digit < 10 ? 0x30 + digit : (isUppercase ? 0x37 : 0x57) + digit)
    }
  }
}

// MARK: - Characters
extension Redactor {
  /// A character of a value, or a byte that is none.
  struct FoundUnit {
    let meaning: LetterTable.Meaning
    var spelling = WordUnit.Spelling.plain
    let end: Int
  }

  /// The character at a place, however it is spelled.
  @inline(__always)
  private func unit(_ bytes: [UInt8], _ place: Int, _ end: Int, inJSON: Bool) -> FoundUnit {
    let byte = bytes[place]
    if byte < 0x80 {
      if byte == UInt8(ascii: "%"), let found = percentUnit(bytes, place, end) { return found }
      if byte == UInt8(ascii: "\\"), inJSON { return escapedUnit(bytes, place, end) }
      return FoundUnit(meaning: letters.meaning(UInt32(byte)), end: place + 1)
    }
    guard let (scalar, length) = UTF8Scan.scalar(bytes, place, end) else {
      return FoundUnit(meaning: .other, end: place + 1)
    }
    return FoundUnit(meaning: letters.meaning(scalar), end: place + length)
  }

  /// A character such as `%C3%A9`; `nil` if the sign is only a sign.
  private func percentUnit(_ bytes: [UInt8], _ place: Int, _ end: Int) -> FoundUnit? {
    var decoded: [UInt8] = []
    var next = place
    while decoded.count < 4, let byte = Self.percentByte(bytes, next, end) {
      decoded.append(byte)
      next += 3
    }
    guard !decoded.isEmpty else { return nil }
    guard let (scalar, length) = UTF8Scan.scalar(decoded, 0, decoded.count) else {
      return FoundUnit(meaning: .other, end: place + 3)
    }
    return FoundUnit(meaning: letters.meaning(scalar), spelling: .percent, end: place + 3 * length)
  }

  private static func percentByte(_ bytes: [UInt8], _ place: Int, _ end: Int) -> UInt8? {
    guard place + 3 <= end, bytes[place] == UInt8(ascii: "%"), let value = hex(bytes, place + 1, 2) else { return nil }
    return UInt8(value)
  }

  /// A character such as `\u00e9`, or a backslash with what belongs to it.
  private func escapedUnit(_ bytes: [UInt8], _ place: Int, _ end: Int) -> FoundUnit {
    func codeUnit(_ place: Int) -> UInt32? {
      guard place + 6 <= end, bytes[place] == UInt8(ascii: "\\"), bytes[place + 1] == UInt8(ascii: "u") else {
        return nil
      }
      return Self.hex(bytes, place + 2, 4)
    }
    guard let unit = codeUnit(place) else {
      var next = min(place + 2, end)
      guard next < end, bytes[place + 1] == UInt8(ascii: "u") else { return FoundUnit(meaning: .other, end: next) }
      // What is not an escape must not become one: all stays up to the first letter that is not a digit.
      while next < min(place + 6, end), Self.isHexDigit(bytes[next]) { next += 1 }
      if next < min(place + 6, end), bytes[next] < 0x80, Self.isWordByte(bytes[next]) { next += 1 }
      return FoundUnit(meaning: .other, end: next)
    }
    if 0xD800..<0xDC00 ~= unit, let low = codeUnit(place + 6), 0xDC00..<0xE000 ~= low {
      let scalar = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
      return FoundUnit(meaning: letters.meaning(scalar), spelling: .escape, end: place + 12)
    }
    // Half a pair is no character, and stays half a pair.
    guard Unicode.Scalar(unit) != nil else { return FoundUnit(meaning: .other, end: place + 6) }
    return FoundUnit(meaning: letters.meaning(unit), spelling: .escape, end: place + 6)
  }

  /// The value of hexadecimal digits; `nil` if one of them is none.
  static func hex(_ bytes: [UInt8], _ place: Int, _ count: Int) -> UInt32? {
    var value: UInt32 = 0
    for byte in bytes[place..<(place + count)] {
      guard let digit = hexDigit(byte) else { return nil }
      value = value << 4 | digit
    }
    return value
  }

  static func hexDigit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case 0x30...0x39: UInt32(byte - 0x30)
    case 0x41...0x46: UInt32(byte - 0x37)
    case 0x61...0x66: UInt32(byte - 0x57)
    default: nil
    }
  }

  private static func isAfterPercent(_ bytes: [UInt8], _ place: Int) -> Bool {
    place > 0 && bytes[place - 1] == UInt8(ascii: "%")
  }

  private static func beginsInHex(_ word: [UInt8]) -> Bool { word.count > 1 && word.prefix(2).allSatisfy(isHexDigit) }

  static func isHexDigit(_ byte: UInt8) -> Bool { hexDigit(byte) != nil }
  static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }
  static func isWordByte(_ byte: UInt8) -> Bool { isDigit(byte) || 0x61...0x7A ~= byte | 0x20 || byte >= 0x80 }

  /// The end of `https` before `://`, in JSON also before `:\/\/`.
  private static func webSchemeEnd(_ bytes: [UInt8], _ place: Int, _ end: Int) -> Int? {
    var next = place
    while next < end, next - place <= 20, bytes[next] < 0x80, isWordByte(bytes[next]) { next += 1 }
    guard next > place, next < end, bytes[next] == UInt8(ascii: ":"), isScheme(bytes[place..<next]) else { return nil }
    return bytes[next..<end].starts(with: "://".utf8) || bytes[next..<end].starts(with: #":\/\/"#.utf8) ? next : nil
  }

  /// The end of an address's scheme, with its colon.
  static func schemeEnd(_ bytes: [UInt8]) -> Int? {
    guard let colon = bytes.prefix(32).firstIndex(of: UInt8(ascii: ":")), isScheme(bytes[..<colon]) else { return nil }
    return colon + 1
  }

  /// Whether a word is a scheme that is known to all: any other may be a person's.
  private static func isScheme(_ word: ArraySlice<UInt8>) -> Bool {
    schemes.contains(word.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 })
  }

  private static let schemes = Set(
    """
    http https ftp ftps sftp file data blob about mailto tel sms facetime ws wss ssh git svn smb afp nfs cifs \
    dav davs webdav ldap ldaps rtsp rtmp rtmps mms magnet urn tag geo maps news irc ircs xmpp sip sips feed \
    podcast pcast webcal itms itmss itms-apps music musics spotify ipod-library assets-library ph content \
    x-coredata x-apple x-apple.systempreferences javascript jdbc s3 gs ipfs chrome resource cid mid doi isbn
    """.split(separator: " ").map { Array($0.utf8) })
}

/// Reads characters of UTF-8.
enum UTF8Scan {
  /// The character at a place and the number of its bytes; `nil` for bytes that are not UTF-8.
  @inline(__always)
  static func scalar(_ bytes: [UInt8], _ place: Int, _ end: Int) -> (UInt32, Int)? {
    let first = bytes[place]
    // The Unicode Standard, table 3-7: only the second byte has limits that depend on the first.
    let (length, lowest, highest): (Int, UInt8, UInt8)
    switch first {
    case 0..<0x80: return (UInt32(first), 1)
    case 0xC2...0xDF: (length, lowest, highest) = (2, 0x80, 0xBF)
    case 0xE0: (length, lowest, highest) = (3, 0xA0, 0xBF)
    case 0xED: (length, lowest, highest) = (3, 0x80, 0x9F)
    case 0xE1...0xEF: (length, lowest, highest) = (3, 0x80, 0xBF)
    case 0xF0: (length, lowest, highest) = (4, 0x90, 0xBF)
    case 0xF1...0xF3: (length, lowest, highest) = (4, 0x80, 0xBF)
    case 0xF4: (length, lowest, highest) = (4, 0x80, 0x8F)
    default: return nil
    }
    guard end - place >= length, bytes[place + 1] >= lowest, bytes[place + 1] <= highest else { return nil }
    var value = UInt32(first) & (0x7F >> UInt32(length))
    for next in (place + 1)..<(place + length) {
      guard bytes[next] & 0xC0 == 0x80 else { return nil }
      value = value << 6 | UInt32(bytes[next] & 0x3F)
    }
    return (value, length)
  }
}
