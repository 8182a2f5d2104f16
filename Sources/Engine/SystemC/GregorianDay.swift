/// Counts the days of the Gregorian calendar, also before it was in use.
///
/// The C library's `timegm` counts leap seconds too where the time zone does (`TZ=right/UTC`).
package enum GregorianDay {
  /// The days from the first of January 2001 to a date, by the algorithm of Howard Hinnant's `days_from_civil`.
  package static func daysSince2001(year: Int, month: Int, day: Int) -> Int {
    // Years begin in March, so that the leap day is last.
    let year = month <= 2 ? year - 1 : year
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468 - 11_323
  }

  /// The number of days of a month.
  package static func count(inMonth month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
