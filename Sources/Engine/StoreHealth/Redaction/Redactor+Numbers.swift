internal import SystemC

extension Redactor {
  /// The limits that numbers of so many digits do not cross: those of bytes and of integers with 16, 32, 53 and 64 bits.
  private static let limits: [Int: [UInt64]] = [
    3: [256], 5: [1 << 15, 1 << 16], 10: [1 << 31, 1 << 32], 16: [1 << 53 + 1], 19: [1 << 63],
  ]

  /// The greatest and least numbers of a type, by which programs mean that there is none.
  private static let extremes: Set<UInt64> = [
    1 << 15 - 1, 1 << 15, 1 << 31 - 1, 1 << 31, 1 << 32 - 1, 1 << 63 - 1, 1 << 63,
  ]

  /// The same of fractions.
  private static let greatestFractions: Set<Double> = [
    .greatestFiniteMagnitude, Double(Float.greatestFiniteMagnitude),
  ]

  /// Replaces the digits in the cipher, which are a number of as many digits.
  ///
  /// A number of one digit stays: it is a choice, a rating or a truth value more often than a secret. So does the zero that
  /// a number begins with.
  ///
  /// - Parameters:
  ///   - endsInDigit: Whether the last digit must not be zero, as of a fraction.
  ///   - side: On which side of a rule's limits a number is. It is replaced by one on the same side.
  func replaceDigits(endsInDigit: Bool = false, _ side: ((UInt64) -> Int)? = nil) {
    let digits = cipher.values
    guard digits.count > 1 else { return }
    guard digits[0] > 0, let number = Self.number(digits) else { return replaceLongDigits(digits) }
    guard !Self.extremes.contains(number) else { return }
    let range = Self.range(of: number, digits.count, side)
    var other = number
    repeat {
      other =
        range.lowerBound
        + cipher.replaced(
          other - range.lowerBound, below: range.upperBound - range.lowerBound + 1, name: range.lowerBound)
    } while Self.extremes.contains(other) || endsInDigit && other % 10 == 0
    cipher.values = Self.digits(other)
  }

  /// Replaces digits that are no number of 64 bits, or begin with a zero.
  private func replaceLongDigits(_ digits: [Int32]) {
    let first = digits[0]
    cipher.sizes = [Int32](repeating: 10, count: digits.count)
    cipher.sizes[0] = first == 0 ? 1 : 9
    if first > 0 { cipher.values[0] -= 1 }
    cipher.replace(alphabet: letters.name(LetterTable.asciiDigits))
    if first > 0 { cipher.values[0] += 1 }
  }

  /// The numbers by one of which a number is replaced: as long, and on the same side of all limits.
  private static func range(of number: UInt64, _ count: Int, _ side: ((UInt64) -> Int)?) -> ClosedRange<UInt64> {
    var lowest: UInt64 = 1
    for _ in 1..<count { lowest *= 10 }
    var highest = lowest * 9 + (lowest - 1)
    for limit in limits[count] ?? [] {
      if limit <= number { lowest = max(lowest, limit) } else { highest = min(highest, limit - 1) }
    }
    guard let side else { return lowest...highest }
    let own = side(number)
    var last = number
    while lowest < last {
      let middle = lowest + (last - lowest) / 2
      if side(middle) == own { last = middle } else { lowest = middle + 1 }
    }
    var first = number
    while first < highest {
      let middle = highest - (highest - first) / 2
      if side(middle) == own { first = middle } else { highest = middle - 1 }
    }
    return lowest...highest
  }

  private static func digits(_ number: UInt64) -> [Int32] { String(number).utf8.map { Int32($0) - 0x30 } }

  private static func number(_ digits: [Int32]) -> UInt64? {
    guard digits.count <= 19 else { return nil }
    return digits.reduce(0) { $0 * 10 + UInt64($1) }
  }

  /// Replaces the digits of a part of a value.
  func appendDigits(_ bytes: [UInt8], _ range: Range<Int>, to result: inout [UInt8]) {
    cipher.values = bytes[range].map { Int32($0) - 0x30 }
    replaceDigits()
    for value in cipher.values { result.append(0x30 + UInt8(truncatingIfNeeded: value)) }
  }

  /// Replaces an integer by another with as many digits.
  func integer(_ value: Int64, _ limits: NumberLimits? = nil) -> Int64 {
    let magnitude = value.magnitude
    guard magnitude > 9 else { return value }
    cipher.values = Self.digits(magnitude)
    let sign = value < 0 ? -1.0 : 1.0
    replaceDigits(limits.map { limits in { limits.side(sign * Double($0)) } })
    guard let number = Self.number(cipher.values), let result = Int64(exactly: number) else { return value }
    return value < 0 ? -result : result
  }

