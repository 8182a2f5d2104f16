/// A type whose values a column keeps as they are.
protocol PlainValue {
  /// The value of a column; `nil` if the column has none, or one of another kind.
  init?(wire: WireValue)
  var wire: WireValue { get }
}

extension PlainValue where Self: BinaryInteger {
  init?(wire: WireValue) {
    guard case .integer(let number) = wire else { return nil }
    self.init(truncatingIfNeeded: number)
  }

  var wire: WireValue { .integer(Int64(truncatingIfNeeded: self)) }
}

extension Int: PlainValue {}
extension Int64: PlainValue {}
extension Int32: PlainValue {}
extension Int16: PlainValue {}
extension Int8: PlainValue {}
extension UInt: PlainValue {}
extension UInt64: PlainValue {}
extension UInt32: PlainValue {}
extension UInt16: PlainValue {}
extension UInt8: PlainValue {}

extension PlainValue where Self: BinaryFloatingPoint {
  init?(wire: WireValue) {
    switch wire {
    case .double(let number): self.init(number)
    case .integer(let number): self.init(number)
    default: return nil
    }
  }

  var wire: WireValue { .double(Double(self)) }
}

extension Double: PlainValue {}
extension Float: PlainValue {}
extension CGFloat: PlainValue {}

extension Bool: PlainValue {
  init?(wire: WireValue) {
    switch wire {
    case .boolean(let flag): self = flag
    case .integer(let number): self = number != 0
    default: return nil
    }
  }

  var wire: WireValue { .boolean(self) }
}

extension Decimal: PlainValue {
  init?(wire: WireValue) {
    switch wire {
    case .integer(let number): self.init(number)
    // The digits of the number, not those of the binary fraction.
    case .double(let number): self.init(string: "\(number)")
    case .text(let digits): self.init(string: digits)
    default: return nil
    }
  }

  var wire: WireValue { .text(description) }
}

extension String: PlainValue {
  init?(wire: WireValue) {
    guard case .text(let text) = wire else { return nil }
    self = text
  }

  var wire: WireValue { .text(self) }
}

extension Character: PlainValue {
  init?(wire: WireValue) {
    guard case .text(let text) = wire, text.count == 1, let character = text.first else { return nil }
    self = character
  }

  var wire: WireValue { .text(String(self)) }
}

extension Date: PlainValue {
  init?(wire: WireValue) {
    guard case .date(let seconds) = wire else { return nil }
    self.init(timeIntervalSinceReferenceDate: seconds)
  }

  var wire: WireValue { .date(timeIntervalSinceReferenceDate) }
}

extension Data: PlainValue {
  init?(wire: WireValue) {
    guard case .data(let bytes) = wire else { return nil }
    self.init(bytes)
  }

  var wire: WireValue { .data(Array(self)) }
}

extension UUID: PlainValue {
  init?(wire: WireValue) {
    guard case .uuid(let bytes) = wire, bytes.count == 16 else { return nil }
    self.init(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
  }

  var wire: WireValue { .uuid(withUnsafeBytes(of: uuid) { Array($0) }) }
}

extension URL: PlainValue {
  init?(wire: WireValue) {
    guard case .url(let text) = wire else { return nil }
    self.init(string: text)
  }

  var wire: WireValue { .url(absoluteString) }
}

extension RawRepresentable {
  /// The value whose raw value a column has.
  static func value(_ wire: WireValue) -> Any? {
    guard let type = RawValue.self as? any PlainValue.Type, let raw = type.init(wire: wire) as? RawValue else {
      return nil
    }
    return Self(rawValue: raw)
  }

  var rawWire: WireValue { (rawValue as? any PlainValue)?.wire ?? .none }
}
