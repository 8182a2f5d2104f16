/// Decodes each object of a binary property list once.
///
/// Objects may be shared, so a small file can describe a tree of any size, or an endless one. Shared objects share
/// memory here, but the size of the whole tree is limited, because its users walk all of it.
struct BinaryReader {
  static let depthLimit = 512

  private struct Decoded {
    var value: PropertyList
    /// The number of levels of containers, itself included.
    var height: Int
    /// The number of objects, with shared ones counted at each occurrence.
    var size: Int
  }

  private let scanner: BinaryScanner
  private var decoded: [Decoded?]
  private var isOpen: [Bool]
  private let sizeLimit: Int

  init(_ bytes: [UInt8]) throws(PropertyListError) {
    scanner = try BinaryScanner(bytes)
    decoded = Array(repeating: nil, count: scanner.trailer.objectCount)
    isOpen = Array(repeating: false, count: scanner.trailer.objectCount)
    // Without shared containers, there are never more objects than bytes; the rest is for files that share some.
    sizeLimit = max(1 << 20, bytes.count * 4)
  }

  /// The root object.
  mutating func topObject() throws(PropertyListError) -> PropertyList {
    try object(scanner.trailer.topObject, depth: 0).value
  }

  private mutating func object(_ index: Int, depth: Int) throws(PropertyListError) -> Decoded {
    guard index < decoded.count else { throw .badReference(index) }
    let result: Decoded
    if let known = decoded[index] { result = known } else { result = try decode(index, depth: depth) }
    guard depth + result.height <= Self.depthLimit else { throw .tooDeep(limit: Self.depthLimit) }
    return result
  }

  private mutating func decode(_ index: Int, depth: Int) throws(PropertyListError) -> Decoded {
    guard !isOpen[index] else { throw .cyclicReference(object: index) }
    guard depth < Self.depthLimit else { throw .tooDeep(limit: Self.depthLimit) }
    isOpen[index] = true
    let offset = try scanner.offset(of: index)
    let result: Decoded
    if let scalar = try scanner.scalar(at: offset) {
      result = Decoded(value: scalar, height: 0, size: 1)
    } else {
      result = try container(index, at: offset, depth: depth)
    }
    isOpen[index] = false
    decoded[index] = result
    return result
  }

  private mutating func container(
    _ index: Int, at offset: Int, depth: Int
  ) throws(PropertyListError) -> Decoded {
    let marker = scanner.bytes[offset]
    let (count, start) = try scanner.count(at: offset)
    guard marker >= 0xD0 else {
      // Arrays, and sets, whose order has no meaning.
      let references = try scanner.references(at: start, count: count)
      let elements = try objects(references, depth: depth + 1)
      return Decoded(value: .array(elements.values), height: elements.height + 1, size: elements.size + 1)
    }
    let keyReferences = try scanner.references(at: start, count: count)
    let valueStart = start + count * scanner.trailer.referenceSize
    let valueReferences = try scanner.references(at: valueStart, count: count)
    let keys = try objects(keyReferences, depth: depth + 1)
    let values = try objects(valueReferences, depth: depth + 1)
    var dictionary = PropertyListDictionary()
    for (key, value) in zip(keys.values, values.values) {
      guard case .string(let key) = key else { throw .badKey(object: index) }
      guard dictionary[key] == nil else { throw .duplicateKey(key) }
      dictionary[key] = value
    }
    return Decoded(
      value: .dictionary(dictionary), height: values.height + 1, size: try add(keys.size, values.size) + 1)
  }

  private mutating func objects(
    _ references: [Int], depth: Int
  ) throws(PropertyListError) -> (values: [PropertyList], height: Int, size: Int) {
    var values: [PropertyList] = []
    values.reserveCapacity(references.count)
    var (height, size) = (0, 0)
    for reference in references {
      let object = try object(reference, depth: depth)
      values.append(object.value)
      height = max(height, object.height)
      size = try add(size, object.size)
    }
    return (values, height, size)
  }

  private func add(_ left: Int, _ right: Int) throws(PropertyListError) -> Int {
    guard left + right < sizeLimit else { throw .tooManyObjects(limit: sizeLimit) }
    return left + right
  }
}

/// The last 32 bytes of a binary property list, checked against its size.
struct BinaryTrailer {
  static let magic = Array("bplist0".utf8)
  private static let length = 32

  let offsetSize: Int
  let referenceSize: Int
  let objectCount: Int
  let topObject: Int
  /// The offset of the offset table, which is the end of the objects.
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
  /// Creates a number from big-endian bytes, or returns `nil` if it does not fit.
  init?(bigEndian bytes: ArraySlice<UInt8>) {
    var value: UInt64 = 0
    for byte in bytes {
      guard value >> 56 == 0 else { return nil }
      value = value << 8 | UInt64(byte)
    }
    self.init(exactly: value)
  }
}

/// Reads markers, counts and scalars of a binary property list.
///
/// It never reads past the last object.
private struct BinaryScanner {
  let bytes: [UInt8]
  let trailer: BinaryTrailer

  init(_ bytes: [UInt8]) throws(PropertyListError) {
    self.bytes = bytes
    trailer = try BinaryTrailer(bytes)
  }

