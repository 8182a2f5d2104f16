internal import SystemC

/// Dates as feeds write them.
package enum FeedDate {
  /// The seconds between 1970 and 2001.
  private static let epoch = 978_307_200.0
  /// The year from which on music services exist, in seconds since 2001.
  package static let year2000 = -366 * 86_400.0
  /// From here on, a number counts milliseconds: as seconds it would lie beyond the year 5000.
  private static let milliseconds = 1e11

  /// Seconds since 2001, for Unix time in seconds or milliseconds, or a date such as `2024-05-01T12:30:00.5+02:00`.
  ///
  /// A date without a time zone is in UTC.
  package static func seconds(_ text: UnsafeRawBufferPointer) -> Double? {
    var date = DateText(text)
    // No number has a `-` after its first four digits, and to try would take longer than to read the date.
    if let year = date.number(4), date.take("-") { return seconds(year, &date) }
    guard let number = Double(String(decoding: text, as: UTF8.self)), number.isFinite else { return nil }
    return (abs(number) >= milliseconds ? number / 1000 : number) - epoch
  }

  private static func seconds(_ year: Int, _ text: inout DateText) -> Double? {
    guard let month = text.number(2), text.take("-"), let day = text.number(2), year > 0, (1...12).contains(month),
      day > 0, day <= GregorianDay.count(inMonth: month, of: year)
    else { return nil }
    let midnight = GregorianDay.daysSince2001(year: year, month: month, day: day) * 86_400
    if text.isAtEnd { return Double(midnight) }
    guard text.take("T") || text.take(" "), let hour = text.number(2), text.take(":"), let minute = text.number(2),
      hour < 24, minute < 60
    else { return nil }
    // The 60th second is a leap second.
    let second = text.take(":") ? text.number(2) : 0
    guard let second, second <= 60, let fraction = text.fraction(), let offset = offset(&text), text.isAtEnd else {
      return nil
    }
    return Double(midnight + hour * 3600 + minute * 60 + second - offset) + fraction
  }

  /// Takes a zone such as `+02:00`, and returns how many seconds it is ahead of UTC.
  private static func offset(_ text: inout DateText) -> Int? {
    if text.isAtEnd || text.take("Z") { return 0 }
    let isBehind = text.take("-")
    guard isBehind || text.take("+"), let hours = text.number(2) else { return nil }
    _ = text.take(":")
    guard let minutes = text.isAtEnd ? 0 : text.number(2), hours < 24, minutes < 60 else { return nil }
    return (isBehind ? -1 : 1) * (hours * 3600 + minutes * 60)
  }
}

/// A text that is read from its start.
private struct DateText {
  private let bytes: UnsafeRawBufferPointer
  private var place = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { place == bytes.count }

  /// Takes a number of so many digits.
  mutating func number(_ count: Int) -> Int? {
    guard bytes.count - place >= count else { return nil }
    var number = 0
    for byte in bytes[place..<(place + count)] {
      guard byte &- UInt8(ascii: "0") < 10 else { return nil }
      number = number * 10 + Int(byte - UInt8(ascii: "0"))
    }
    place += count
    return number
  }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard place < bytes.count, bytes[place] == UInt8(ascii: character) else { return false }
    place += 1
    return true
  }

  /// Takes the part of a second that may follow a dot; `nil` if it is none.
  mutating func fraction() -> Double? {
    guard place < bytes.count, bytes[place] == UInt8(ascii: ".") else { return 0 }
    let fraction = bytes[place...].prefix { !"Z+-".utf8.contains($0) }
    place = fraction.endIndex
    return Double("0" + String(decoding: fraction, as: UTF8.self))
  }
}