  /// Replaces the significant digits of a number; its sign and size stay.
  func real(_ value: Double, _ limits: NumberLimits? = nil) -> Double {
    guard value.isFinite, value != 0, !Self.greatestFractions.contains(value.magnitude) else { return value }
    let text = Array("\(value.magnitude)".utf8)
    let digits = text.prefix { $0 != UInt8(ascii: "e") }.indices.filter { Self.isDigit(text[$0]) }
    // Zeros before and after the others say only how large it is.
    guard let first = digits.firstIndex(where: { text[$0] != 0x30 }),
      let last = digits.lastIndex(where: { text[$0] != 0x30 }), last > first
    else { return value }
    let places = digits[first...last]
    cipher.values = places.map { Int32(text[$0]) - 0x30 }
    func number(_ values: [Int32]) -> Double? {
      var changed = text
      for (place, value) in zip(places, values) { changed[place] = 0x30 + UInt8(truncatingIfNeeded: value) }
      return Double(String(decoding: changed, as: UTF8.self)).map { value < 0 ? -$0 : $0 }
    }
    func side(_ magnitude: UInt64) -> Int {
      // More digits after `1e308` can be too many.
      guard let number = number(Self.digits(magnitude)), number.isFinite else { return 2 }
      return limits?.side(number) ?? 0
    }
    replaceDigits(endsInDigit: true, limits == nil && value.magnitude < 1e308 ? nil : side)
    return number(cipher.values) ?? value
  }

  // MARK: - Dates

  /// The number of seconds of a day.
  private static let day = 86_400.0

  /// The first and last date of Foundation, by which apps mean that there is none.
  private static let distantDates: Set<Double> = [-63_114_076_800, 64_092_211_200]

  /// Moves a date, in seconds since some moment, by the secret number of days.
  func date(_ seconds: Double) -> Double {
    guard seconds.isFinite, !Self.distantDates.contains(seconds) else { return seconds }
    let moved = seconds + Double(dayOffset) * Self.day
    // One that would become an end goes to where that end would go.
    return Self.distantDates.contains(moved) ? moved + Double(dayOffset) * Self.day : moved
  }

  /// Moves a date that is stored as an integer.
  func date(_ seconds: Int64) -> Int64 {
    guard !Self.distantDates.contains(Double(seconds)) else { return seconds }
    let (moved, isOverflowing) = seconds.addingReportingOverflow(dayOffset * 86_400)
    if isOverflowing { return seconds }
    return Self.distantDates.contains(Double(moved)) ? moved + dayOffset * 86_400 : moved
  }

  /// Moves a date such as `2024-01-31`, possibly with a time, which stays.
  ///
  /// One that does not exist, such as `2024-02-30`, becomes another that does not.
  func isoDate(_ bytes: [UInt8], _ place: Int, _ end: Int) -> (text: [UInt8], end: Int)? {
    let parts = [place..<(place + 4), (place + 5)..<(place + 7), (place + 8)..<(place + 10)]
    guard place + 10 <= end, bytes[place + 4] == UInt8(ascii: "-"), bytes[place + 7] == UInt8(ascii: "-"),
      parts.allSatisfy({ bytes[$0].allSatisfy(Self.isDigit) }), let end = Self.timeEnd(bytes, place + 10, end)
    else { return nil }
    var date = Array(bytes[place..<(place + 10)])
    if let days = Self.days(date) {
      date = Self.isoText(daysSince1970: Self.moved(days, by: dayOffset))
    } else {
      repeat {
        let last = date
        date.removeAll(keepingCapacity: true)
        for part in [0..<4, 5..<7, 8..<10] {
          if !date.isEmpty { date.append(UInt8(ascii: "-")) }
          appendDigits(last, part, to: &date)
        }
      } while Self.days(date) != nil
    }
    return (date + bytes[(place + 10)..<end], end)
  }

  /// The days since 1970 of a date in digits; `nil` if it does not exist.
  private static func days(_ date: [UInt8]) -> Int64? {
    func number(_ range: Range<Int>) -> Int { date[range].reduce(0) { $0 * 10 + Int($1) - 0x30 } }
    let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
    guard 1...12 ~= month, year > 0, 1...GregorianDay.count(inMonth: month, of: year) ~= day else { return nil }
    return Int64(GregorianDay.daysSince2001(year: year, month: month, day: day)) + 11_323
  }

