/// The escapes in the texts of an `xcmapping.xml`, which is a Core Data store in XML.
///
/// Xcode writes some characters, `<` among them, as the hexadecimal digits of their UTF-16 units, with the low byte
/// first: `\u3c00` is `<`.
enum MappingStoreText {
  /// The text that is meant.
  static func decoded(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
    var decoded: [UInt16] = []
    var rest = Array(text.utf16)[...]
    while let unit = rest.first {
      if let character = escapedCharacter(rest) {
        decoded += character
        rest = rest.dropFirst(character.count * length)
      } else {
        decoded.append(unit)
        rest = rest.dropFirst()
      }
    }
    return String(decoding: decoded, as: UTF16.self)
  }

  /// The text with an escape for whatever would be taken for one.
  static func encoded(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
    let units = Array(text.utf16)
    let backslash = Array(#"\u5c00"#.utf16)
    return String(
      decoding: units.indices.flatMap { escapedUnit(units[$0...]) == nil ? [units[$0]] : backslash }, as: UTF16.self)
  }

  /// The units of an escape.
  private static let length = 6

  /// The one unit, or the two of a pair, that a text begins with as escapes; a half pair means itself.
  private static func escapedCharacter(_ text: ArraySlice<UInt16>) -> [UInt16]? {
    guard let first = escapedUnit(text) else { return nil }
    if !UTF16.isLeadSurrogate(first) { return UTF16.isTrailSurrogate(first) ? nil : [first] }
    guard let second = escapedUnit(text.dropFirst(length)), UTF16.isTrailSurrogate(second) else { return nil }
    return [first, second]
  }

  private static func escapedUnit(_ text: ArraySlice<UInt16>) -> UInt16? {
    let digits = String(decoding: text.prefix(length).dropFirst(2), as: UTF16.self)
    guard text.prefix(2).elementsEqual(#"\u"#.utf16), digits.utf8.count == 4,
      digits.allSatisfy({ $0.isASCII && $0.isHexDigit }), let unit = UInt16(digits, radix: 16)
    else { return nil }
    return unit.byteSwapped
  }
}
