/// A limit of an attribute's value that cannot be kept, or is none.
package enum LimitFault: Sendable, Hashable {
  /// One of the two limits.
  package enum Side: String, Sendable, Hashable, CaseIterable {
    case minimum, maximum
  }

  /// The text of a limit is not a number.
  case unreadable(Side, text: String)
  /// No value of the type is within the limits, which the text names.
  case unreachable(limits: String)
  /// The limit is not a value of the type.
  case unfit(Side, limit: String, type: AttributeType)
}

extension LimitFault {
  /// Whether no value is known that keeps the limits.
  package var isImpossible: Bool {
    switch self {
    case .unreadable, .unreachable: true
    case .unfit: false
    }
  }

  /// The stable name of the finding.
  package var id: String {
    switch self {
    case .unreachable: "unreachable-limits"
    case .unreadable, .unfit: "unusable-limit"
    }
  }

  /// The problem, as part of a sentence.
  package var problem: String {
    switch self {
    case .unreadable(let side, let text): "its \(side.rawValue) '\(text)' is not a number"
    case .unreachable(let limits): "no number of its type is between its minimum and its maximum (\(limits))"
    case .unfit(let side, let limit, let type): "its \(side.rawValue) \(limit) is not a value of \(type.xmlName)"
    }
  }
}

extension AttributeDescription {
  /// The limits that do not do what their author meant.
  package var limitFaults: [LimitFault] {
    guard type.limit != nil else { return [] }
    let unreadable = LimitFault.Side.allCases.compactMap { side in
      unreadableLimit(side).map { LimitFault.unreadable(side, text: $0) }
    }
    if hasUnreachableLimits {
      let limits = LimitFault.Side.allCases.compactMap { side in
        validation[side]?.xcodeText.map { "\(side.rawValue) \($0)" }
      }
      return unreadable + [.unreachable(limits: ([type.xmlName] + limits).joined(separator: ", "))]
    }
    let unfit = LimitFault.Side.allCases.compactMap { side -> LimitFault? in
      guard let limit = validation[side], let text = limit.xcodeText, !type.holds(limit) else { return nil }
      return .unfit(side, limit: text, type: type)
    }
    return unreadable + unfit
  }

  /// The model's text for a limit, if it is not a number.
  private func unreadableLimit(_ side: LimitFault.Side) -> String? {
    guard validation[side] == nil, let text = editorAttributes[type.limitTextName(side)] else { return nil }
    return text.isEmpty ? nil : text
  }

  /// Whether no value of the type is between the limits.
  private var hasUnreachableLimits: Bool {
    guard let bounds = type.bounds else { return false }
    let (least, most) = (
      validation.minimum?.number ?? bounds.lowerBound, validation.maximum?.number ?? bounds.upperBound
    )
    guard least.isFinite, most.isFinite else { return true }
    // As a Double, a whole number of more than 53 bits is another one.
    if type.isWhole { return wholeRange == nil }
    return !(least <= most && least <= bounds.upperBound && most >= bounds.lowerBound)
  }

  /// The whole numbers within the limits, of 64 bits or of a smaller type; `nil` if there are none.
  package var wholeRange: ClosedRange<Int64>? {
    var (least, most) = (type.wholeBounds.lowerBound, type.wholeBounds.upperBound)
    if let limit = validation.minimum, let number = limit.number {
      if let whole = limit.whole(.up) { least = max(least, whole) } else if number > 0 { return nil }
    }
    if let limit = validation.maximum, let number = limit.number {
      if let whole = limit.whole(.down) { most = min(most, whole) } else if number < 0 { return nil }
    }
    return least <= most ? least...most : nil
  }
}

extension AttributeValidation {
  fileprivate subscript(side: LimitFault.Side) -> AttributeValue? { side == .minimum ? minimum : maximum }
}

extension AttributeType {
  /// Xcode's name for a limit of this type.
  func limitTextName(_ side: LimitFault.Side) -> String {
    (side == .minimum ? "min" : "max") + (self == .date ? "DateTimeInterval" : "ValueString")
  }

  fileprivate var isWhole: Bool { [.integer16, .integer32, .integer64].contains(self) }

  /// The whole numbers of the type: those of 64 bits if it has more.
  fileprivate var wholeBounds: ClosedRange<Int64> {
    if self == .integer16 { return Int64(Int16.min)...Int64(Int16.max) }
    return self == .integer32 ? Int64(Int32.min)...Int64(Int32.max) : Int64.min...Int64.max
  }

  /// The least and the greatest number of the type; `nil` if it is not one of numbers.
  fileprivate var bounds: ClosedRange<Double>? {
    switch self {
    case .integer16: Double(Int16.min)...Double(Int16.max)
    case .integer32: Double(Int32.min)...Double(Int32.max)
    // The next number below 2^63.
    case .integer64: Double(Int64.min)...Double(Int64.max).nextDown
    case .float: -Double(Float.greatestFiniteMagnitude)...Double(Float.greatestFiniteMagnitude)
    case .decimal, .double, .date: -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude
    case .undefined, .string, .boolean, .binaryData, .uuid, .uri, .transformable, .objectID, .composite: nil
    }
  }

  /// Whether a limit is a value of the type, or, for texts, a length.
  fileprivate func holds(_ limit: AttributeValue) -> Bool {
    guard let number = limit.number else { return true }
    if self == .string { return number >= 0 && number == number.rounded() }
    guard let bounds else { return true }
    // A Double cannot tell the greatest whole number from the one after it.
    if case .integer = limit, self == .integer64 { return true }
    return bounds.contains(number) && (!isWhole || number == number.rounded())
  }
}

extension AttributeValue {
  /// The number of a limit.
  package var number: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .double(let double), .date(let double): double
    case .string(let text): Double(text)
    case .boolean, .data, .uuid, .uri: nil
    }
  }

  /// The whole number next to a limit on one of its sides, or the limit itself; `nil` if 64 bits do not hold it.
  fileprivate func whole(_ rule: FloatingPointRoundingRule) -> Int64? {
    if case .integer(let integer) = self { return integer }
    return number.flatMap { Int64(exactly: $0.rounded(rule)) }
  }
}