  /// The offset of an object.
  func offset(of object: Int) throws(PropertyListError) -> Int {
    guard object < trailer.objectCount else { throw .badReference(object) }
    let entry = trailer.tableOffset + object * trailer.offsetSize
    guard let offset = Int(bigEndian: bytes[entry..<(entry + trailer.offsetSize)]), offset >= 8,
      offset < trailer.tableOffset
    else { throw .badReference(object) }
    return offset
  }

  /// The next bytes.
  private func slice(at offset: Int, count: Int) throws(PropertyListError) -> ArraySlice<UInt8> {
    guard count >= 0, offset <= trailer.tableOffset, count <= trailer.tableOffset - offset else {
      throw .truncated(offset: offset)
    }
    return bytes[offset..<(offset + count)]
  }

  /// The number of elements of the object at an offset, and the offset of the first.
  ///
  /// The low half of the marker holds the number; 15 means that an integer object with the number follows.
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

extension BinaryScanner {
  /// The scalar at an offset, or `nil` for a container.
  func scalar(at offset: Int) throws(PropertyListError) -> PropertyList? {
    let marker = bytes[offset]
    switch marker {
    case 0x00: return .null
    case 0x08: return .boolean(false)
    case 0x09: return .boolean(true)
    case 0x10...0x14: return try integer(at: offset + 1, size: 1 << Int(marker & 0x0F))
    case 0x22: return .real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: try bits(at: offset + 1, size: 4)))))
    case 0x23: return .real(Double(bitPattern: try bits(at: offset + 1, size: 8)))
    case 0x33: return .date(Double(bitPattern: try bits(at: offset + 1, size: 8)))
    case 0x40...0x4F:
      let (count, start) = try count(at: offset)
      return .data(Array(try slice(at: start, count: count)))
    case 0x50...0x5F: return .string(try asciiString(at: offset))
    case 0x60...0x6F: return .string(try utf16String(at: offset))
    case 0x80...0x8F: return .uid(try uid(at: offset))
    case 0xA0...0xDF: return nil
    default: throw .unknownMarker(marker, offset: offset)
    }
  }

  /// Integers of up to four bytes are unsigned, those of eight and sixteen bytes are signed.
  private func integer(at offset: Int, size: Int) throws(PropertyListError) -> PropertyList {
    guard size == 16 else {
      let bits = try bits(at: offset, size: size)
      return .integer(Int64(bitPattern: bits))
    }
    let high = try bits(at: offset, size: 8)
    let low = try bits(at: offset + 8, size: 8)
    let value = Int128(truncatingIfNeeded: UInt128(high) << 64 | UInt128(low))
    return Int64(exactly: value).map { .integer($0) } ?? .wideInteger(value)
  }

  private func bits(at offset: Int, size: Int) throws(PropertyListError) -> UInt64 {
    try slice(at: offset, count: size).reduce(0) { $0 << 8 | UInt64($1) }
  }

  private func uid(at offset: Int) throws(PropertyListError) -> UInt64 {
    let size = Int(bytes[offset] & 0x0F) + 1
    let padding = max(0, size - 8)
    guard try slice(at: offset + 1, count: padding).allSatisfy({ $0 == 0 }) else { throw .badInteger(offset: offset) }
    return try bits(at: offset + 1 + padding, size: size - padding)
  }

  private func asciiString(at offset: Int) throws(PropertyListError) -> String {
    let (count, start) = try count(at: offset)
    let slice = try slice(at: start, count: count)
    guard slice.allSatisfy({ $0 < 0x80 }) else { throw .badString(offset: offset) }
    return String(decoding: slice, as: UTF8.self)
  }

  private func utf16String(at offset: Int) throws(PropertyListError) -> String {
    let (count, start) = try count(at: offset)
    let (length, overflow) = count.multipliedReportingOverflow(by: 2)
    guard !overflow else { throw .truncated(offset: offset) }
    let slice = try slice(at: start, count: length)
    let units = stride(from: slice.startIndex, to: slice.endIndex, by: 2)
      .map { UInt16(slice[$0]) << 8 | UInt16(slice[$0 + 1]) }
    // A lone surrogate has no UTF-8, and replacing it would silently change the text.
    guard let text = String(validating: units, as: UTF16.self) else { throw .badString(offset: offset) }
    return text
  }
}

extension PropertyList {
  /// Reads a binary property list.
  ///
  /// Sets become arrays, and 32-bit numbers become 64-bit numbers. Hostile bytes are safe: every offset is checked, and
  /// the nesting depth (512) and the expansion of shared objects are limited.
  ///
  /// - Parameter bytes: The whole file.
  /// - Throws: `PropertyListError` if the bytes are not a binary property list, or are damaged.
  package init(binary bytes: [UInt8]) throws(PropertyListError) {
    var reader = try BinaryReader(bytes)
    self = try reader.topObject()
  }

  /// The value as a binary property list.
  ///
  /// Equal values give the same bytes, as compact as those of Apple's writer.
  package func binary() -> [UInt8] {
    BinaryWriter.bytes(of: self)
  }
}
