internal import Policies
internal import SystemC

/// Core Data's dates: seconds since 2001-01-01 00:00:00 UTC.
package enum ReferenceDate {
  /// The same in seconds since 1970.
  package static let sinceEpoch = 978_307_200.0

  /// A date in ISO 8601, in UTC and to the second; outside the years 1 to 9999 just the number.
  package static func iso8601(_ seconds: Double) -> String {
    bytes(seconds).map { String(decoding: $0, as: UTF8.self) } ?? "\(seconds)"
  }

  /// The bytes of such a date; `nil` outside of these years.
  private static func bytes(_ seconds: Double) -> [UInt8]? {
    guard seconds.isFinite, abs(seconds) < 2.5e11 else { return nil }
    let whole = Int64(seconds.rounded(.down))
    let day = Int64((Double(whole) / 86_400).rounded(.down))
    let second = whole - day * 86_400
    let (year, month, dayOfMonth) = GregorianDay.date(daysSince1970: day + 11_323)
    guard (1...9999).contains(year) else { return nil }
    var text = Array("0000-00-00T00:00:00Z".utf8)
    write(year, before: 4, of: &text)
    write(month, before: 7, of: &text)
    write(dayOfMonth, before: 10, of: &text)
    write(second / 3600, before: 13, of: &text)
    write(second / 60 % 60, before: 16, of: &text)
    write(second % 60, before: 19, of: &text)
    return text
  }

  /// Writes the digits of a number over zeros.
  private static func write(_ number: Int64, before end: Int, of text: inout [UInt8]) {
    var (number, place) = (number, end)
    while number > 0 {
      place -= 1
      text[place] += UInt8(number % 10)
      number /= 10
    }
  }

  /// The same with as many digits as it takes; `nil` where that does not say all of it.
  package static func exact(_ seconds: Double) -> String? {
    let whole = seconds.rounded(.down)
    guard var text = bytes(whole) else { return nil }
    if seconds != whole {
      text.removeLast()
      text += (seconds - whole).description.utf8.dropFirst()
      text.append(UInt8(ascii: "Z"))
      guard text.withUnsafeBytes(FeedDate.seconds) == seconds else { return nil }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
