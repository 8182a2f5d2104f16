/// Decodes the objects of a binary property list, each of them once.
///
/// Objects may be shared, so a small file can describe a tree of any size, or one without end. Shared objects share
/// their memory here; the size of the tree is counted all the same, because whoever walks it afterwards would walk for
/// ever.
struct BinaryReader {
  static let depthLimit = 512

  private struct Decoded {
    var value: PropertyList
    /// The number of levels of containers, itself included.
    var height: Int
    /// The number of objects when each shared one is counted as often as it is met.
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
    // Without shared containers there are never more objects than bytes; the rest is for files that do share some.
    sizeLimit = max(1 << 20, bytes.count * 4)
  }

  /// The object that all others hang on.
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
      // Arrays, and sets, whose order means nothing.
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
