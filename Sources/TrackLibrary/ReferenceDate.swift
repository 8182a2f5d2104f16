/// Core Data's dates: seconds since 2001-01-01 00:00:00 UTC.
public enum ReferenceDate {
  /// A date in ISO 8601, in UTC and to the second; outside the years 1 to 9999 just the number.
  public static func iso8601(_ seconds: Double) -> String {
    guard seconds.isFinite, abs(seconds) < 2.5e11 else { return "\(seconds)" }
    let whole = Int64(seconds.rounded(.down))
    let day = Int64((Double(whole) / 86_400).rounded(.down))
    let second = whole - day * 86_400
    let (year, month, dayOfMonth) = civil(daysSince1970: day + 11_323)
    guard (1...9999).contains(year) else { return "\(seconds)" }
    let time = [second / 3600, second / 60 % 60, second % 60].map { padded($0, 2) }.joined(separator: ":")
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2))T\(time)Z"
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, width - text.count)) + text
  }

  /// The date of a day in the Gregorian calendar, by the algorithm of Howard Hinnant's `civil_from_days`.
  private static func civil(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }
}
