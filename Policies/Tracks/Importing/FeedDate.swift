/// Dates as feeds write them.
package enum FeedDate {
  /// The seconds between 1970 and 2001.
  private static let epoch = 978_307_200.0
  /// From here on, a number counts milliseconds: as seconds it would lie beyond the year 5000.
  private static let milliseconds = 1e11

  /// Seconds since 2001, for Unix time in seconds or milliseconds, or a date such as `2024-05-01T12:30:00.5+02:00`.
  ///
  /// A date without a time zone is in UTC.
  package static func seconds(_ text: UnsafeRawBufferPointer) -> Double? {
    // A date is no number: so most texts need not be tried as one.
    if !hasDate(text), let number = Double(String(decoding: text, as: UTF8.self)), number.isFinite {
      return (abs(number) >= milliseconds ? number / 1000 : number) - epoch
    }
    var rest = text[...]
    guard let year = number(4, &rest), take("-", &rest), let month = number(2, &rest), take("-", &rest),
      let day = number(2, &rest), year > 0, (1...12).contains(month)
    else { return nil }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard (1...lengths[month - 1]).contains(day) else { return nil }
    let midnight = days(year, month, day) * 86_400
    if rest.isEmpty { return Double(midnight) }
    guard take("T", &rest) || take(" ", &rest), let hour = number(2, &rest), take(":", &rest),
      let minute = number(2, &rest), hour < 24, minute < 60
    else { return nil }
    // The 60th second is a leap second.
    let second = take(":", &rest) ? number(2, &rest) : 0
    guard let second, second <= 60 else { return nil }
    let fraction = rest.first == UInt8(ascii: ".") ? rest.prefix { !"Z+-".utf8.contains($0) } : rest.prefix(0)
    rest = rest.dropFirst(fraction.count)
    guard let part = fraction.isEmpty ? 0 : Double("0" + String(decoding: fraction, as: UTF8.self)),
      let offset = offset(&rest), rest.isEmpty
    else { return nil }
    return Double(midnight + hour * 3600 + minute * 60 + second - offset) + part
  }

  /// Whether there is a `-` after four digits, which no number has there.
  private static func hasDate(_ text: UnsafeRawBufferPointer) -> Bool {
    text.count > 4 && text[4] == UInt8(ascii: "-") && text.prefix(4).allSatisfy(isDigit)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

  /// Takes a number of so many digits.
  private static func number(_ count: Int, _ text: inout Slice<UnsafeRawBufferPointer>) -> Int? {
    let digits = text.prefix(count)
    guard digits.count == count, digits.allSatisfy(isDigit) else { return nil }
    text = text.dropFirst(count)
    return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  private static func take(_ character: Unicode.Scalar, _ text: inout Slice<UnsafeRawBufferPointer>) -> Bool {
    guard text.first == UInt8(ascii: character) else { return false }
    text = text.dropFirst()
    return true
  }

  /// The days since 2001, by the algorithm of Howard Hinnant's `days_from_civil`.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let era = year / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468 - 11_323
  }

  /// Takes a zone such as `+02:00`, and returns how many seconds it is ahead of UTC.
  private static func offset(_ text: inout Slice<UnsafeRawBufferPointer>) -> Int? {
    if text.isEmpty || take("Z", &text) { return 0 }
    let sign = text.first == UInt8(ascii: "-") ? -1 : 1
    guard take("+", &text) || take("-", &text), let hours = number(2, &text) else { return nil }
    _ = take(":", &text)
    guard let minutes = text.isEmpty ? 0 : number(2, &text), hours < 24, minutes < 60 else { return nil }
    return sign * (hours * 3600 + minutes * 60)
  }
}
