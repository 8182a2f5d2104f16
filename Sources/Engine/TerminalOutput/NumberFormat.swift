/// Spells numbers for people, the same in every locale.
package enum NumberFormat {
  /// The number with commas between the thousands: "1,234,567".
  package static func grouped(_ number: some BinaryInteger) -> String {
    let digits = Array(String(number.magnitude))
    var text = number < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return text
  }

  /// The number and what is counted: "1 row", "1,234 rows".
  package static func counted(_ number: some BinaryInteger, _ noun: String, plural: String? = nil) -> String {
    "\(grouped(number)) \(number == 1 ? noun : plural ?? "\(noun)s")"
  }

  /// A number of bytes in the largest unit that leaves at least one: "512 B", "1.5 KiB", "20.0 MiB".
  package static func bytes(_ count: Int64) -> String {
    guard count >= 1024 else { return "\(grouped(count)) B" }
    var unit: Int64 = 1024
    for name in ["KiB", "MiB", "GiB"] {
      let value = tenths(of: count, unit)
      // Rounding can reach the next unit: 1023.97 KiB is 1.0 MiB.
      if value < 10240 { return "\(decimal(value, places: 1)) \(name)" }
      unit *= 1024
    }
    return "\(decimal(tenths(of: count, unit), places: 1)) TiB"
  }

  /// A span of time: "0.84 s", "12.3 s", "2 min 05 s" or "1 h 02 min".
  package static func duration(_ duration: Duration) -> String {
    let hundredths = max(0, rounded(duration, toPartsOfSecond: 100))
    if hundredths < 1000 { return "\(decimal(hundredths, places: 2)) s" }
    let tenths = rounded(duration, toPartsOfSecond: 10)
    if tenths < 600 { return "\(decimal(tenths, places: 1)) s" }
    let seconds = rounded(duration, toPartsOfSecond: 1)
    if seconds < 3600 { return "\(seconds / 60) min \(twoDigits(seconds % 60)) s" }
    let minutes = (seconds + 30) / 60
    return "\(grouped(minutes / 60)) h \(twoDigits(minutes % 60)) min"
  }

  /// A span of time as a clock shows it: "0:04", "12:30" or "1:02:03".
  package static func clock(_ duration: Duration) -> String {
    let seconds = max(0, rounded(duration, toPartsOfSecond: 1))
    let tail = ":" + twoDigits(seconds % 60)
    if seconds < 3600 { return "\(seconds / 60)" + tail }
    return "\(seconds / 3600):" + twoDigits(seconds / 60 % 60) + tail
  }

  /// The number per second, to three digits: "151,000/s", "2.5/s".
  ///
  /// - Returns: The rate, or nil if no time passed.
  package static func rate(_ count: some BinaryInteger, in duration: Duration) -> String? {
    let seconds = duration / .seconds(1)
    let rate = Double(count) / seconds
    guard seconds > 0, count >= 0, rate < 1e15 else { return nil }
    if rate < 9.95 { return "\(decimal(Int64((rate * 10).rounded()), places: 1))/s" }
    var step = 1.0
    while rate / step >= 999.5 { step *= 10 }
    return "\(grouped(Int64((rate / step).rounded() * step)))/s"
  }

  /// The quotient in tenths, rounded, without the overflow that ten times the count could have.
  private static func tenths(of count: Int64, _ unit: Int64) -> Int64 {
    count / unit * 10 + (count % unit * 10 + unit / 2) / unit
  }

  /// A number of hundredths or tenths, with its point.
  private static func decimal(_ number: Int64, places: Int) -> String {
    let unit: Int64 = places == 2 ? 100 : 10
    let fraction = String(number % unit)
    return grouped(number / unit) + "." + String(repeating: "0", count: places - fraction.count) + fraction
  }

  private static func rounded(_ duration: Duration, toPartsOfSecond parts: Int64) -> Int64 {
    let (seconds, attoseconds) = duration.components
    let part = 1_000_000_000_000_000_000 / parts
    // Thirty million years are enough, and leave room for calculations.
    let reach: Int64 = 1_000_000_000_000_000
    return min(max(seconds, -reach), reach) * parts + (attoseconds + part / 2) / part
  }

  private static func twoDigits(_ number: Int64) -> String {
    number < 10 ? "0\(number)" : String(number)
  }
}
