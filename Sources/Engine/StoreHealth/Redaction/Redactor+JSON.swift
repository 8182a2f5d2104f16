// A reader of JSON that accepts everything. Most redacted documents are whole, but people often ask for help because of
// those that are broken, which must stay broken in the same way.

extension Redactor {
  /// Replaces a document token by token: keys and structure stay.
  ///
  /// - Text in place of values is replaced, in its own spelling, and stays as long.
  /// - Numbers keep sign, point, exponent and length; `true`, `false` and `null` stay.
  /// - Text before a colon is a key, and stays, as far as the document is JSON.
  func appendJSON(_ bytes: [UInt8], to result: inout [UInt8]) {
    var key: Range<Int>?
    var structure = JSONPlace()
    var place = JSONScan.start(bytes)
    result += bytes[..<place]
    while place < bytes.count {
      switch bytes[place] {
      case UInt8(ascii: "\""):
        let end = JSONScan.textEnd(bytes, place + 1)
        let content = place + 1..<end
        // Without its closing quote, the text goes on to the end.
        let next = min(end + 1, bytes.count)
        if structure.expectsKey, JSONScan.isKey(bytes, endingAt: next) {
          structure.takeKey()
          key = content
          keep(place..<next)
          result += bytes[place..<next]
        } else {
          structure.takeValue()
          result.append(bytes[place])
          appendJSONText(bytes, content, of: key, to: &result)
          result += bytes[end..<next]
        }
        place = next
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."):
        structure.takeValue()
        place = appendJSONNumber(bytes, place, to: &result)
      case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ":"),
        UInt8(ascii: ","), 0...0x20:
        if bytes[place] > 0x20 { structure.take(bytes[place]) }
        result.append(bytes[place])
        place += 1
      default:
        let end = JSONScan.wordEnd(bytes, place)
        if JSONScan.isLiteral(bytes[place..<end], isLast: end == bytes.count) {
          structure.takeValue()
          keep(place..<end)
          result += bytes[place..<end]
        } else {
          structure.fail()
          // A parser stops at the first letter that does not fit, with one error or another.
          let start = place + JSONScan.readCount(bytes[place..<end])
          keep(place..<start)
          result += bytes[place..<start]
          append(bytes, start..<end, to: &result) {
            JSONScan.isLiteral((bytes[place..<start] + $0)[...], isLast: end == bytes.count)
          }
        }
        place = end
      }
    }
  }

  /// Replaces text in place of a value, unless its key's values are a format's words.
  private func appendJSONText(_ bytes: [UInt8], _ content: Range<Int>, of key: Range<Int>?, to result: inout [UInt8]) {
    guard let key, let values = vocabulary.values[Array(bytes[key])] else {
      return append(bytes, content, inJSON: true, to: &result)
    }
    guard !values.contains(bytes[content].map(Self.lowercased)) else {
      keep(content)
      return result += bytes[content]
    }
    append(bytes, content, to: &result) { values.contains($0.map(Self.lowercased)) }
  }

  /// Replaces a part of a value, and its replacement in turn, until it is none that stays.
  private func append(
    _ bytes: [UInt8], _ range: Range<Int>, to result: inout [UInt8], while stays: (ArraySlice<UInt8>) -> Bool
  ) {
    let (start, keptCount) = (result.count, kept.count)
    append(bytes, range, inJSON: true, to: &result)
    var bytes = bytes
    while stays(result[start...]), !result[start...].elementsEqual(bytes[range]) {
      bytes.replaceSubrange(range, with: result[start...])
      result.removeSubrange(start...)
      kept.removeSubrange(keptCount...)
      append(bytes, range, inJSON: true, to: &result)
    }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 { 0x41...0x5A ~= byte ? byte | 0x20 : byte }

  /// Replaces the digits of a number, but not those of an exponent.
  ///
  /// - Returns: The end of the number.
  private func appendJSONNumber(_ bytes: [UInt8], _ start: Int, to result: inout [UInt8]) -> Int {
    var place = start
    var isExponent = false
    while place < bytes.count {
      let byte = bytes[place]
      if Self.isDigit(byte) {
        var end = place
        while end < bytes.count, Self.isDigit(bytes[end]) { end += 1 }
        if isExponent { result += bytes[place..<end] } else { appendDigits(bytes, place..<end, to: &result) }
        place = end
      } else if byte | 0x20 == UInt8(ascii: "e"), place > start, !isExponent {
        isExponent = true
        result.append(byte)
        place += 1
      } else if "+-.".utf8.contains(byte) {
        result.append(byte)
        place += 1
      } else {
        break
      }
    }
    return place
  }
}

