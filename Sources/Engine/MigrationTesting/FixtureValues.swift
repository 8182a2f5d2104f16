internal import DataModel
internal import Foundation

/// Random numbers for fixtures, the same for the same seed.
struct FixtureRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }
}

/// The values that an attribute may have: the odd ones first, so that few rows have them all.
struct FixtureValues {
  private let attribute: AttributeDescription
  /// Texts that match the attribute's pattern; `nil` without one.
  private var texts: [String]?
  /// The reason why no value is known to be within the limits.
  let impossibleLimit: LimitFault?

  /// - Parameter textCount: The greatest number of different texts that are wanted of a pattern.
  init(_ attribute: AttributeDescription, textCount: Int) {
    self.attribute = attribute
    impossibleLimit = attribute.limitFaults.first(where: \.isImpossible)
    guard attribute.type == .string, let expression = attribute.validation.regularExpression else { return }
    let pattern = PatternText(expression)
    texts = pattern?.texts(max(1, textCount), lengths: leastLength...max(leastLength, mostLength)) ?? []
    if texts?.isEmpty == true, case .string(let text)? = attribute.defaultValue, pattern?.matches(text) == true {
      texts = [text]
    }
  }

  /// The pattern for which no text was found, although there must be a value.
  var unmatchedPattern: String? {
    texts?.isEmpty == true && !attribute.isOptional ? attribute.validation.regularExpression : nil
  }

  /// The least number of different values for instances that must differ.
  var capacity: Int {
    switch attribute.type {
    case .integer16, .integer32, .integer64, .decimal:
      if let grid { return grid.count }
      let (low, high) = range
      let (size, isHuge) = high.subtractingReportingOverflow(low)
      return isHuge || size >= Int64(Self.unlimited) ? Self.unlimited : Int(max(0, size + 1))
    case .double, .float, .date:
      return grid?.count ?? Self.unlimited
    case .boolean: return 2
    case .string:
      if let texts { return texts.isEmpty ? Self.unlimited : texts.count }
      guard mostLength < Self.longestNumber else { return Self.unlimited }
      return (0..<mostLength).reduce(1) { count, _ in count * Self.radix }
    case .binaryData, .transformable, .uuid, .uri: return Self.unlimited
    case .undefined, .objectID, .composite: return 1
    }
  }

  private static let unlimited = 1 << 40
  private static let radix = 36
  /// A text of as many digits has more values than are needed.
  private static let longestNumber = 8
  private static let usualDecimal: Int64 = 1_000_000_000
  /// The number of values between two limits.
  fileprivate static let realSteps = 1 << 20

  /// The value of an instance.
  func value(at index: Int, _ random: inout FixtureRandom) -> AttributeValue? {
    if attribute.isOptional, index % 4 == 3 || impossibleLimit != nil { return nil }
    switch attribute.type {
    case .integer16, .integer32, .integer64, .decimal: return number(integer(index, &random))
    case .boolean: return .boolean(index.isMultiple(of: 2))
    case .double:
      return .double(real(index, [0, -0.0, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 0.1], &random))
    case .float: return .double(real(index, [0, Double(Float.greatestFiniteMagnitude), 0.5, -1.5], &random))
    case .date: return .date(real(index, [0, -978_307_200, 4_102_444_800, 0.125], &random))
    case .string:
      if let texts { return texts.isEmpty ? nil : .string(texts[index % texts.count]) }
      return .string(fitted(text(index, &random)))
    case .binaryData, .transformable: return .data(bytes(index, &random))
    case .uuid: return .uuid((0..<16).map { _ in UInt8.random(in: 0...255, using: &random) })
    case .uri: return .uri("https://example.com/\(index)?q=\(random.below(9))")
    case .undefined, .objectID, .composite: return nil
    }
  }

