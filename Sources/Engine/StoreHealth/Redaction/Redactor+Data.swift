internal import PersistentStore

extension Redactor {
  /// Replaces data by noise of the same length, but for the first bytes of known formats.
  ///
  /// No byte of the noise is a letter, so that a search for words in a redacted file finds none in it. Equal data become
  /// equal noise. A UUID becomes a UUID, and what is too short for noise that is surely different is permuted.
  func noise(_ bytes: [UInt8]) -> [UInt8] {
    if bytes.count == 16 { return uuid(bytes) }
    if bytes.count < 16 { return permuted(bytes) }
    var hash = KeyedHash(key, .data)
    bytes.withUnsafeBytes { hash.combine($0) }
    var noise = Noise(key, hash.finish())
    var result = noise.next(bytes.count)
    let head = DataHead.ranges(bytes)
    // What is left has to tell different data apart.
    let isShort = head.reduce(8) { $0 + $1.count } > bytes.count
    let kept = 0..<max(0, isShort ? bytes.count - 8 : bytes.count)
    for range in head.map({ $0.clamped(to: kept) }) {
      result.replaceSubrange(range, with: bytes[range])
      keep(range)
    }
    return result
  }

  private func permuted(_ bytes: [UInt8]) -> [UInt8] {
    cipher.removeAll()
    for byte in bytes {
      cipher.values.append(Int32(byte))
      cipher.sizes.append(letters.count(LetterTable.bytes))
    }
    // What is not JSON does not become JSON, which is replaced in another way.
    while true {
      cipher.replace(alphabet: UInt64.max)
      let result = cipher.values.map { UInt8(truncatingIfNeeded: $0) }
      if !JSONScan.isText(result) { return result }
    }
  }

  /// Replaces the value of an attribute that may be in a file: the form stays, and the file's name is replaced.
  func externalValue(_ bytes: [UInt8]) -> [UInt8] {
    switch ExternalValue(bytes) {
    case .inline(let value): ExternalValue.inline(data(value)).bytes
    case .file(let name): fileValue(name)
    case nil: foreignValue(bytes)
    }
  }

  /// Replaces data without a form, which get none.
  private func foreignValue(_ bytes: [UInt8]) -> [UInt8] {
    var result = data(bytes)
    while ExternalValue(result) != nil { result = data(result) }
    return result
  }

  /// Replaces only the file name of such a value.
  func keptExternalValue(_ bytes: [UInt8]) -> [UInt8] {
    if case .file(let name) = ExternalValue(bytes) { return fileValue(name) }
    return bytes
  }

  private func fileValue(_ name: String) -> [UInt8] {
    let value = ExternalValue.file(externalName(name)).bytes
    kept = [0..<value.count]
    return value
  }

  /// The name of an external data file in the redacted store.
  func externalName(_ name: String) -> String {
    let bytes = Array(name.utf8)
    return uuidText(bytes, 0, bytes.count).map { String(decoding: $0, as: UTF8.self) } ?? name
  }
}

/// Bytes that tell nothing and contain no letters: those from 0x80 to 0xBF, which begin no character.
struct Noise {
  private var stream: KeyStream

  init(_ key: RedactionKey, _ content: UInt64) {
    var hash = KeyedHash(key, .noise)
    hash.combine(content)
    stream = KeyStream(hash)
  }

  /// The next bytes; all but the last request must be for a multiple of eight.
  mutating func next(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    while bytes.count < count {
      var word = stream.next() & 0x3F3F_3F3F_3F3F_3F3F | 0x8080_8080_8080_8080
      for _ in 0..<min(8, count - bytes.count) {
        bytes.append(UInt8(truncatingIfNeeded: word))
        word >>= 8
      }
    }
    return bytes
  }
}

/// The first bytes of data by which programs know their format, and pictures their size.
enum DataHead {
  /// The beginnings, and how many bytes stay.
  private static let formats: [(beginning: [UInt8], count: Int)] = [
    (Array("bplist00".utf8), 8),
    // With the header chunk, which has width and height.
    ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], 33),
    (Array("GIF8".utf8), 10), (Array("BM".utf8), 26), (Array("II*\0".utf8), 4), (Array("MM\0*".utf8), 4),
    (Array("RIFF".utf8), 30), ([0x1F, 0x8B], 2), (Array("PK\u{3}\u{4}".utf8), 4), (Array("%PDF-".utf8), 8),
    (Array("<?xml".utf8), 5), (Array("ID3".utf8), 3),
  ]

  /// The bytes that stay.
  static func ranges(_ bytes: [UInt8]) -> [Range<Int>] {
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return jpegRanges(bytes) }
    if bytes.count > 12, bytes[4..<8].elementsEqual("ftyp".utf8) { return [0..<12] }
    guard let format = formats.first(where: { bytes.starts(with: $0.beginning) }) else { return [] }
    // Xcode puts a chunk of its own before the header of pictures that it has optimised.
    let isOptimised = format.count == 33 && bytes.count > 16 && bytes[12..<16].elementsEqual("CgBI".utf8)
    return [0..<min(format.count + (isOptimised ? 16 : 0), bytes.count)]
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
      let isFrame = 0xC0...0xCF ~= marker && ![0xC4, 0xC8, 0xCC].contains(marker)
      ranges.append(place..<min(place + (isFrame ? 9 : 4), bytes.count))
      let length = Int(bytes[place + 2]) << 8 | Int(bytes[place + 3])
      if isFrame || marker == 0xDA || length < 2 { break }
      place += 2 + length
    }
    return ranges
  }
}
