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
    // No number has a `-` after its first four digits, and to try would take longer than to read the date.
    if DateText.hasYear(text) { return DateText.secondsSince2001(text) }
    guard let number = Double(String(decoding: text, as: UTF8.self)), number.isFinite else { return nil }
    return (abs(number) >= milliseconds ? number / 1000 : number) - epoch
  }
}
