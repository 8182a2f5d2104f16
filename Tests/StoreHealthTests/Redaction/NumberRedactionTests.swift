import DataModel
import Testing

@testable import StoreHealth

@Suite("Redaction of numbers, dates and data")
struct NumberRedactionTests {
  private let redactor = Redactor(key: RedactionKey(5, 6), vocabulary: RedactionVocabulary())

  @Test func `Numbers keep their sign and length, and those of one digit stay`() {
    for value in [0, 1, 9, -7] as [Int64] { #expect(redactor.integer(value) == value) }
    for value in [10, -42, 4711, 1_600_000_000, 9_007_199_254_740_991, .max - 1, .min + 2] as [Int64] {
      let result = redactor.integer(value)
      #expect(String(result).count == String(value).count && result.signum() == value.signum(), "\(value) \(result)")
      #expect(result != value)
    }
  }

  @Test(arguments: [2, 3]) func `Numbers of a length are permuted`(digits: Int) {
    let range = (digits == 2 ? 10...99 : 100...999) as ClosedRange<Int64>
    #expect(range.map { redactor.integer($0) }.sorted() == Array(range))
  }

  @Test(arguments: [255, 32_767, 32_766, 65_535, 2_147_483_646, 9_007_199_254_740_992, Int64.max - 5])
  func `Numbers stay within the limits of their type`(value: Int64) {
    let limits: [Int64] = [255, 32_767, 65_535, 2_147_483_647, 9_007_199_254_740_992, .max]
    let limit = limits.first { $0 >= value }
    for offset in 0..<20 as Range<Int64> {
      let result = redactor.integer(value - offset)
      #expect(limit.map { result <= $0 } == true, "\(value - offset) \(result)")
    }
  }

  @Test(arguments: [Int64(Int16.max), Int64(Int16.min), Int64(Int32.max), Int64(Int32.min), .max, .min])
  func `The extremes of types stay, and no number becomes one`(extreme: Int64) {
    #expect(redactor.integer(extreme) == extreme)
  }

  @Test func `Numbers within a model's limits stay within, and others outside`() {
    let isAllowed = { (number: Double) in number >= 18 && number <= 65 }
    let limits = NumberLimits(AttributeValidation(minimum: .integer(18), maximum: .integer(65)))
    let results = (10...99 as ClosedRange<Int64>).map { ($0, redactor.integer($0, limits)) }
    for (value, result) in results {
      #expect(isAllowed(Double(value)) == isAllowed(Double(result)), "\(value) \(result)")
    }
    #expect(Set(results.map(\.1)).count == 90)
    #expect(results.allSatisfy { $0.0 != $0.1 })
    #expect(isAllowed(redactor.real(20.25, limits)))
  }

  @Test func `Numbers stay different and change, however few of their length a model allows`() {
    let limits = NumberLimits(AttributeValidation(minimum: .integer(1_000_000), maximum: .integer(1_000_010)))
    let numbers = Array((999_900...1_000_100) as ClosedRange<Int64>)
    let results = numbers.map { redactor.integer($0, limits) }
    #expect(Set(results).count == numbers.count)
    for (number, result) in zip(numbers, results) {
      #expect(result != number && limits?.side(Double(number)) == limits?.side(Double(result)), "\(number) \(result)")
    }
    let fractions = Set((0..<600).map { redactor.real(1_000_000 + Double($0) / 64, limits) })
    #expect(fractions.count == 600)
  }

  @Test func `Fractions keep their size and number of digits`() {
    for value in [12.5, -0.00123, 3.14159, 1.5e300, 123_456_789.25] {
      let result = redactor.real(value)
      #expect(result != value && result.sign == value.sign)
      #expect("\(result)".count == "\(value)".count, "\(value) \(result)")
    }
    for value in [0, -0.0, 0.5, 3, 100, .infinity, -.infinity] { #expect(redactor.real(value) == value) }
    for value in [Double.greatestFiniteMagnitude, -Double(Float.greatestFiniteMagnitude)] {
      #expect(redactor.real(value) == value)
    }
    for step in 0..<20 as Range<Int> { #expect(redactor.real(1.1e308 + Double(step) * 1.25e304).isFinite, "\(step)") }
    let results = Set((1001...1999).map { redactor.real(Double($0) / 8) })
    #expect(results.count == 999)
  }

  @Test func `All dates move by the same whole days, and the ends of time stay`() {
    let seconds = Double(redactor.dayOffset) * 86_400
    for date in [0, 700_000_000.25, -978_307_200] { #expect(redactor.date(date) == date + seconds) }
    #expect(redactor.date(Int64(700_000_000)) == 700_000_000 + redactor.dayOffset * 86_400)
    for end in [-63_114_076_800, 64_092_211_200] as [Double] { #expect(redactor.date(end) == end) }
    #expect(redactor.date(Int64.min) == .min)
  }

  private static let heads: [([UInt8], Int)] = [
    (Array("bplist00".utf8), 8), (Array("%PDF-1.7".utf8), 8),
    (Array("GIF89a".utf8) + [64, 1, 200, 0, 0, 0, 0, 0x2C], 10),
    (
      [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
        + [0, 0, 0, 1, 0, 0, 0, 1, 8, 6, 0, 0, 0, 0x1F, 0x15, 0xC4, 0x89], 33
    ),
    (
      Array("RIFF".utf8) + [81, 0, 0, 0] + Array("WEBPVP8X".utf8) + [10, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0], 30
    ),
    (Array("BM".utf8) + [89, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 8, 0, 0, 0, 8, 0, 0, 0, 1, 0, 24, 0], 26),
    ([0, 0, 0, 24] + Array("ftypheic".utf8), 12),
  ]

  @Test(arguments: [
    ("BM", "W of a person, plate 4711", 0), ("\u{89}PNG\r\n\u{1A}\n", "Jonathan P", 8),
    ("RIFF1234WEBP", "Jonathan Percival", 0),
    ("GIF89a", "Jonathan Percival", 6), ("GIF8", "4711 Jonathan Percival", 0),
    ("\u{FF}\u{D8}\u{FF}", "Jonathan Percival", 2),
    ("Joseftyp", "heic Jonathan Percival", 0), ("%PDF-", "Jonathan Percival", 5),
    ("RIFF", "Jonathan Percival and more of it", 0),
  ])
  func `Text that begins as a picture does keeps no more than the words of the format`(
    head: String, text: String, count: Int
  ) {
    let original = (head + text).unicodeScalars.map { UInt8($0.value) } + [UInt8](repeating: 0x41, count: 16)
    let redacted = redactor.data(original)
    #expect(redacted.count == original.count && redacted[..<count] == original[..<count])
    #expect(redacted[count...].allSatisfy { (0x80...0xBF).contains($0) }, "\(head)")
  }

  @Test(arguments: heads) func `Data become noise of their length, after the first bytes of a known format`(
    head: [UInt8], count: Int
  ) {
    let original = head + Array("some secret words of a person, and forty more bytes of them".utf8)
    let redacted = redactor.data(original)
    #expect(redacted.count == original.count)
    #expect(redacted[..<count] == original[..<count])
    // No byte of the noise begins a character.
    #expect(redacted[count...].allSatisfy { (0x80...0xBF).contains($0) })
    #expect(redactor.data(original) == redacted)
    #expect(redactor.data(original + [0]) != redacted + [0])
  }

  @Test func `A JPEG keeps the size of its picture, and not the place where it was taken`() {
    let place = Array("GPS 52.5200 13.4050".utf8)
    let frame: [UInt8] = [0xFF, 0xC0, 0, 11, 8, 1, 224, 2, 128, 1, 1, 0x11, 0]
    let original: [UInt8] =
      [0xFF, 0xD8, 0xFF, 0xE1, 0, UInt8(place.count + 2)] + place + frame + [0xFF, 0xDA, 0, 2, 1, 2, 3, 0xFF, 0xD9]
    let redacted = redactor.data(original)
    #expect(redacted[..<6] == original[..<6])
    #expect(redacted[6..<(6 + place.count)].allSatisfy { $0 >= 0x80 })
    #expect(redacted[(6 + place.count)..<(6 + place.count + 9)].elementsEqual(frame.prefix(9)))
  }

  @Test func `Short data stay different`() {
    #expect(Set((0...255 as ClosedRange<UInt8>).map { redactor.data([$0]) }).count == 256)
    let pairs = (0..<1000).map { (number: Int) -> [UInt8] in
      redactor.data([UInt8(number >> 8), UInt8(number & 255), 7])
    }
    #expect(Set(pairs).count == 1000)
    #expect(redactor.data([]) == [])
  }

  @Test func `Data that are little more than the head of a format stay different`() {
    let images = (0..<200).map { redactor.data([0x42, 0x4D] + [UInt8](repeating: 0, count: 24) + [UInt8($0)]) }
    #expect(Set(images).count == 200)
  }

  @Test func `Data without the form of an attribute in files do not get it`() {
    let values = (0...255 as ClosedRange<UInt8>).map { redactor.externalValue([$0]) }
    #expect(Set(values).count == 256)
    #expect(values.count { $0[0] == 1 } == 1)
  }
}
