/// Reads markers, counts and scalars of a binary property list.
///
/// It never reads past the last object.
struct BinaryScanner {
  let bytes: [UInt8]
  let trailer: BinaryTrailer

  init(_ bytes: [UInt8]) throws(PropertyListError) {
    self.bytes = bytes
    trailer = try BinaryTrailer(bytes)
  }

  /// The place of an object.
  func offset(of object: Int) throws(PropertyListError) -> Int {
    guard object < trailer.objectCount else { throw .badReference(object) }
    let entry = trailer.tableOffset + object * trailer.offsetSize
    guard let offset = Int(bigEndian: bytes[entry..<(entry + trailer.offsetSize)]), offset >= 8,
      offset < trailer.tableOffset
    else { throw .badReference(object) }
    return offset
  }

  /// The next bytes.
  func slice(at offset: Int, count: Int) throws(PropertyListError) -> ArraySlice<UInt8> {
    guard count >= 0, offset <= trailer.tableOffset, count <= trailer.tableOffset - offset else {
      throw .truncated(offset: offset)
    }
    return bytes[offset..<(offset + count)]
  }

  /// The number of elements of the object at an offset, and where they begin.
  ///
  /// The low half of the marker holds it; fifteen means that an integer object with the count follows.
  func count(at offset: Int) throws(PropertyListError) -> (count: Int, start: Int) {
    let low = Int(bytes[offset] & 0x0F)
    guard low == 0x0F else { return (low, offset + 1) }
    let marker = try slice(at: offset + 1, count: 1)
    guard let kind = marker.first, kind & 0xF0 == 0x10, kind & 0x0F <= 4 else { throw .badInteger(offset: offset) }
    let size = 1 << Int(kind & 0x0F)
    guard let count = Int(bigEndian: try slice(at: offset + 2, count: size)) else {
      throw .badInteger(offset: offset)
    }
    return (count, offset + 2 + size)
  }

  /// A run of references to other objects.
  func references(at offset: Int, count: Int) throws(PropertyListError) -> [Int] {
    let (length, overflow) = count.multipliedReportingOverflow(by: trailer.referenceSize)
    guard !overflow else { throw .truncated(offset: offset) }
    let slice = try slice(at: offset, count: length)
    var references: [Int] = []
    references.reserveCapacity(count)
    for start in stride(from: slice.startIndex, to: slice.endIndex, by: trailer.referenceSize) {
      guard let reference = Int(bigEndian: slice[start..<(start + trailer.referenceSize)]) else {
        throw .badInteger(offset: start)
      }
      references.append(reference)
    }
    return references
  }
}
