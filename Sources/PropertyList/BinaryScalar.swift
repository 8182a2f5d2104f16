/// How single values are written in a binary property list.
enum BinaryScalar {
  static func bytes(of value: PropertyList) -> [UInt8] {
    switch value {
    case .null: [0x00]
    case .boolean(let value): [value ? 0x09 : 0x08]
    case .integer(let value): integer(value)
    case .wideInteger(let value): wideInteger(value)
    case .real(let value): number(0x23, value.bitPattern, size: 8)
    case .date(let value): number(0x33, value.bitPattern, size: 8)
    case .data(let bytes): head(0x40, count: bytes.count) + bytes
    case .string(let text): string(text)
    case .uid(let value): uid(value)
    case .array, .dictionary: []
    }
  }

  /// A marker with the number of the elements that follow it.
  static func head(_ marker: UInt8, count: Int) -> [UInt8] {
    count < 15 ? [marker | UInt8(count)] : [marker | 0x0F] + integer(Int64(count))
  }

  /// The shortest form; negative numbers always take eight bytes.
  private static func integer(_ value: Int64) -> [UInt8] {
    switch value {
    case 0..<(1 << 8): number(0x10, value, size: 1)
    case 0..<(1 << 16): number(0x11, value, size: 2)
    case 0..<(1 << 32): number(0x12, value, size: 4)
    default: number(0x13, value, size: 8)
    }
  }

  private static func wideInteger(_ value: Int128) -> [UInt8] {
    Int64(exactly: value).map { integer($0) } ?? number(0x14, value, size: 16)
  }

  private static func uid(_ value: UInt64) -> [UInt8] {
    let size = value < 1 << 8 ? 1 : value < 1 << 16 ? 2 : value < 1 << 32 ? 4 : 8
    return number(0x80 | UInt8(size - 1), value, size: size)
  }

  private static func string(_ text: String) -> [UInt8] {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return head(0x50, count: text.utf8.count) + Array(text.utf8) }
    var bytes = head(0x60, count: text.utf16.count)
    for unit in text.utf16 { bytes.append(unit, size: 2) }
    return bytes
  }

  private static func number(_ marker: UInt8, _ value: some FixedWidthInteger, size: Int) -> [UInt8] {
    var bytes = [marker]
    bytes.append(value, size: size)
    return bytes
  }
}