  /// Moves a day within the years of four digits: those before the first come back as the last.
  private static func moved(_ days: Int64, by offset: Int64) -> Int64 {
    let first: Int64 = -719_162
    let count: Int64 = 3_652_059
    let place = (days - first + offset) % count
    return first + (place < 0 ? place + count : place)
  }

  private static func isoText(daysSince1970 days: Int64) -> [UInt8] {
    let date = GregorianDay.date(daysSince1970: days)
    var text: [UInt8] = []
    for (value, digits) in [(date.year, 4), (date.month, 2), (date.day, 2)] {
      if !text.isEmpty { text.append(UInt8(ascii: "-")) }
      let number = String(value)
      text += Array(String(repeating: "0", count: digits - number.utf8.count).utf8) + Array(number.utf8)
    }
    return text
  }

  /// The end of the time after a date; the same place if there is none, and `nil` if a date does not end there.
  private static func timeEnd(_ bytes: [UInt8], _ place: Int, _ end: Int) -> Int? {
    guard place < end, isWordByte(bytes[place]) || bytes[place] == UInt8(ascii: " ") else { return place }
    func hasDigits(_ place: Int) -> Bool { place + 2 <= end && isDigit(bytes[place]) && isDigit(bytes[place + 1]) }
    guard bytes[place] | 0x20 == UInt8(ascii: "t") || bytes[place] == UInt8(ascii: " "), hasDigits(place + 1),
      place + 3 < end, bytes[place + 3] == UInt8(ascii: ":"), hasDigits(place + 4)
    else { return bytes[place] == UInt8(ascii: " ") ? place : nil }
    var next = place + 6
    while next < end,
      isDigit(bytes[next]) || ":.,".utf8.contains(bytes[next]) && next + 1 < end && isDigit(bytes[next + 1])
    { next += 1 }
    if next + 1 < end, bytes[next] == UInt8(ascii: " "), "+-".utf8.contains(bytes[next + 1]), hasDigits(next + 2) {
      next += 1
    }
    if next < end, bytes[next] | 0x20 == UInt8(ascii: "z") {
      next += 1
    } else if next < end, "+-".utf8.contains(bytes[next]), hasDigits(next + 1) {
      next += 3
      if next < end, bytes[next] == UInt8(ascii: ":"), hasDigits(next + 1) { next += 1 }
      if hasDigits(next) { next += 2 }
    }
    return next < end && isWordByte(bytes[next]) ? nil : next
  }

  // MARK: - UUIDs

  /// Replaces a UUID by another of the same version.
  func uuid(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count == 16, bytes.contains(where: { $0 != 0 }), bytes.contains(where: { $0 != 0xFF }) else {
      return bytes
    }
    var hash = KeyedHash(key, .uuid)
    bytes.withUnsafeBytes { hash.combine($0) }
    var stream = KeyStream(hash)
    var result: [UInt8] = []
    for number in [stream.next(), stream.next()] {
      for place in 0..<8 { result.append(UInt8(truncatingIfNeeded: number >> UInt64(place * 8))) }
    }
    result[6] = result[6] & 0x0F | bytes[6] & 0xF0
    result[8] = result[8] & 0x3F | bytes[8] & 0xC0
    return result
  }

  /// Replaces the text of a UUID, if there is one at a place.
  func uuidText(_ bytes: [UInt8], _ place: Int, _ end: Int) -> [UInt8]? {
    guard place + 36 <= end, place + 36 == end || !Self.isWordByte(bytes[place + 36]) else { return nil }
    var value: [UInt8] = []
    var (high, isUppercase): (UInt8?, Bool) = (nil, false)
    for (index, byte) in bytes[place..<(place + 36)].enumerated() {
      if [8, 13, 18, 23].contains(index) {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      guard let digit = Self.hexDigit(byte) else { return nil }
      if 0x41...0x46 ~= byte { isUppercase = true }
      if let first = high {
        value.append(first << 4 | UInt8(digit))
        high = nil
      } else {
        high = UInt8(digit)
      }
    }
    var result: [UInt8] = []
    for (index, byte) in uuid(value).enumerated() {
      if [4, 6, 8, 10].contains(index) { result.append(UInt8(ascii: "-")) }
      Self.appendHex(UInt32(byte), digits: 2, isUppercase: isUppercase, to: &result)
    }
    return result
  }
}
