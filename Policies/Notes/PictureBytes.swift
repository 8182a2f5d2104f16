/// The bytes of a picture, of which there may always be fewer than its header promises.
struct PictureBytes {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  var count: Int { bytes.count }

  /// The byte at an offset.
  func byte(at offset: Int) throws(PictureProblem) -> Int {
    guard bytes.indices.contains(offset) else { throw .damaged }
    return Int(bytes[offset])
  }

  /// A number of a few bytes, the most significant first.
  func bigEndian(_ count: Int, at offset: Int) throws(PictureProblem) -> Int {
    var number = 0
    for index in 0..<count { number = number << 8 | (try byte(at: offset + index)) }
    return number
  }

  /// A number of a few bytes, the least significant first.
  func littleEndian(_ count: Int, at offset: Int) throws(PictureProblem) -> Int {
    var number = 0
    for index in (0..<count).reversed() { number = number << 8 | (try byte(at: offset + index)) }
    return number
  }

  /// Whether these bytes stand at an offset.
  func has(_ expected: [UInt8], at offset: Int) -> Bool {
    offset <= bytes.count && bytes[offset...].starts(with: expected)
  }

  /// Whether this ASCII text stands at an offset.
  func has(_ expected: String, at offset: Int) -> Bool { has(Array(expected.utf8), at: offset) }

  /// Whether all the bytes, of which there may be none, begin a signature.
  func startsLike(_ signature: [UInt8]) -> Bool { signature.starts(with: bytes) }
}
