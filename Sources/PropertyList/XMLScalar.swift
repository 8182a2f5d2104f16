internal import Foundation

/// How single values are written in an XML property list.
enum XMLScalar {
  static func value(_ kind: String, _ text: String) -> PropertyList? {
    switch kind {
    case "string": .string(text)
    case "true": .boolean(true)
    case "false": .boolean(false)
    case "integer": integer(trimmed(text))
    case "real": Double(trimmed(text)).map { .real($0) }
    case "date": seconds(trimmed(text)).map { .date($0) }
    case "data": data(text).map { .data($0) }
    default: nil
    }
  }

  /// A dictionary, or the reference that a keyed archive in XML writes as a dictionary of one key.
  static func uidOrDictionary(_ dictionary: PropertyListDictionary) -> PropertyList {
    guard dictionary.count == 1, let number = dictionary["CF$UID"]?.integer, let uid = UInt64(exactly: number) else {
      return .dictionary(dictionary)
    }
    return .uid(uid)
  }

  private static func integer(_ text: String) -> PropertyList? {
    let isNegative = text.hasPrefix("-")
    let digits = text.hasPrefix("-") || text.hasPrefix("+") ? String(text.dropFirst()) : text
    let isHex = digits.hasPrefix("0x") || digits.hasPrefix("0X")
    guard digits.first?.isASCII == true, digits.first != "-", digits.first != "+",
      let magnitude = isHex ? Int128(digits.dropFirst(2), radix: 16) : Int128(digits)
    else { return nil }
    guard magnitude >= 0 else { return nil }
    let value = isNegative ? -magnitude : magnitude
    return Int64(exactly: value).map { .integer($0) } ?? .wideInteger(value)
  }

  /// Reads a date in the one form that property lists know, `2001-01-01T00:00:00Z`.
  private static func seconds(_ text: String) -> Double? {
    let parts = text.split(omittingEmptySubsequences: false) { "-T:Z".contains($0) }
    guard text.utf8.count == 20, text.hasSuffix("Z"), parts.count == 7,
      parts.map(\.utf8.count) == [4, 2, 2, 2, 2, 2, 0]
    else { return nil }
    let numbers = parts.dropLast().compactMap { $0.allSatisfy(\.isNumber) ? Int($0) : nil }
    guard numbers.count == 6, (1...12).contains(numbers[1]), (1...31).contains(numbers[2]) else { return nil }
    guard numbers[3] < 24, numbers[4] < 60, numbers[5] < 61 else { return nil }
    let days = daysSince2001(year: numbers[0], month: numbers[1], day: numbers[2])
    return Double(days * 86400 + numbers[3] * 3600 + numbers[4] * 60 + numbers[5])
  }

  /// Counts days in the Gregorian calendar, with years that begin in March so that the leap day comes last.
  private static func daysSince2001(year: Int, month: Int, day: Int) -> Int {
    let marchYear = month > 2 ? year : year - 1
    let monthFromMarch = (month + 9) % 12
    // Year 0 has 366 days before March of year 1 and so on: all divisions are of numbers that are not negative.
    let shifted = marchYear + 400
    let leapDays = shifted / 4 - shifted / 100 + shifted / 400
    let days = shifted * 365 + leapDays + (monthFromMarch * 153 + 2) / 5 + day - 1
    return days - 876_888
  }

  private static func data(_ text: String) -> [UInt8]? {
    let compact = text.filter { !$0.isWhitespace }
    return Data(base64Encoded: compact).map { Array($0) }
  }

  private static func trimmed(_ text: String) -> String {
    text.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