  /// A value that no other number gives, as far as there are as many.
  func uniqueValue(_ number: Int) -> AttributeValue? {
    switch attribute.type {
    case .integer16, .integer32, .integer64, .decimal:
      if let grid { return .double(grid.value(number)) }
      let (low, high) = range
      let start = min(max(low, 0), high)
      let (above, isOver) = start.addingReportingOverflow(Int64(number))
      if !isOver, above <= high { return self.number(above) }
      return self.number(low &+ (Int64(number) &- (high &- start) &- 1))
    case .boolean: return .boolean(number.isMultiple(of: 2))
    case .double, .float: return .double(uniqueReal(number))
    case .date: return .date(uniqueReal(number))
    case .string:
      if let texts { return texts.isEmpty ? nil : .string(texts[number % texts.count]) }
      let plain = "unique \(number)"
      if plain.utf16.count <= mostLength { return .string(fitted(plain)) }
      let digits = String(number, radix: Self.radix)
      let width = max(leastLength, min(mostLength, Self.longestNumber))
      return .string(String(repeating: "0", count: max(0, width - digits.count)) + digits)
    case .binaryData, .transformable:
      return .data((0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * (7 - $0))) })
    case .uuid: return .uuid((0..<16).map { $0 < 8 ? 0xAB : UInt8(truncatingIfNeeded: number >> (8 * (15 - $0))) })
    case .uri: return .uri("https://example.com/\(number)")
    case .undefined, .objectID, .composite: return nil
    }
  }

  // MARK: - Numbers

  /// The whole numbers between the attribute's limits.
  private var range: (low: Int64, high: Int64) {
    let bounds: ClosedRange<Int64> =
      switch attribute.type {
      case .integer16: Int64(Int16.min)...Int64(Int16.max)
      case .integer32: Int64(Int32.min)...Int64(Int32.max)
      case .integer64, .decimal, .undefined, .double, .float, .string, .boolean, .date, .binaryData, .uuid, .uri,
        .transformable,
        .objectID, .composite:
        .min ... .max
      }
    let least = attribute.validation.minimum?.number.map { $0.rounded(.up).clamped(to: bounds) } ?? bounds.lowerBound
    let most = attribute.validation.maximum?.number.map { $0.rounded(.down).clamped(to: bounds) } ?? bounds.upperBound
    guard attribute.type == .decimal else { return (least, most) }
    // Without limits, numbers that a Double has exactly.
    return (max(least, min(-Self.usualDecimal, most)), min(most, max(Self.usualDecimal, least)))
  }

  private func number(_ integer: Int64) -> AttributeValue {
    // Between limits such as 0.1 and 0.9 there is no whole number.
    let (low, high) = range
    if attribute.type == .decimal, low > high, let least = attribute.validation.minimum?.number {
      return .double(least)
    }
    return .integer(integer)
  }

  private func integer(_ index: Int, _ random: inout FixtureRandom) -> Int64 {
    let (low, high) = range
    guard low <= high else { return low }
    switch index {
    case 0: return low
    case 1: return high
    case 2: return min(max(0, low), high)
    default: return Int64.random(in: min(max(-1000, low), high)...min(max(1000, low), high), using: &random)
    }
  }

  /// The limits, as far as the attribute has them: those of a Float are the nearest ones within that a Float can be.
  private var limits: (low: Double?, high: Double?) {
    let (low, high) = (attribute.validation.minimum?.number, attribute.validation.maximum?.number)
    guard attribute.type == .float else { return (low, high) }
    return (
      low.map { limit in
        let float = Float(limit)
        return Double(Double(float) < limit ? float.nextUp : float)
      },
      high.map { limit in
        let float = Float(limit)
        return Double(Double(float) > limit ? float.nextDown : float)
      }
    )
  }

  /// Different values between both limits of real numbers, or of decimal ones between which few whole numbers are.
  private var grid: RealGrid? {
    guard case (let low?, let high?) = limits, (high - low).isFinite else { return nil }
    switch attribute.type {
    case .decimal: return high - low < Double(Self.realSteps) ? RealGrid(low, high, perUnit: 1_000_000) : nil
    case .float:
      return RealGrid(low, high, perUnit: 1 / Double(Float(max(abs(low), abs(high))).ulp))
    case .double, .date: return RealGrid(low, high, perUnit: 1 / max(abs(low), abs(high)).ulp)
    case .undefined, .integer16, .integer32, .integer64, .string, .boolean, .binaryData, .uuid, .uri, .transformable,
      .objectID, .composite:
      return nil
    }
  }

  /// Numbers at equal distances, each of which is exact in its type.
  private struct RealGrid {
    private let low: Double
    private let first: Double
    private let stride: Double
    private let perUnit: Double
    let count: Int

    init(_ low: Double, _ high: Double, perUnit: Double) {
      (self.low, self.perUnit) = (low, perUnit)
      first = (low * perUnit).rounded(.up)
      let places = (high * perUnit).rounded(.down) - first
      // Numbers that are too small to divide by have no grid.
      let isUsable = perUnit.isFinite && first.isFinite && places >= 0
      stride = isUsable ? max(1, (places / Double(FixtureValues.realSteps)).rounded(.down)) : 1
      count = isUsable ? min(FixtureValues.realSteps, Int(places / stride) + 1) : 1
    }

    func value(_ number: Int) -> Double { count > 1 ? (first + Double(number) * stride) / perUnit : low }
  }

  private func real(_ index: Int, _ odd: [Double], _ random: inout FixtureRandom) -> Double {
    // Eighths read the same as text and as numbers.
    let value = index < odd.count ? odd[index] : Double(Int.random(in: -9999...9999, using: &random)) / 8
    let (low, high) = limits
    return min(max(value, low ?? -.infinity), high ?? .infinity)
  }

  private func uniqueReal(_ number: Int) -> Double {
    if let grid { return grid.value(number) }
    return switch limits {
    case (let low?, nil): low + Double(number)
    case (nil, let high?): high - Double(number)
    default: Double(number)
    }
  }

  // MARK: - Texts and bytes

  private static let texts = [
    "", "plain", "Ünïcödé e\u{301}", "日本語のテキスト", "مرحبا بالعالم", "👩‍👩‍👧‍👦🏳️‍🌈", "line\nbreak\ttab", "'quotes\" and \\",
    " spaces ",
    "\u{0}zero", "\u{FEFF}mark", "NULL", "%s%n", "<a>&amp;</a>", "\u{1F600}\u{10FFFD}",
  ]

  /// A length is of UTF-16 units, as Core Data counts.
  private var leastLength: Int { length(attribute.validation.minimum) ?? 0 }
  private var mostLength: Int { length(attribute.validation.maximum) ?? .max }

  private func length(_ limit: AttributeValue?) -> Int? {
    limit?.number.map { Int($0.clamped(to: 0...Int64(1 << 24))) }
  }

  private func text(_ index: Int, _ random: inout FixtureRandom) -> String {
    index < Self.texts.count
      ? Self.texts[index]
      : index == Self.texts.count ? String(repeating: "long ", count: 4000) : "text \(random.below(1_000_000))"
  }

  private func fitted(_ text: String) -> String {
    var (fitted, length) = ("", 0)
    for character in text {
      guard length + character.utf16.count <= mostLength else { break }
      fitted.append(character)
      length += character.utf16.count
    }
    return fitted + String(repeating: "x", count: max(0, leastLength - length))
  }

  private func bytes(_ index: Int, _ random: inout FixtureRandom) -> [UInt8] {
    let count = index == 0 ? 0 : index == 1 ? 1 : index == 2 ? 200_000 : random.below(200)
    return (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ index) }
  }
}

extension Double {
  /// The whole number nearest to it in a range; the least one if it is none.
  fileprivate func clamped(to range: ClosedRange<Int64>) -> Int64 {
    if self >= Double(range.upperBound) { return range.upperBound }
    return self > Double(range.lowerBound) ? Int64(self) : range.lowerBound
  }
}
