/// The running checksum of a write-ahead log (sqlite.org/fileformat.html, 4.2), over words that are little-endian.
struct SampleChecksum {
  private var first: UInt32 = 0
  private var second: UInt32 = 0

  /// Adds bytes, a multiple of eight.
  mutating func add(_ bytes: ArraySlice<UInt8>) {
    for index in stride(from: bytes.startIndex, to: bytes.endIndex, by: 8) {
      first &+= Self.word(bytes, index) &+ second
      second &+= Self.word(bytes, index + 4) &+ first
    }
  }

  /// The checksum as it stands in the file, which is big-endian whatever the words are.
  var bytes: [UInt8] { first.bigEndianBytes + second.bigEndianBytes }

  private static func word(_ bytes: ArraySlice<UInt8>, _ index: Int) -> UInt32 {
    UInt32(bytes[index]) | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2]) << 16
      | UInt32(bytes[index + 3]) << 24
  }
}
