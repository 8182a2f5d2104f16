internal import Policies
internal import SystemC

/// Core Data's dates: seconds since 2001-01-01 00:00:00 UTC.
package enum ReferenceDate {
  /// The same in seconds since 1970.
  package static let sinceEpoch = 978_307_200.0

  /// A date in ISO 8601, in UTC and to the second; outside the years 1 to 9999 just the number.
  package static func iso8601(_ seconds: Double) -> String {
    guard seconds.isFinite, abs(seconds) < 2.5e11 else { return "\(seconds)" }
    let whole = Int64(seconds.rounded(.down))
    let day = Int64((Double(whole) / 86_400).rounded(.down))
    let second = whole - day * 86_400
    let (year, month, dayOfMonth) = GregorianDay.date(daysSince1970: day + 11_323)
    guard (1...9999).contains(year) else { return "\(seconds)" }
    let time = [second / 3600, second / 60 % 60, second % 60].map { padded($0, 2) }.joined(separator: ":")
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2))T\(time)Z"
  }

  /// The same with as many digits as it takes; `nil` where that does not say all of it.
  package static func exact(_ seconds: Double) -> String? {
    let whole = seconds.rounded(.down)
    let text = iso8601(whole)
    guard text.hasSuffix("Z") else { return nil }
    let fraction = (seconds - whole).description
    let exact = seconds == whole ? text : text.dropLast() + fraction.dropFirst() + "Z"
    return Array(exact.utf8).withUnsafeBytes(FeedDate.seconds) == seconds ? String(exact) : nil
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, width - text.count)) + text
  }
}