/// Finds the tokens of a document that need not be JSON.
enum JSONScan {
  private static let spaces: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Whether a value begins as an object or array does.
  static func begins(_ bytes: [UInt8]) -> Bool {
    var place = start(bytes)
    while place < bytes.count, spaces.contains(bytes[place]) { place += 1 }
    return place < bytes.count && [UInt8(ascii: "{"), UInt8(ascii: "[")].contains(bytes[place])
  }

  /// Whether data are an object or array: what begins as one by chance has other bytes than text near its beginning.
  static func isText(_ bytes: [UInt8]) -> Bool {
    begins(bytes) && bytes.prefix(128).allSatisfy { $0 >= 0x20 || spaces.contains($0) }
      && (bytes.count < 3 || bytes.prefix(128).contains { [0x22, 0x5B, 0x7D, 0x5D].contains($0) })
  }

  /// The place of the quote that ends a text; the end of all bytes if there is none.
  static func textEnd(_ bytes: [UInt8], _ start: Int) -> Int {
    var place = start
    while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
      place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(place, bytes.count)
  }

  /// The place behind the mark that some programs put before text.
  static func start(_ bytes: [UInt8]) -> Int { bytes.starts(with: byteOrderMark) ? 3 : 0 }

  /// Whether text that ends here is a key: a colon follows, and a value, unless the document ends before it.
  static func isKey(_ bytes: [UInt8], endingAt end: Int) -> Bool {
    let colon = skipSpaces(bytes, end)
    guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":") else { return false }
    let value = skipSpaces(bytes, colon + 1)
    guard value < bytes.count else { return true }
    switch bytes[value] {
    case UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "-"), 0x30...0x39: return true
    default:
      let end = wordEnd(bytes, value)
      return isLiteral(bytes[value..<end], isLast: end == bytes.count)
    }
  }

  private static func skipSpaces(_ bytes: [UInt8], _ start: Int) -> Int {
    var place = start
    while place < bytes.count, spaces.contains(bytes[place]) { place += 1 }
    return place
  }

  /// The end of what stands without quotes.
  static func wordEnd(_ bytes: [UInt8], _ start: Int) -> Int {
    var place = start + 1
    while place < bytes.count, bytes[place] > 0x20, !"{}[]:,\"".utf8.contains(bytes[place]) { place += 1 }
    return place
  }

  /// Whether a word without quotes is one of JSON, or of those that other programs write in their place.
  ///
  /// - Parameter isLast: Whether the document ends with it, so that it may be only the beginning of one.
  static func isLiteral(_ word: ArraySlice<UInt8>, isLast: Bool) -> Bool {
    literals.contains { $0.elementsEqual(word) || isLast && $0.starts(with: word) }
  }

  /// The number of bytes that a parser reads of a word before it knows that it is none of JSON.
  static func readCount(_ word: ArraySlice<UInt8>) -> Int {
    let counts = literals.prefix(3).map { literal in zip(word, literal).prefix { $0 == $1 }.count }
    let common = counts.max() ?? 0
    guard common < word.count, word[word.startIndex + common] < 0x80 else { return common }
    return common + 1
  }

  private static let literals = [
    "true", "false", "null", "True", "False", "None", "NaN", "Infinity", "undefined", "nil",
  ].map { Array($0.utf8) }
}
