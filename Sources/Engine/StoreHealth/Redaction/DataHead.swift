/// The first bytes of data by which programs know their format, and pictures their size.
///
/// Text can begin as a format does. More than the words of the format stay only if what follows is a header of it.
enum DataHead {
  /// The beginnings, which stay.
  private static let beginnings: [[UInt8]] = [
    Array("bplist00".utf8), [0x49, 0x49, 0x2A, 0], [0x4D, 0x4D, 0, 0x2A], [0x1F, 0x8B], Array("PK\u{3}\u{4}".utf8),
    Array("<?xml".utf8), Array("ID3".utf8),
  ]

  /// The bytes that stay.
  static func ranges(_ bytes: [UInt8]) -> [Range<Int>] {
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return jpegRanges(bytes) }
    if let beginning = beginnings.first(where: { bytes.starts(with: $0) }) { return [0..<beginning.count] }
    let heads = [png, gif, bmp, riff, media, pdf]
    return heads.lazy.compactMap { $0(bytes) }.first.map { [0..<$0] } ?? []
  }

  /// A number of which the last byte counts least.
  private static func big(_ bytes: [UInt8], _ place: Int, _ count: Int = 4) -> Int {
    bytes[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
  }

  /// A number of which the first byte counts least.
  private static func little(_ bytes: [UInt8], _ place: Int, _ count: Int = 4) -> Int {
    bytes[place..<place + count].reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  private static func word(_ bytes: [UInt8], _ place: Int) -> String {
    String(decoding: bytes[place..<place + 4], as: UTF8.self)
  }

  // MARK: - Pictures

  private static func png(_ bytes: [UInt8]) -> Int? {
    let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    guard bytes.starts(with: signature) else { return nil }
    var place = signature.count
    // Xcode puts a chunk of its own before the header of pictures that it has optimised.
    if bytes.count > 24, big(bytes, 8) == 4, word(bytes, 12) == "CgBI" { place += 16 }
    // The header chunk, which has width and height, and its checksum.
    guard bytes.count >= place + 25, big(bytes, place) == 13, word(bytes, place + 4) == "IHDR",
      checksum(bytes[place + 4..<place + 21]) == big(bytes, place + 21)
    else { return signature.count }
    return place + 25
  }

  /// The checksum of PNG and zlib (CRC-32).
  private static func checksum(_ bytes: ArraySlice<UInt8>) -> Int {
    var sum = UInt32.max
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    return Int(~sum)
  }

  private static func gif(_ bytes: [UInt8]) -> Int? {
    guard bytes.starts(with: Array("GIF87a".utf8)) || bytes.starts(with: Array("GIF89a".utf8)) else { return nil }
    guard bytes.count > 13 else { return 6 }
    // Behind the sizes and the colours, a block begins.
    let colors = bytes[10] & 0x80 == 0 ? 0 : 3 << (Int(bytes[10] & 7) + 1)
    let block = 13 + colors
    return block < bytes.count && [0x21, 0x2C].contains(bytes[block]) && bytes[6..<10].contains { $0 < 0x20 } ? 10 : 6
  }

  private static func bmp(_ bytes: [UInt8]) -> Int? {
    guard bytes.starts(with: Array("BM".utf8)), bytes.count > 30 else { return nil }
    let (size, start, header) = (little(bytes, 2), little(bytes, 10), little(bytes, 14))
    guard size == bytes.count, little(bytes, 6) == 0, start >= 14 + header, start < size,
      [40, 52, 56, 64, 108, 124].contains(header), little(bytes, 26, 2) == 1,
      [1, 2, 4, 8, 16, 24, 32].contains(little(bytes, 28, 2))
    else { return nil }
    return 26
  }

  private static func riff(_ bytes: [UInt8]) -> Int? {
    guard bytes.starts(with: Array("RIFF".utf8)), bytes.count > 30, little(bytes, 4) | 1 == (bytes.count - 8) | 1 else {
      return nil
    }
    if ["WAVE", "AVI "].contains(word(bytes, 8)) { return 12 }
    guard word(bytes, 8) == "WEBP", little(bytes, 16) <= bytes.count - 20 else { return nil }
    switch word(bytes, 12) {
    case "VP8 ": return bytes[23..<26].elementsEqual([0x9D, 0x01, 0x2A]) ? 30 : 16
    case "VP8L": return bytes[20] == 0x2F ? 25 : 16
    case "VP8X": return little(bytes, 16) == 10 && bytes[20] & 0xC1 == 0 && little(bytes, 21, 3) == 0 ? 30 : 16
    default: return 12
    }
  }

  /// The markers and lengths of segments up to the one with the size of the picture; what cameras write is noise.
  private static func jpegRanges(_ bytes: [UInt8]) -> [Range<Int>] {
    var ranges = [0..<2]
    var place = 2
    while place + 4 <= bytes.count, bytes[place] == 0xFF {
      let marker = bytes[place + 1]
      // Fill bytes, and markers without a segment.
      if marker == 0xFF || marker == 0x01 || 0xD0...0xD7 ~= marker {
        ranges.append(place..<(place + (marker == 0xFF ? 1 : 2)))
        place = ranges[ranges.count - 1].upperBound
        continue
      }
      let length = big(bytes, place + 2, 2)
      guard marker >= 0xC0, length >= 2, place + 2 + length <= bytes.count else { break }
      let isFrame = 0xC0...0xCF ~= marker && ![0xC4, 0xC8, 0xCC].contains(marker)
      // The number of components says how long the frame is.
      let isWhole = isFrame && length >= 8 && length == 8 + 3 * Int(bytes[place + 9])
      ranges.append(place..<min(place + (isWhole ? 9 : 4), bytes.count))
      if isFrame || marker == 0xDA { break }
      place += 2 + length
    }
    return ranges
  }

  // MARK: - Other formats

  private static let brands: Set = [
    "isom", "iso2", "iso4", "iso5", "iso6", "mp41", "mp42", "avc1", "dash", "M4A ", "M4B ", "M4V ", "qt  ", "3gp4",
    "3gp5",
    "3gp6", "3g2a", "heic", "heix", "hevc", "heim", "heis", "mif1", "msf1", "avif", "avis",
  ]

  private static func media(_ bytes: [UInt8]) -> Int? {
    guard bytes.count > 16, word(bytes, 4) == "ftyp", (16...512).contains(big(bytes, 0)), big(bytes, 0) % 4 == 0 else {
      return nil
    }
    return brands.contains(word(bytes, 8)) ? 12 : 8
  }

  private static func pdf(_ bytes: [UInt8]) -> Int? {
    guard bytes.count > 8, bytes.starts(with: Array("%PDF-".utf8)) else { return nil }
    return Redactor.isDigit(bytes[5]) && bytes[6] == UInt8(ascii: ".") && Redactor.isDigit(bytes[7]) ? 8 : 5
  }
}
