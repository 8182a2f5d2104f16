import DataModel

/// A value during the evaluation of an expression.
enum PlainValue: Equatable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case real(Double)
  case text(String)
  /// A value that is only copied: a date, data, a UUID or a URL.
  case other(Cell, AttributeType)

  /// A value that is undefined or that no attribute can hold.
  struct Failure: Error {}

  /// The value of an attribute.
  init(_ cell: Cell, _ type: AttributeType) {
    switch (cell, type) {
    case (.null, _): self = .null
    case (.integer(let integer), .boolean): self = .boolean(integer != 0)
    case (.integer(let integer), _): self = .integer(integer)
    case (.real(let real), .double), (.real(let real), .float), (.real(let real), .decimal): self = .real(real)
    case (.text(let bytes), .string): self = .text(String(decoding: bytes, as: UTF8.self))
    default: self = .other(cell, type)
    }
  }

  /// Returns the value after conversion to an attribute's type.
  func cell(_ type: AttributeType) throws(Failure) -> Cell {
    switch (self, type) {
    case (.null, _): return .null
    case (.text(let text), .string): return .text(text)
    case (.other(let cell, let own), _):
      // Data are passed on whatever they contain.
      let isData = [own, type].allSatisfy { $0 == .binaryData || $0 == .transformable }
      guard own == type || isData else { throw Failure() }
      return cell
    case (_, .integer16): return .integer(Int64(try whole(Int16.self)))
    case (_, .integer32): return .integer(Int64(try whole(Int32.self)))
    case (_, .integer64): return .integer(try whole(Int64.self))
    case (_, .boolean): return .integer(try number() == 0 ? 0 : 1)
    case (_, .float): return .real(Double(Float(try number())))
    case (_, .double), (_, .decimal): return .real(try number())
    default: throw Failure()
    }
  }

  private func whole<Whole: FixedWidthInteger>(_ kind: Whole.Type) throws(Failure) -> Whole {
    let found: Whole? =
      switch integer {
      case let integer?: Whole(exactly: integer)
      case nil: Whole(exactly: try number().rounded(.towardZero))
      }
    guard let found else { throw Failure() }
    return found
  }

  /// A whole number or a truth value.
  var integer: Int64? {
    switch self {
    case .boolean(let boolean): boolean ? 1 : 0
    case .integer(let integer): integer
    default: nil
    }
  }

  func number() throws(Failure) -> Double {
    if case .real(let real) = self { return real }
    guard let integer else { throw Failure() }
    return Double(integer)
  }
}
