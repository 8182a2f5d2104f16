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
  ///   - isAllowed: Whether a number keeps a rule. One that keeps it is replaced by one that does, and the others by others.
  func replaceDigits(endsInDigit: Bool = false, _ isAllowed: ((UInt64) -> Bool)? = nil) {
    let digits = cipher.values
    guard digits.count > 1 else { return }
    let beginsWithZero = digits[0] == 0
    let number = beginsWithZero ? nil : Self.number(digits)
    if let number, Self.extremes.contains(number) { return }
    let rank = number.map { Self.rank($0, digits.count) }
    let keepsRule = number.flatMap { isAllowed?($0) }
    cipher.sizes = [Int32](repeating: 10, count: digits.count)
    cipher.sizes[0] = beginsWithZero ? 1 : 9
    if !beginsWithZero { cipher.values[0] -= 1 }
    // To go on until a number fits keeps different numbers different: each chain leads through all that do not.
    for _ in 0..<10_000 {
      cipher.advance()
      var found = cipher.values
      if !beginsWithZero { found[0] += 1 }
      let other = number == nil ? nil : Self.number(found)
      let fits =
        other.map { other in
          !Self.extremes.contains(other) && Self.rank(other, digits.count) == rank && isAllowed?(other) == keepsRule
        } ?? true
      guard fits, !endsInDigit || found.last != 0 else { continue }
      return cipher.values = found
    }
    cipher.values = digits
  }

  private static func number(_ digits: [Int32]) -> UInt64? {
    guard digits.count <= 19 else { return nil }
    return digits.reduce(0) { $0 * 10 + UInt64($1) }
  }

  private static func rank(_ number: UInt64, _ count: Int) -> Int {
    limits[count]?.count { $0 <= number } ?? 0
  }

  /// Replaces the digits of a part of a value.
  func appendDigits(_ bytes: [UInt8], _ range: Range<Int>, to result: inout [UInt8]) {
    cipher.removeAll()
    for byte in bytes[range] {
      cipher.values.append(Int32(byte - 0x30))
      cipher.sizes.append(10)
    }
    replaceDigits()
    for value in cipher.values { result.append(0x30 + UInt8(truncatingIfNeeded: value)) }
  }

  /// Replaces an integer by another with as many digits.
  func integer(_ value: Int64, _ isAllowed: ((Double) -> Bool)? = nil) -> Int64 {
    let magnitude = value.magnitude
    guard magnitude > 9 else { return value }
    load(magnitude)
    let sign = value < 0 ? -1.0 : 1.0
    replaceDigits(isAllowed.map { isAllowed in { isAllowed(sign * Double($0)) } })
    guard let number = Self.number(cipher.values), let result = Int64(exactly: number) else { return value }
    return value < 0 ? -result : result
  }

  private func load(_ magnitude: UInt64) {
    cipher.removeAll()
    for byte in String(magnitude).utf8 {
      cipher.values.append(Int32(byte - 0x30))
      cipher.sizes.append(10)
    }
  }

  /// Replaces the significant digits of a number; its sign and size stay.
  func real(_ value: Double, _ isAllowed: ((Double) -> Bool)? = nil) -> Double {
    guard value.isFinite, value != 0, !Self.greatestFractions.contains(value.magnitude) else { return value }
    // More digits after `1e308` can be too many.
    let isAllowed = isAllowed ?? (value.magnitude < 1e308 ? nil : { $0.isFinite })
    let text = Array("\(value.magnitude)".utf8)
    let digits = text.prefix { $0 != UInt8(ascii: "e") }.indices.filter { Self.isDigit(text[$0]) }
    // Zeros before and after the others say only how large it is.
    guard let first = digits.firstIndex(where: { text[$0] != 0x30 }),
      let last = digits.lastIndex(where: { text[$0] != 0x30 }), last > first
    else { return value }
    let places = digits[first...last]
    cipher.removeAll()
    for place in places {
      cipher.values.append(Int32(text[place] - 0x30))
      cipher.sizes.append(10)
    }
    func number(_ values: [Int32]) -> Double? {
      var changed = text
      for (place, value) in zip(places, values) { changed[place] = 0x30 + UInt8(truncatingIfNeeded: value) }
      return Double(String(decoding: changed, as: UTF8.self)).map { value < 0 ? -$0 : $0 }
    }
    replaceDigits(
      endsInDigit: true,
      isAllowed.map { isAllowed in
        { magnitude in number(String(magnitude).utf8.map { Int32($0 - 0x30) }).map(isAllowed) ?? false }
      })
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
    return seconds + Double(dayOffset) * Self.day
  }

  /// Moves a date that is stored as an integer.
  func date(_ seconds: Int64) -> Int64 {
    guard !Self.distantDates.contains(Double(seconds)) else { return seconds }
    let (moved, isOverflowing) = seconds.addingReportingOverflow(dayOffset * 86_400)
    return isOverflowing ? seconds : moved
  }

  /// Moves a date such as `2024-01-31`, possibly with a time, which stays.
  func isoDate(_ bytes: [UInt8], _ place: Int, _ end: Int) -> (text: [UInt8], end: Int)? {
    func number(_ offset: Int, _ count: Int) -> Int? {
      guard place + offset + count <= end else { return nil }
      var value = 0
      for byte in bytes[(place + offset)..<(place + offset + count)] {
        guard Self.isDigit(byte) else { return nil }
        value = value * 10 + Int(byte - 0x30)
      }
      return value
    }
    guard let year = number(0, 4), let month = number(5, 2), let day = number(8, 2), place + 10 <= end,
      bytes[place + 4] == UInt8(ascii: "-"), bytes[place + 7] == UInt8(ascii: "-"), 1...12 ~= month, year > 0,
      1...GregorianDay.count(inMonth: month, of: year) ~= day
    else { return nil }
    guard let end = Self.timeEnd(bytes, place + 10, end) else { return nil }
    let days = Int64(GregorianDay.daysSince2001(year: year, month: month, day: day)) + 11_323 + dayOffset
    let moved = GregorianDay.date(daysSince1970: days)
    guard 1...9999 ~= moved.year else { return nil }
    var text: [UInt8] = []
    for (value, digits) in [(moved.year, 4), (moved.month, 2), (moved.day, 2)] {
      if !text.isEmpty { text.append(UInt8(ascii: "-")) }
      let number = String(value)
      text += Array(String(repeating: "0", count: digits - number.utf8.count).utf8) + Array(number.utf8)
    }
    return (text + bytes[(place + 10)..<end], end)
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
