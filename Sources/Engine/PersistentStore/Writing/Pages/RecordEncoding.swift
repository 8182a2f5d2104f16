// SQLite's encoding of numbers in records and cells (sqlite.org/fileformat2.html). It writes through pointers because it
// runs millions of times.

/// The types of integers in the header of a record.
enum SerialType {
  /// The type of an integer, and the number of its bytes.
  @inline(__always)
  static func of(_ value: Int64) -> (type: UInt8, size: Int) {
    let magnitude = UInt64(bitPattern: value < 0 ? ~value : value)
    if magnitude <= 0x7F {
      // 0 and 1 have their own types and no bytes.
      return value == 0 ? (8, 0) : value == 1 ? (9, 0) : (1, 1)
    }
    if magnitude <= 0x7FFF { return (2, 2) }
    if magnitude <= 0x7F_FFFF { return (3, 3) }
    if magnitude <= 0x7FFF_FFFF { return (4, 4) }
    if magnitude <= 0x7FFF_FFFF_FFFF { return (5, 6) }
    return (6, 8)
  }

  /// The number of bytes of a value that is neither text nor a blob.
  @inline(__always)
  static func size(of type: UInt64) -> Int {
    switch type {
    case 1...4: Int(type)
    case 5: 6
    case 6, 7: 8
    default: 0
    }
  }
}

/// Integers of one to nine bytes.
enum VariableInteger {
  /// The number of bytes of an integer below 2⁵⁶.
  @inline(__always)
  static func size(of value: UInt64) -> Int { value < 0x80 ? 1 : (64 - value.leadingZeroBitCount + 6) / 7 }

  /// Writes an integer and returns the number of its bytes.
  @inline(__always)
  static func write(_ value: UInt64, to bytes: UnsafeMutableRawPointer) -> Int {
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
    let size = size(of: value)
    for place in 0..<size {
      let bits = value >> UInt64(7 * (size - 1 - place)) & 0x7F
      bytes.storeBytes(of: UInt8(bits) | (place == size - 1 ? 0 : 0x80), toByteOffset: place, as: UInt8.self)
    }
    return size
  }
}
