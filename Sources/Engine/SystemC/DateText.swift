/// Dates as text: a day such as `2024-05-01`, or with a time and a zone, `2024-05-01T12:30:00.5+02:00`.
package enum DateText {
  /// Whether text begins as a date does: with a year of four digits and a `-`.
  package static func hasYear(_ text: UnsafeRawBufferPointer) -> Bool {
    var reader = DateReader(text)
    return reader.number(4) != nil && reader.take("-")
  }

  /// The seconds since 2001 of a date, or `nil` if the text is not one.
  ///
  /// A date without a zone is in UTC, and a day without a time is its beginning.
  package static func secondsSince2001(_ text: UnsafeRawBufferPointer) -> Double? {
    var text = DateReader(text)
    guard let year = text.number(4), text.take("-"), let month = text.number(2), text.take("-"),
      let day = text.number(2), year > 0, (1...12).contains(month), day > 0,
      day <= GregorianDay.count(inMonth: month, of: year)
    else { return nil }
    let midnight = GregorianDay.daysSince2001(year: year, month: month, day: day) * 86_400
    if text.isAtEnd { return Double(midnight) }
    guard text.take("T") || text.take(" "), let hour = text.number(2), text.take(":"), let minute = text.number(2),
      hour < 24, minute < 60
    else { return nil }
    // The 60th second is a leap second.
    let second = text.take(":") ? text.number(2) : 0
    guard let second, second <= 60, let fraction = text.fraction(), let offset = text.offset(), text.isAtEnd else {
      return nil
    }
    return Double(midnight + hour * 3600 + minute * 60 + second - offset) + fraction
  }

  /// The same for a string.
  package static func secondsSince2001(_ text: String) -> Double? {
    var text = text
    return text.withUTF8 { secondsSince2001(UnsafeRawBufferPointer($0)) }
  }
}

/// A text that is read from its start.
private struct DateReader {
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
    guard take(".") else { return 0 }
    let digits = bytes[place...].prefix { $0 &- UInt8(ascii: "0") < 10 }
    place = digits.endIndex
    return Double("0." + String(decoding: digits, as: UTF8.self))
  }

  /// Takes a zone such as `+02:00`, and returns how many seconds it is ahead of UTC.
  mutating func offset() -> Int? {
    if isAtEnd || take("Z") { return 0 }
    // As Foundation describes a date: `2024-05-01 12:30:00 +0000`.
    _ = take(" ")
    let isBehind = take("-")
    guard isBehind || take("+"), let hours = number(2) else { return nil }
    _ = take(":")
    guard let minutes = isAtEnd ? 0 : number(2), hours < 24, minutes < 60 else { return nil }
    return (isBehind ? -1 : 1) * (hours * 3600 + minutes * 60)
  }
}
