extension BinaryScanner {
  /// The scalar at an offset, or nothing where a container lies there.
  func scalar(at offset: Int) throws(PropertyListError) -> PropertyList? {
    let marker = bytes[offset]
    switch marker {
    case 0x00: return .null
    case 0x08: return .boolean(false)
    case 0x09: return .boolean(true)
    case 0x10...0x14: return try integer(at: offset + 1, size: 1 << Int(marker & 0x0F))
    case 0x22: return .real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: try bits(at: offset + 1, size: 4)))))
    case 0x23: return .real(Double(bitPattern: try bits(at: offset + 1, size: 8)))
    case 0x33: return .date(Double(bitPattern: try bits(at: offset + 1, size: 8)))
    case 0x40...0x4F:
      let (count, start) = try count(at: offset)
      return .data(Array(try slice(at: start, count: count)))
    case 0x50...0x5F: return .string(try asciiString(at: offset))
    case 0x60...0x6F: return .string(try utf16String(at: offset))
    case 0x80...0x8F: return .uid(try uid(at: offset))
    case 0xA0...0xDF: return nil
    default: throw .unknownMarker(marker, offset: offset)
    }
  }

  /// Integers of up to four bytes have no sign, those of eight and sixteen do.
  private func integer(at offset: Int, size: Int) throws(PropertyListError) -> PropertyList {
    guard size == 16 else {
      let bits = try bits(at: offset, size: size)
      return .integer(Int64(bitPattern: bits))
    }
    let high = try bits(at: offset, size: 8)
    let low = try bits(at: offset + 8, size: 8)
    let value = Int128(truncatingIfNeeded: UInt128(high) << 64 | UInt128(low))
    return Int64(exactly: value).map { .integer($0) } ?? .wideInteger(value)
  }

  private func bits(at offset: Int, size: Int) throws(PropertyListError) -> UInt64 {
    try slice(at: offset, count: size).reduce(0) { $0 << 8 | UInt64($1) }
  }

  private func uid(at offset: Int) throws(PropertyListError) -> UInt64 {
    let size = Int(bytes[offset] & 0x0F) + 1
    let padding = max(0, size - 8)
    guard try slice(at: offset + 1, count: padding).allSatisfy({ $0 == 0 }) else { throw .badInteger(offset: offset) }
    return try bits(at: offset + 1 + padding, size: size - padding)
  }

  private func asciiString(at offset: Int) throws(PropertyListError) -> String {
    let (count, start) = try count(at: offset)
    let slice = try slice(at: start, count: count)
    guard slice.allSatisfy({ $0 < 0x80 }) else { throw .badString(offset: offset) }
    return String(decoding: slice, as: UTF8.self)
  }

  private func utf16String(at offset: Int) throws(PropertyListError) -> String {
    let (count, start) = try count(at: offset)
    let (length, overflow) = count.multipliedReportingOverflow(by: 2)
    guard !overflow else { throw .truncated(offset: offset) }
    let slice = try slice(at: start, count: length)
    let units = stride(from: slice.startIndex, to: slice.endIndex, by: 2)
      .map { UInt16(slice[$0]) << 8 | UInt16(slice[$0 + 1]) }
    // A lone surrogate has no UTF-8: replacing it would change the text without a word.
    guard let text = String(validating: units, as: UTF16.self) else { throw .badString(offset: offset) }
    return text
  }
}
