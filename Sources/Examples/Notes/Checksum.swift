/// The checksums that PNG and zlib want.
enum Checksum {
  /// The one of PNG's chunks (ISO 3309).
  static func crc32(_ bytes: [UInt8]) -> UInt32 {
    var remainder: UInt32 = ~0
    for byte in bytes {
      remainder ^= UInt32(byte)
      for _ in 0..<8 { remainder = remainder & 1 == 1 ? remainder >> 1 ^ 0xEDB8_8320 : remainder >> 1 }
    }
    return ~remainder
  }

  /// The one of zlib (RFC 1950).
  static func adler32(_ bytes: [UInt8]) -> UInt32 {
    var (low, high): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
      low = (low + UInt32(byte)) % 65521
      high = (high + low) % 65521
    }
    return high << 16 | low
  }
}
