/// The last 32 bytes of a binary property list, checked against its size.
struct BinaryTrailer {
  static let magic = Array("bplist0".utf8)
  private static let length = 32

  let offsetSize: Int
  let referenceSize: Int
  let objectCount: Int
  let topObject: Int
  /// Where the table of offsets begins and the objects end.
  let tableOffset: Int

  init(_ bytes: [UInt8]) throws(PropertyListError) {
    guard bytes.starts(with: Self.magic) else { throw .notAPropertyList }
    // The magic has eight bytes with the version digit, and there is at least one object.
    let start = bytes.count - Self.length
    guard start > 8 else { throw .badTrailer }
    offsetSize = Int(bytes[start + 6])
    referenceSize = Int(bytes[start + 7])
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize) else { throw .badTrailer }
    guard let objectCount = Int(bigEndian: bytes[(start + 8)..<(start + 16)]),
      let topObject = Int(bigEndian: bytes[(start + 16)..<(start + 24)]),
      let tableOffset = Int(bigEndian: bytes[(start + 24)..<(start + 32)])
    else { throw .badTrailer }
    guard tableOffset > 8, tableOffset <= start, topObject < objectCount,
      objectCount <= (start - tableOffset) / offsetSize
    else { throw .badTrailer }
    self.objectCount = objectCount
    self.topObject = topObject
    self.tableOffset = tableOffset
  }
}

extension Int {
  /// Creates a number from big-endian bytes, or nothing where it would not fit.
  init?(bigEndian bytes: ArraySlice<UInt8>) {
    var value: UInt64 = 0
    for byte in bytes {
      guard value >> 56 == 0 else { return nil }
      value = value << 8 | UInt64(byte)
    }
    self.init(exactly: value)
  }
}
