internal import Foundation
internal import SystemC

/// A property that Foundation's classes of values have, and that value expressions convert with: `$source.num.stringValue`.
///
/// The results are Foundation's: text that is not a number is 0, a fraction is cut off, and what no integer of the size
/// holds becomes the nearest one.
enum ValueConversion: String, CaseIterable {
  case description
  case stringValue
  case boolValue
  case charValue
  case shortValue
  case intValue
  case integerValue
  case longValue
  case longLongValue
  case unsignedCharValue
  case unsignedShortValue
  case unsignedIntValue
  case unsignedIntegerValue
  case unsignedLongValue
  case unsignedLongLongValue
  case floatValue
  case doubleValue
  case length
  case lowercaseString
  case uppercaseString
  case capitalizedString
  case timeIntervalSince1970
  case timeIntervalSinceReferenceDate
  case absoluteString
  case uuidString = "UUIDString"

  /// The property of a value, or `nil` if values of its class do not have it.
  ///
  /// - Throws: `EvaluationError` for the description of a date that no calendar has.
  func value(of value: ExpressionValue) throws(EvaluationError) -> ExpressionValue? {
    switch value {
    case .boolean, .integer, .real, .decimal: number(value)
    case .string(let text): self.text(text)
    case .date(let seconds): try date(seconds)
    case .data(let bytes): self == .length ? .integer(Int64(bytes.count)) : nil
    case .uuid(let uuid): [.description, .uuidString].contains(self) ? .string(uuid.description) : nil
    case .url(let text): [.description, .absoluteString].contains(self) ? .string(text) : nil
    case .null, .object, .collection, .dictionary: nil
    }
  }

  /// Of `NSNumber`.
  private func number(_ value: ExpressionValue) -> ExpressionValue? {
    switch self {
    case .description, .stringValue: Cast.text(value).map { .string($0) }
    default:
      switch value.number {
      case .integer(let number): converted(number)
      case .real(let number): converted(number)
      case .decimal(let number): converted(number.real)
      case nil: nil
      }
    }
  }

  /// Of `NSString`.
  private func text(_ text: String) -> ExpressionValue? {
    switch self {
    case .description: .string(text)
    case .length: .integer(Int64(text.utf16.count))
    case .lowercaseString: .string(text.lowercased())
    case .uppercaseString: .string(text.uppercased())
    case .capitalizedString: .string(text.capitalized)
    case .boolValue: .boolean(NumericText(text).isTrue)
    case .intValue, .integerValue, .longLongValue: converted(NumericText(text).integer)
    case .floatValue, .doubleValue: converted(NumericText(text).real)
    default: nil
    }
  }

  /// Of `NSDate`.
  private func date(_ seconds: Double) throws(EvaluationError) -> ExpressionValue? {
    switch self {
    case .timeIntervalSinceReferenceDate: return .real(seconds)
    case .timeIntervalSince1970: return .real(seconds + Date.timeIntervalBetween1970AndReferenceDate)
    case .description:
      guard let text = Self.dateText(seconds) else { throw .overflow(operation: rawValue) }
      return .string(text)
    default: return nil
    }
  }

  /// A date as NSDate describes it, of any year: Foundation's own text ends with the year 4000 on Linux.
  private static func dateText(_ seconds: Double) -> String? {
    let sinceEpoch = (seconds + Date.timeIntervalBetween1970AndReferenceDate).rounded(.down)
    guard let whole = Int64(exactly: sinceEpoch) else { return nil }
    let days = whole / 86_400 - (whole % 86_400 < 0 ? 1 : 0)
    let time = (whole % 86_400 + 86_400) % 86_400
    let (year, month, day) = GregorianDay.date(daysSince1970: days)
    func digits(_ number: Int64, _ width: Int = 2) -> String {
      let text = String(number.magnitude)
      return (number < 0 ? "-" : "") + String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }
    let clock = [time / 3600, time / 60 % 60, time % 60].map { digits($0) }.joined(separator: ":")
    return "\(digits(year, 4))-\(digits(month))-\(digits(day)) \(clock) +0000"
  }

