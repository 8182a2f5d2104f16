/// The encoding of integers in records and cells of a database file.
///
/// Written for one caller, the tree of a join table's links: a record has two or three integers, so that it always fits
/// its page. It writes through a pointer, because it runs some millions of times.
struct IntegerRecord {
  var first: Int64
  var second: Int64
  /// Not there in the record of a table's row.
  var third: Int64?

  /// The bytes of the longest record: a header of a size and three types, and three integers.
  static let maximumSize = 4 + 3 * 8

  /// Writes the record, and gives its size.
  @inline(__always)
  func write(to bytes: UnsafeMutableRawPointer) -> Int {
    var end = third == nil ? 3 : 4
    bytes.storeBytes(of: UInt8(end), as: UInt8.self)
    Self.write(first, type: 1, to: bytes, &end)
    Self.write(second, type: 2, to: bytes, &end)
    if let third { Self.write(third, type: 3, to: bytes, &end) }
    return end
  }

  @inline(__always)
  private static func write(_ value: Int64, type place: Int, to bytes: UnsafeMutableRawPointer, _ end: inout Int) {
    let (type, size) = serialType(of: value)
    bytes.storeBytes(of: type, toByteOffset: place, as: UInt8.self)
    var shift = size * 8
    while shift > 0 {
      shift -= 8
      bytes.storeBytes(of: UInt8(truncatingIfNeeded: value >> Int64(shift)), toByteOffset: end, as: UInt8.self)
      end += 1
    }
  }

  /// The serial type of an integer, and the number of its bytes.
  @inline(__always)
  private static func serialType(of value: Int64) -> (type: UInt8, size: Int) {
    let magnitude = UInt64(bitPattern: value < 0 ? ~value : value)
    if magnitude <= 0x7F {
      // 0 and 1 have types of their own, and no bytes.
      return value == 0 ? (8, 0) : value == 1 ? (9, 0) : (1, 1)
    }
    if magnitude <= 0x7FFF { return (2, 2) }
    if magnitude <= 0x7F_FFFF { return (3, 3) }
    if magnitude <= 0x7FFF_FFFF { return (4, 4) }
    if magnitude <= 0x7FFF_FFFF_FFFF { return (5, 6) }
    return (6, 8)
  }

  /// Writes a variable-length integer, and gives its size.
  @inline(__always)
  static func writeVariable(_ value: UInt64, to bytes: UnsafeMutableRawPointer) -> Int {
    if value < 0x80 {
      bytes.storeBytes(of: UInt8(truncatingIfNeeded: value), as: UInt8.self)
      return 1
    }
    // Nine bytes hold eight bits in the last one; all others seven, the greatest first.
    guard value >> 56 == 0 else {
      var rest = value >> 8
      bytes.storeBytes(of: UInt8(truncatingIfNeeded: value), toByteOffset: 8, as: UInt8.self)
      for place in stride(from: 7, through: 0, by: -1) {
        bytes.storeBytes(of: UInt8(truncatingIfNeeded: rest & 0x7F | 0x80), toByteOffset: place, as: UInt8.self)
        rest >>= 7
      }
      return 9
    }
    let size = (64 - value.leadingZeroBitCount + 6) / 7
    for place in 0..<size {
      let bits = value >> UInt64(7 * (size - 1 - place)) & 0x7F
      bytes.storeBytes(of: UInt8(bits) | (place == size - 1 ? 0 : 0x80), toByteOffset: place, as: UInt8.self)
    }
    return size
  }
}
