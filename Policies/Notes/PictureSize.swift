/// The width and height of a picture, as given in its header.
///
/// They are the numbers in the file, before any rotation that Exif specifies. Nothing is decoded.
struct PictureSize: Sendable, Hashable {
  let width: Int
  let height: Int

  private init(_ size: (width: Int, height: Int)) throws(PictureProblem) {
    guard size.width > 0, size.height > 0 else { throw .damaged }
    (width, height) = size
  }

  /// Reads the header of a PNG, JPEG, GIF or WebP picture.
  ///
  /// - Throws: The reason why there is no size.
  init(of bytes: [UInt8]) throws(PictureProblem) {
    let bytes = PictureBytes(bytes)
    if bytes.has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], at: 0) {
      try self.init(PNGHeader.size(in: bytes))
    } else if bytes.has([0xFF, 0xD8, 0xFF], at: 0) {
      try self.init(JPEGHeader.size(in: bytes))
    } else if bytes.has("GIF87a", at: 0) || bytes.has("GIF89a", at: 0) {
      // The logical screen.
      try self.init((bytes.littleEndian(2, at: 6), bytes.littleEndian(2, at: 8)))
    } else if bytes.has("RIFF", at: 0), bytes.has("WEBP", at: 8) {
      try self.init(WebPHeader.size(in: bytes))
    } else {
      throw bytes.problemOfUnknownFormat
    }
  }
}

extension PictureBytes {
  /// The problem with bytes that do not begin like a picture.
  fileprivate var problemOfUnknownFormat: PictureProblem {
    if has("bplist00", at: 0) { return .archived }
    // The beginning of a signature means a truncated picture.
    let signatures: [[UInt8]] = [
      [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], [0xFF, 0xD8, 0xFF], Array("GIF89a".utf8),
      Array("GIF87a".utf8), Array("RIFF".utf8),
    ]
    // RIFF has other uses, which can be distinguished only at the twelfth byte.
    let isCutOff = signatures.contains { startsLike($0) } || has("RIFF", at: 0) && count < 12
    return isCutOff ? .damaged : .unknownFormat
  }
}

/// The bytes of a picture, which may always be fewer than its header promises.
private struct PictureBytes {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  var count: Int { bytes.count }

  /// Returns the byte at an offset.
  func byte(at offset: Int) throws(PictureProblem) -> Int {
    guard bytes.indices.contains(offset) else { throw .damaged }
    return Int(bytes[offset])
  }

  /// Returns a number of several bytes, the most significant first.
  func bigEndian(_ count: Int, at offset: Int) throws(PictureProblem) -> Int {
    var number = 0
    for index in 0..<count { number = number << 8 | (try byte(at: offset + index)) }
    return number
  }

  /// Returns a number of several bytes, the least significant first.
  func littleEndian(_ count: Int, at offset: Int) throws(PictureProblem) -> Int {
    var number = 0
    for index in (0..<count).reversed() { number = number << 8 | (try byte(at: offset + index)) }
    return number
  }

  /// Whether these bytes are at an offset.
  func has(_ expected: [UInt8], at offset: Int) -> Bool {
    offset <= bytes.count && bytes[offset...].starts(with: expected)
  }

  /// Whether this ASCII text is at an offset.
  func has(_ expected: String, at offset: Int) -> Bool { has(Array(expected.utf8), at: offset) }

  /// Whether all bytes, possibly none, begin a signature.
  private func startsLike(_ signature: [UInt8]) -> Bool { signature.starts(with: bytes) }
}

/// A reason for the unknown size of a picture.
///
/// The raw values are stable: they stand in statistics.
package enum PictureProblem: String, Error, Sendable, Hashable, CaseIterable {
  /// There is no picture.
  case absent
  /// The value is an archived object instead of a picture.
  case archived
  /// The format is not PNG, JPEG, GIF or WebP.
  case unknownFormat = "unknown_format"
  /// The header ends early or contradicts itself.
  case damaged

  /// A few words for a person.
  package var summary: String {
    switch self {
    case .absent: "no picture"
    case .archived: "an archive instead of a picture"
    case .unknownFormat: "a picture of another format than PNG, JPEG, GIF and WebP"
    case .damaged: "a picture whose header is damaged"
    }
  }
}

/// The header of a JPEG picture: its frame header, in any coding (ITU-T T.81, B.2.2).
private enum JPEGHeader {
  static func size(in bytes: PictureBytes) throws(PictureProblem) -> (width: Int, height: Int) {
    // After the first marker, SOI.
    var offset = 2
    while true {
      guard try bytes.byte(at: offset) == 0xFF else { throw .damaged }
      // Any number of fill bytes may precede a marker.
      while try bytes.byte(at: offset) == 0xFF { offset += 1 }
      let marker = try bytes.byte(at: offset)
      offset += 1
      switch marker {
      case 0x01, 0xD0...0xD7:
        // A marker without a segment.
        continue
      case 0xC0...0xCF where ![0xC4, 0xC8, 0xCC].contains(marker):
        guard try bytes.bigEndian(2, at: offset) >= 8 else { throw .damaged }
        let (height, width) = (try bytes.bigEndian(2, at: offset + 3), try bytes.bigEndian(2, at: offset + 5))
        return (width, height)
      case 0x00, 0xD8, 0xD9, 0xDA:
        // The picture itself, or its end, without a preceding frame header.
        throw .damaged
      default:
        let length = try bytes.bigEndian(2, at: offset)
        guard length >= 2 else { throw .damaged }
        offset += length
      }
    }
  }
}

/// The header of a PNG picture: the chunk `IHDR`, which comes first (w3.org/TR/png-3, 11.2.1).
private enum PNGHeader {
  static func size(in bytes: PictureBytes) throws(PictureProblem) -> (width: Int, height: Int) {
    var chunk = 8
    // Xcode puts its own chunk first in pictures that it has optimised.
    if bytes.has("CgBI", at: chunk + 4) { chunk += 12 + (try bytes.bigEndian(4, at: chunk)) }
    guard try bytes.bigEndian(4, at: chunk) == 13, bytes.has("IHDR", at: chunk + 4) else { throw .damaged }
    let (width, height) = (try bytes.bigEndian(4, at: chunk + 8), try bytes.bigEndian(4, at: chunk + 12))
    // The format's maximum: a set sign bit is damage.
    guard width <= Int32.max, height <= Int32.max else { throw .damaged }
    return (width, height)
  }
}

/// The header of a WebP picture: its first chunk, in one of three forms (RFC 9649).
private enum WebPHeader {
  static func size(in bytes: PictureBytes) throws(PictureProblem) -> (width: Int, height: Int) {
    if bytes.has("VP8X", at: 12) {
      // The extended form: the canvas size minus one.
      return (try bytes.littleEndian(3, at: 24) + 1, try bytes.littleEndian(3, at: 27) + 1)
    }
    if bytes.has("VP8L", at: 12) {
      // Lossless: a signature, then two 14-bit numbers, each minus one.
      guard try bytes.byte(at: 20) == 0x2F else { throw .damaged }
      let bits = try bytes.littleEndian(4, at: 21)
      return (bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
    }
    // Lossy: a three-byte frame tag, a start code, then two 14-bit numbers below a scale.
    guard bytes.has("VP8 ", at: 12), bytes.has([0x9D, 0x01, 0x2A], at: 23) else { throw .damaged }
    return (try bytes.littleEndian(2, at: 26) & 0x3FFF, try bytes.littleEndian(2, at: 28) & 0x3FFF)
  }
}
