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
  /// The attribute that they are of.
  let attribute: AttributeDescription
  /// The place of the attribute among those of its entity whose values are alike: the values of a row differ by it, so
  /// that two attributes whose values are swapped are noticed.
  private let ordinal: Int
  /// Whether a value may be missing: the elements of a composite are missing all at once, because Swift's types rarely
  /// say of one alone that it may be.
  private let isOptional: Bool
  /// The only values that the app can read, such as the raw values of an enumeration.
  private let choices: [AttributeValue]?
  /// Texts that match the attribute's pattern; `nil` without one.
  private var texts: [String]?
  /// The reason why no value is known to be within the limits.
  let impossibleLimit: LimitFault?

  /// - Parameters:
  ///   - composite: The composite attribute that the attribute is an element of.
  ///   - textCount: The greatest number of different texts that are wanted of a pattern.
  init(_ attribute: AttributeDescription, of composite: AttributeDescription?, ordinal: Int, textCount: Int) {
    (self.attribute, self.ordinal) = (attribute, ordinal)
    isOptional = composite?.isOptional ?? attribute.isOptional
    choices = FixtureChoices.all(of: attribute)
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
    if let choices { return choices.count }
    switch attribute.type {
    case .integer16, .integer32, .integer64, .decimal:
      if let grid { return grid.count }
      guard let range else { return 1 }
      let (size, isHuge) = range.upperBound.subtractingReportingOverflow(range.lowerBound)
      return isHuge || size >= Int64(Self.unlimited) ? Self.unlimited : Int(size) + 1
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

  /// The value of an instance, which may be that of another attribute, too.
  func value(at index: Int, _ random: inout FixtureRandom) -> AttributeValue? {
    if isOptional && index % 4 == 3 || attribute.isOptional && impossibleLimit != nil { return nil }
    if let choices { return choices[(index + ordinal) % choices.count] }
    switch attribute.type {
    case .integer16, .integer32, .integer64, .decimal: return integer(index, &random)
    case .boolean:
      // The first few differ from each other within eight rows.
      return .boolean(ordinal < 6 ? ((index >> (ordinal / 2)) + ordinal).isMultiple(of: 2) : random.below(2) == 0)
    case .double:
      return .double(real(index, [0, .greatestFiniteMagnitude, -0.0, .leastNonzeroMagnitude, 0.1], &random))
    case .float: return .double(real(index, [0, Double(Float.greatestFiniteMagnitude), 0.5, -1.5], &random))
    case .date: return .date(real(index, [0, -978_307_200, 4_102_444_800, 0.125], &random))
    case .string:
      if let texts { return texts.isEmpty ? nil : .string(texts[(index + ordinal) % texts.count]) }
      return .string(fitted(text(index, &random)))
    case .binaryData, .transformable: return .data(bytes(index, &random))
    case .uuid: return .uuid((0..<16).map { _ in UInt8.random(in: 0...255, using: &random) })
    case .uri: return .uri("https://example.com/\(index)?q=\(random.below(9))")
    case .undefined, .objectID, .composite: return nil
    }
  }

  /// A value that no other number gives, as far as there are as many.
  func uniqueValue(_ number: Int) -> AttributeValue? {
    guard impossibleLimit == nil else { return nil }
    let number = (number + ordinal) % max(1, capacity)
    if let choices { return choices[number] }
    switch attribute.type {
    case .integer16, .integer32, .integer64, .decimal:
      if let grid { return .double(grid.value(number)) }
      guard let range else { return lowest }
      let (low, high) = (range.lowerBound, range.upperBound)
      let start = min(max(low, 0), high)
      let (above, isOver) = start.addingReportingOverflow(Int64(number))
      if !isOver, above <= high { return .integer(above) }
      return .integer(low &+ (Int64(number) &- (high &- start) &- 1))
    case .boolean: return .boolean(number.isMultiple(of: 2))
    case .double, .float: return .double(uniqueReal(number))
    case .date: return .date(uniqueReal(number))
    case .string:
      if let texts { return texts.isEmpty ? nil : .string(texts[number % texts.count]) }
      let plain = "unique \(number)"
      if plain.utf16.count <= mostLength { return .string(fitted(plain)) }
      let digits = String(number, radix: Self.radix)
      let width = max(leastLength, min(mostLength, Self.longestNumber))
      let text = String(repeating: "0", count: max(0, width - digits.count)) + digits
      return .string(String(text.suffix(mostLength)))
    case .binaryData, .transformable:
      return .data((0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * (7 - $0))) })
    case .uuid: return .uuid((0..<16).map { $0 < 8 ? 0xAB : UInt8(truncatingIfNeeded: number >> (8 * (15 - $0))) })
    case .uri: return .uri("https://example.com/\(number)")
    case .undefined, .objectID, .composite: return nil
    }
  }

  // MARK: - Numbers

  /// The whole numbers within the attribute's limits; `nil` if there are none, as between 0.1 and 0.9.
  private var range: ClosedRange<Int64>? {
    guard let range = attribute.wholeRange, attribute.type == .decimal else { return attribute.wholeRange }
    // Without limits, numbers that a Double has exactly.
    let (below, isBelow) = range.upperBound.subtractingReportingOverflow(Self.usualDecimal)
    let (above, isAbove) = range.lowerBound.addingReportingOverflow(Self.usualDecimal)
    let low = max(range.lowerBound, isBelow ? .min : min(-Self.usualDecimal, below))
    return low...min(range.upperBound, isAbove ? .max : max(Self.usualDecimal, above))
  }

  /// The lower limit, where no whole number is within both.
  private var lowest: AttributeValue? { attribute.validation.minimum?.number.map { .double($0) } }

  private func integer(_ index: Int, _ random: inout FixtureRandom) -> AttributeValue? {
    guard let range else { return lowest }
    let (low, high) = (range.lowerBound, range.upperBound)
    if let corner = corner(index, of: 3) { return .integer([low, high, min(max(0, low), high)][corner]) }
    return .integer(Int64.random(in: min(max(-1000, low), high)...min(max(1000, low), high), using: &random))
  }

  /// Which of the odd values an instance has; `nil` if it has a usual one.
  ///
  /// Of attributes that are alike, each begins with another one, and those for which none is left begin later. Every
  /// fourth value of an optional attribute is missing, so what begins later begins behind such a one.
  private func corner(_ index: Int, of count: Int) -> Int? {
    let place = index - ordinal / count * ((count + 3) / 4 * 4)
    return (0..<count).contains(place) ? (place + ordinal) % count : nil
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
    case .decimal:
      // A Double has no millionths of greater numbers.
      let isFine = high - low < Double(Self.realSteps) && max(abs(low), abs(high)) <= Double(Self.usualDecimal)
      return isFine ? RealGrid(low, high, perUnit: 1_000_000) : nil
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
    let value =
      corner(index, of: odd.count).map { odd[$0] } ?? Double(Int.random(in: -9999...9999, using: &random)) / 8
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
    guard let corner = corner(index, of: Self.texts.count + 1) else { return "text \(random.below(1_000_000))" }
    return corner < Self.texts.count ? Self.texts[corner] : String(repeating: "long ", count: 4000)
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
    let count = corner(index, of: 3).map { [0, 1, 200_000][$0] } ?? random.below(200)
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
