/// The values of a row or an entry as its page has them (sqlite.org/fileformat.html#record_format).
///
/// What is read as the beginning of a record has at least nine bytes behind it, of whatever content.
package final class RecordFields {
  private let types: UnsafeMutablePointer<UInt64>
  private let places: UnsafeMutablePointer<Int>
  private let limit: Int
  // One thread at a time uses the object; to check that for each value would take longer than to read it.
  @exclusivity(unchecked) private var record = UnsafeRawBufferPointer(start: nil, count: 0)
  /// The number of values, up to the limit.
  @exclusivity(unchecked) package private(set) var count = 0
  /// Whether the record has no more values than that.
  @exclusivity(unchecked) package private(set) var isComplete = false

  /// Prepares to read records.
  ///
  /// - Parameter limit: The number of values at the beginning that are found.
  package init(limit: Int) {
    self.limit = limit
    types = .allocate(capacity: max(limit, 1))
    places = .allocate(capacity: max(limit, 1))
  }

  deinit {
    types.deallocate()
    places.deallocate()
  }

  /// Finds the values of a record.
  ///
  /// - Parameter record: The beginning of the record, as far as it is in the page.
  /// - Returns: Whether there is a whole header of a valid form.
  package func find(in record: UnsafeRawBufferPointer) -> Bool {
    guard let start = record.baseAddress, record.count > 0 else { return false }
    let (headerSize, sizeLength) = start.variableInteger
    guard headerSize <= UInt64(record.count), sizeLength <= headerSize else { return false }
    self.record = record
    let header = Int(headerSize)
    var (place, offset, count) = (sizeLength, header, 0)
    while place < header, count < limit {
      let (type, length) = (start + place).variableInteger
      place += length
      guard place <= header, type < 1 << 40, type != 10, type != 11 else { return false }
      types[count] = type
      places[count] = offset
      offset += Self.size(of: type)
      count += 1
    }
    (self.count, isComplete) = (count, place == header)
    return true
  }

  /// The value at a position below the count; `nil` if not all of it is in the page.
  package func value(_ position: Int) -> IndexedValue? {
    let (type, place) = (types[position], places[position])
    let size = Self.size(of: type)
    guard place + size <= record.count else { return nil }
    switch type {
    case 0: return .null
    case 1...6: return .integer(integer(at: place, size: size))
    case 7:
      let real = Double(bitPattern: UInt64(bitPattern: integer(at: place, size: 8)))
      // As SQLite reads it.
      return real.isNaN ? .null : .real(real)
    case 8: return .integer(0)
    case 9: return .integer(1)
    default:
      let bytes = UnsafeRawBufferPointer(rebasing: record[place..<place + size])
      return type & 1 == 0 ? .blob(bytes) : .text(bytes)
    }
  }

  /// The beginning of a text or a blob that is cut off, as far as it is there; `nil` for other values.
  package func beginning(_ position: Int) -> IndexedValue? {
    let (type, place) = (types[position], places[position])
    guard type >= 12 else { return nil }
    let bytes = UnsafeRawBufferPointer(rebasing: record[min(place, record.count)..<record.count])
    return type & 1 == 0 ? .blob(bytes) : .text(bytes)
  }

  /// The place of a value in the record; of one that is cut off, it goes beyond what is there.
  package func extent(_ position: Int) -> Range<Int> {
    places[position]..<places[position] + Self.size(of: types[position])
  }

  /// Whether a value is text.
  package func isText(_ position: Int) -> Bool { types[position] >= 13 && types[position] & 1 == 1 }

  /// The integer in bytes of the record.
  private func integer(at place: Int, size: Int) -> Int64 {
    guard let start = record.baseAddress else { return 0 }
    var value = Int64(start.load(fromByteOffset: place, as: Int8.self))
    for next in place + 1..<place + size {
      value = value << 8 | Int64(start.load(fromByteOffset: next, as: UInt8.self))
    }
    return value
  }

  /// The number of bytes of a value.
  package static func size(of type: UInt64) -> Int {
    switch type {
    case 1...4: Int(type)
    case 5: 6
    case 6, 7: 8
    case 12...: Int(type - 12) / 2
    default: 0
    }
  }
}
