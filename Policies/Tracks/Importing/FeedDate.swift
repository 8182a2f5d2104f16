internal import SystemC

/// Dates as feeds write them.
package enum FeedDate {
  /// The seconds between 1970 and 2001.
  private static let epoch = 978_307_200.0
  /// The year from which on music services exist, in seconds since 2001.
  package static let year2000 = -366 * 86_400.0
  /// The Unix times that a number can mean: those from 2000 to 2099.
  private static let times = 946_684_800.0..<4_102_444_800.0

  /// Seconds since 2001, for Unix time, a day such as `20240501`, or a date such as `2024-05-01T12:30:00.5+02:00`.
  ///
  /// A date without a time zone is in UTC.
  package static func seconds(_ text: UnsafeRawBufferPointer) -> Double? {
    // No number has a `-` after its first four digits, and to try would take longer than to read the date.
    if DateText.hasYear(text) { return DateText.secondsSince2001(text) }
    // Spreadsheets and C's `%g` write `1.61898E+12`, which lacks the last digits.
    guard let number = number(text), !text.contains(UInt8(ascii: "+")) else { return secondsOfNET(text) }
    // Seconds, milliseconds and microseconds of these years have no number in common.
    for unit in [1, 1e3, 1e6] where times.contains(number / unit) { return number / unit - epoch }
    return day(number)
  }

  /// A time as .NET writes it, `/Date(1709100300000+0100)/`: milliseconds, which the time zone does not change.
  private static func secondsOfNET(_ text: UnsafeRawBufferPointer) -> Double? {
    let (start, end) = ("/Date(".utf8, ")/".utf8)
    guard text.starts(with: start), text.suffix(end.count).elementsEqual(end) else { return nil }
    let inside = text.dropFirst(start.count).dropLast(end.count)
    let digits = inside.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    let zone = inside.dropFirst(digits.count)
    guard zone.isEmpty || zone.count == 5 && "+-".utf8.contains(zone[zone.startIndex]),
      let milliseconds = number(UnsafeRawBufferPointer(rebasing: digits)), times.contains(milliseconds / 1e3)
    else { return nil }
    return milliseconds / 1e3 - epoch
  }

  /// The number that a text is; `nil` for any other text.
  static func number(_ text: UnsafeRawBufferPointer) -> Double? {
    Double(String(decoding: text, as: UTF8.self)).flatMap { $0.isFinite ? $0 : nil }
  }

  /// Whether a text is a number that would be a time before the year 2000: services call durations times too.
  static func isDuration(_ text: UnsafeRawBufferPointer) -> Bool {
    number(text).map { $0 < times.lowerBound } ?? false
  }

  /// The beginning of a day that is written as a number, such as 20240501.
  private static func day(_ number: Double) -> Double? {
    guard let digits = Int(exactly: number), (2000...2099).contains(digits / 10_000) else { return nil }
    let (year, month, day) = (digits / 10_000, digits / 100 % 100, digits % 100)
    guard (1...12).contains(month), day > 0, day <= GregorianDay.count(inMonth: month, of: year) else { return nil }
    return Double(GregorianDay.daysSince2001(year: year, month: month, day: day) * 86_400)
  }
}
