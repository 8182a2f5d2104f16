import DataModel
import TestSupport

/// Values of all types.
enum RandomValue {
  static let types: [AttributeType] = [
    .integer16, .integer32, .integer64, .decimal, .double, .float, .string, .boolean, .date, .binaryData, .uuid, .uri,
    .transformable,
  ]

  /// What new instances have.
  static func standard(_ type: AttributeType) -> AttributeValue? {
    switch type {
    case .integer16, .integer32, .integer64: .integer(41)
    case .decimal, .double, .float: .double(2.5)
    case .string: .string("it's \u{C5}")
    case .boolean: .boolean(true)
    case .date: .date(1_000_000.5)
    case .binaryData, .transformable: .data([1, 2])
    case .uuid: .uuid(Array(1...16))
    case .uri: .uri("http://x/é")
    case .undefined, .objectID, .composite: nil
    }
  }

  /// Returns a value as it is interpreted, which for external data differs from how it is stored.
  static func random(_ type: AttributeType, _ random: inout SeededGenerator) -> Cell {
    switch type {
    case .integer16: .integer(random.pick(0, 7, -32768, 32767))
    case .integer32: .integer(random.pick(0, -1, 2_147_483_647, 16_777_217))
    case .integer64: .integer(random.pick(0, .max, .min, 9_007_199_254_740_993))
    case .boolean: .integer(random.pick(0, 1))
    case .decimal, .double: .real(random.pick(0, 1.25, 0.1, -1e300, 12_345_678_901_234))
    case .float: .real(random.pick(0, 0.5, -1.25))
    case .date: .real(random.pick(0, 1.5, -978_307_200, 700_000_000.25))
    case .string, .uri: .text(random.pick("", "plain", "ünï 'q' \"d\"", "😀", "7", "A\u{30A}", "a\0b"))
    case .binaryData, .transformable:
      .blob(random.pick([], [1], [0, 255, 127], [2, 2], Array(repeating: 7, count: 300)))
    case .uuid: .blob(random.pick(Array(1...16), Array(repeating: 0, count: 16)))
    case .undefined, .objectID, .composite: .null
    }
  }
}

extension Cell {
  /// Returns a default value as a column stores it.
  init(_ value: AttributeValue?) {
    self =
      switch value {
      case nil: .null
      case .integer(let integer): .integer(integer)
      case .double(let real), .date(let real): .real(real)
      case .boolean(let boolean): .integer(boolean ? 1 : 0)
      case .string(let text), .uri(let text): .text(text)
      case .data(let bytes), .uuid(let bytes): .blob(bytes)
      }
  }

  /// Returns the value as the type's kind of number, whatever its column stored.
  ///
  /// SQLite does not store -0.0.
  func normal(_ type: AttributeType) -> Cell {
    switch type {
    case .double, .float, .decimal, .date: number.map { .real($0 + 0) } ?? self
    default: self
    }
  }
}