  /// A whole number as another kind of number.
  private func converted(_ number: Int64) -> ExpressionValue? {
    switch self {
    case .boolValue: .boolean(number != 0)
    case .charValue: .integer(Int64(Int8(clamping: number)))
    case .shortValue: .integer(Int64(Int16(clamping: number)))
    case .intValue: .integer(Int64(Int32(clamping: number)))
    case .integerValue, .longValue, .longLongValue: .integer(number)
    case .unsignedCharValue: .integer(Int64(UInt8(clamping: number)))
    case .unsignedShortValue: .integer(Int64(UInt16(clamping: number)))
    case .unsignedIntValue: .integer(Int64(UInt32(clamping: number)))
    case .unsignedIntegerValue, .unsignedLongValue, .unsignedLongLongValue: .integer(max(0, number))
    case .floatValue: .real(Double(Float(number)))
    case .doubleValue: .real(Double(number))
    default: nil
    }
  }

  /// A real number as another kind of number.
  private func converted(_ number: Double) -> ExpressionValue? {
    switch self {
    case .boolValue: .boolean(number != 0)
    case .floatValue: .real(Double(Float(number)))
    case .doubleValue: .real(number)
    default:
      converted(Int64(exactly: number.rounded(.towardZero)) ?? (number.isNaN ? 0 : number < 0 ? .min : .max))
    }
  }
}

/// Text that `NSString` reads as a number: as much of its beginning as is one, after white space.
private struct NumericText {
  private let bytes: [UInt8]

  init(_ text: String) {
    bytes = Array(text.utf8.drop { $0 == 0x20 || (0x09...0x0D).contains($0) })
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private static func isSign(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") }

  /// The number of bytes of a sign at the beginning.
  private var signLength: Int { bytes.first.map(Self.isSign) == true ? 1 : 0 }

  private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  /// The whole number at the beginning, or the nearest one; 0 if there is none.
  var integer: Int64 {
    let digits = bytes[signLength...].prefix(while: Self.isDigit)
    guard !digits.isEmpty else { return 0 }
    return Int64(text(0..<digits.endIndex)) ?? (bytes.first == UInt8(ascii: "-") ? .min : .max)
  }

  /// The number at the beginning; 0 if there is none.
  var real: Double {
    var end = bytes[signLength...].prefix(while: Self.isDigit).endIndex
    var digits = end - signLength
    if end < bytes.count, bytes[end] == UInt8(ascii: ".") {
      let fraction = bytes[(end + 1)...].prefix(while: Self.isDigit)
      digits += fraction.count
      if !fraction.isEmpty { end = fraction.endIndex }
    }
    guard digits > 0 else { return 0 }
    let mantissa = text(signLength..<end)
    var exponent = ""
    if end < bytes.count, bytes[end] | 0x20 == UInt8(ascii: "e") {
      let sign = end + 1 < bytes.count && Self.isSign(bytes[end + 1]) ? 1 : 0
      let power = bytes[(end + 1 + sign)...].prefix(while: Self.isDigit)
      if !power.isEmpty { exponent = text(end..<power.endIndex) }
    }
    let number = Double((mantissa.hasPrefix(".") ? "0" : "") + mantissa + exponent) ?? 0
    return bytes.first == UInt8(ascii: "-") ? -number : number
  }

  /// Whether the text says yes: with Y, T or a digit other than 0 after a sign and zeros.
  var isTrue: Bool {
    guard let first = bytes[signLength...].first(where: { $0 != UInt8(ascii: "0") }) else { return false }
    return Array("YyTt123456789".utf8).contains(first)
  }
}

extension Expression {
  /// A call on a target; one that only reads a key of the target is a key path, as it could have been written.
  package static func call(_ target: Expression, _ selector: String, _ arguments: [Expression]) -> Expression {
    switch (selector, arguments.first) {
    case ("valueForKey:", .constant(.string(let key))?) where arguments.count == 1 && target.hasValues:
      return target.reading([.key(key)])
    case ("valueForKeyPath:", .constant(.string(let text))?) where arguments.count == 1 && target.hasValues:
      if let path = [KeyPathComponent](keyPath: text) { return target.reading(path) }
    case (_, nil) where selector == "self" && target.hasValues || ValueConversion(rawValue: selector) != nil:
      return target.reading([.key(selector)])
    default: break
    }
    return .function(target: target, selector: selector, arguments: arguments)
  }

  /// Whether keys can be read here: the objects of a migration have functions instead.
  private var hasValues: Bool {
    switch self {
    case .variable("manager"), .variable("entityPolicy"): false
    default: true
    }
  }

  private func reading(_ path: [KeyPathComponent]) -> Expression {
    guard case .keyPath(let operand, let start) = self else { return .keyPath(self, path) }
    return .keyPath(operand, start + path)
  }
}
