/// Lays out a value as a binary property list.
///
/// Objects are numbered as by Apple's writer: a container before its elements, the keys of a dictionary before its
/// values. Equal scalars are written once; containers are never shared.
struct BinaryWriter {
  private enum Object {
    case scalar([UInt8])
    case array([Int])
    case dictionary(keys: [Int], values: [Int])
  }

  private var objects: [Object] = []
  /// The numbers of the scalars, by their encoded bytes, which also distinguish types.
  private var numbers: [[UInt8]: Int] = [:]

  /// The bytes of a whole property list.
  static func bytes(of value: PropertyList) -> [UInt8] {
    var writer = BinaryWriter()
    _ = writer.add(value)
    return writer.serialized()
  }

  private mutating func add(_ value: PropertyList) -> Int {
    switch value {
    case .array(let elements):
      let number = addPlaceholder()
      objects[number] = .array(elements.map { add($0) })
      return number
    case .dictionary(let dictionary):
      let number = addPlaceholder()
      let keys = dictionary.pairs.map { add(.string($0.key)) }
      objects[number] = .dictionary(keys: keys, values: dictionary.pairs.map { add($0.value) })
      return number
    default:
      let bytes = BinaryScalar.bytes(of: value)
      if let number = numbers[bytes] { return number }
      let number = objects.count
      objects.append(.scalar(bytes))
      numbers[bytes] = number
      return number
    }
  }

  private mutating func addPlaceholder() -> Int {
    objects.append(.array([]))
    return objects.count - 1
  }

  private func serialized() -> [UInt8] {
    let referenceSize = Self.byteCount(objects.count)
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    for object in objects {
      offsets.append(bytes.count)
      switch object {
      case .scalar(let scalar): bytes += scalar
      case .array(let elements):
        bytes += BinaryScalar.head(0xA0, count: elements.count)
        for element in elements { bytes.append(element, size: referenceSize) }
      case .dictionary(let keys, let values):
        bytes += BinaryScalar.head(0xD0, count: keys.count)
        for reference in keys + values { bytes.append(reference, size: referenceSize) }
      }
    }
    let tableOffset = bytes.count
    let offsetSize = Self.byteCount(tableOffset)
    for offset in offsets { bytes.append(offset, size: offsetSize) }
    bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
    for number in [objects.count, 0, tableOffset] { bytes.append(number, size: 8) }
    return bytes
  }

  /// The smallest of the sizes 1, 2, 4 and 8 that holds a number.
  private static func byteCount(_ number: Int) -> Int {
    number < 1 << 8 ? 1 : number < 1 << 16 ? 2 : number < 1 << 32 ? 4 : 8
  }
}

extension [UInt8] {
  /// Appends the lowest bytes of a number, the most significant first.
  mutating func append(_ number: some FixedWidthInteger, size: Int) {
    for place in stride(from: (size - 1) * 8, through: 0, by: -8) {
      append(UInt8(truncatingIfNeeded: number >> place))
    }
  }
}

/// Encodes scalars of a binary property list.
private enum BinaryScalar {
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

  /// A marker with the number of elements.
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
