internal import DataModel

/// A small generated picture, in any of three formats.
struct SamplePicture {
  /// At least 1, and at most 65535.
  let width: Int
  let height: Int

  /// Black and white stripes (w3.org/TR/png-3).
  var png: [UInt8] {
    let row = [0] + [UInt8](repeating: 0xF0, count: (width + 7) / 8)
    let rows = (0..<height).flatMap { _ in row }
    // One bit per pixel, grey, deflate, no interlace.
    let header = bytes(width, 4) + bytes(height, 4) + [1, 0, 0, 0, 0]
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
      + chunk("IHDR", header) + chunk("IDAT", Self.stored(rows)) + chunk("IEND", [])
  }

  /// Plain grey: no block differs from the one before (ITU-T T.81, B.2).
  var jpeg: [UInt8] { [0xFF, 0xD8] + jpegSegments + jpegScan }

  /// The same, with fill bytes before its markers and a comment that looks like a frame header.
  var jpegWithComment: [UInt8] {
    [0xFF, 0xD8, 0xFF, 0xFF] + segment(0xFE, [0xFF, 0xC0, 0, 17, 8, 0, 1, 0, 1]) + [0xFF] + jpegSegments + jpegScan
  }

  /// Stripes of two colours, uncompressed (the GIF 89a specification).
  var gif: [UInt8] {
    let size = littleEndian(width) + littleEndian(height)
    let colours = (0..<128).flatMap { index -> [UInt8] in [UInt8(index), UInt8(index) * 2 &+ 1, 0x40] }
    var codes: [UInt8] = []
    for index in 0..<(width * height) {
      // Codes stay at eight bits if the table is cleared before it is full.
      if index.isMultiple(of: 120) { codes.append(0x80) }
      codes.append(UInt8(index % width % 128))
    }
    codes.append(0x81)
    var blocks: [UInt8] = [7]
    for start in stride(from: 0, to: codes.count, by: 255) {
      let block = codes[start..<min(start + 255, codes.count)]
      blocks += [UInt8(block.count)] + block
    }
    return Array("GIF89a".utf8) + size + [0xF6, 0, 0] + colours + [0x2C, 0, 0, 0, 0] + size + [0] + blocks + [0, 0x3B]
  }

  // PNG.

  private func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
    let content = Array(type.utf8) + data
    return bytes(data.count, 4) + content + bytes(Int(Checksum.crc32(content)), 4)
  }

  /// Data as deflate stores it without compression, in a zlib frame (RFC 1950, 1951).
  private static func stored(_ data: [UInt8]) -> [UInt8] {
    var stream: [UInt8] = [0x78, 0x01]
    for start in stride(from: 0, to: data.count, by: 0xFFFF) {
      let block = data[start..<min(start + 0xFFFF, data.count)]
      let length = UInt16(block.count)
      stream.append(start + block.count == data.count ? 1 : 0)
      for number in [length, ~length] { stream += [UInt8(number & 0xFF), UInt8(number >> 8)] }
      stream += block
    }
    return stream + Self.bytes(Int(Checksum.adler32(data)), 4)
  }

  // JPEG.

  private var jpegSegments: [UInt8] {
    segment(0xE0, Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0])
      + segment(0xDB, [0] + [UInt8](repeating: 16, count: 64))
      + segment(0xC0, [8] + bytes(height, 2) + bytes(width, 2) + [1, 1, 0x11, 0])
      // Tables with one code each: no difference, and end of block.
      + segment(0xC4, [0x00, 1] + [UInt8](repeating: 0, count: 15) + [0])
      + segment(0xC4, [0x10, 1] + [UInt8](repeating: 0, count: 15) + [0])
  }

  private var jpegScan: [UInt8] {
    let bitCount = ((width + 7) / 8) * ((height + 7) / 8) * 2
    // Zeros, and ones to the end of the last byte.
    let rest = bitCount % 8
    let data = [UInt8](repeating: 0, count: bitCount / 8) + (rest == 0 ? [] : [UInt8(0xFF >> rest)])
    return segment(0xDA, [1, 1, 0, 0, 63, 0]) + data + [0xFF, 0xD9]
  }

  private func segment(_ marker: UInt8, _ data: [UInt8]) -> [UInt8] {
    [0xFF, marker] + bytes(data.count + 2, 2) + data
  }

  // Numbers.

  private func bytes(_ number: Int, _ count: Int) -> [UInt8] { Self.bytes(number, count) }

  private static func bytes(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  private func littleEndian(_ number: Int) -> [UInt8] { bytes(number, 2).reversed() }
}

/// The checksums that PNG and zlib require.
private enum Checksum {
  /// The checksum of PNG's chunks (ISO 3309).
  static func crc32(_ bytes: [UInt8]) -> UInt32 {
    var remainder: UInt32 = ~0
    for byte in bytes {
      remainder ^= UInt32(byte)
      for _ in 0..<8 { remainder = remainder & 1 == 1 ? remainder >> 1 ^ 0xEDB8_8320 : remainder >> 1 }
    }
    return ~remainder
  }

  /// The checksum of zlib (RFC 1950).
  static func adler32(_ bytes: [UInt8]) -> UInt32 {
    var (low, high): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
      low = (low + UInt32(byte)) % 65521
      high = (high + low) % 65521
    }
    return high << 16 | low
  }
}
