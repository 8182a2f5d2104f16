internal import CTracksSQLite
internal import SystemC

/// A value of an index or of a row; text and blobs lie where it was read.
package enum IndexedValue {
  case null, integer(Int64), real(Double), text(UnsafeRawBufferPointer), blob(UnsafeRawBufferPointer)

  /// Takes a value of a statement's row, which is good until the next one.
  init(_ statement: Statement, _ column: Int) {
    let (handle, place) = (statement.handle, Int32(column))
    // The pointer first: it decides which form is counted.
    func bytes(_ start: UnsafeRawPointer?) -> UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(handle, place)))
    }
    self =
      switch statement.storageClass(column) {
      case .null: .null
      case .integer: .integer(statement.integer(column))
      case .real: .real(statement.real(column))
      case .text: .text(bytes(sqlite3_column_text(handle, place).map { UnsafeRawPointer($0) }))
      case .blob: .blob(bytes(sqlite3_column_blob(handle, place)))
      }
  }

  /// Adds the value to a hash, in which numbers of the same value are the same, as in SQLite.
  func mix(into hash: inout UInt64) {
    switch self {
    // Two words, unlike a number: NULL must pass neither for a value nor, beside another value, for a NULL in its place.
    case .null:
      hash.mix(in: 0x6e75_6c6c_0000_0001)
      hash.mix(in: 0x9d39_247e_3377_6d41)
    case .integer(let integer): hash.mix(in: UInt64(bitPattern: integer))
    case .real(let real): hash.mix(in: Int64(exactly: real).map(UInt64.init(bitPattern:)) ?? real.bitPattern)
    case .text(let bytes), .blob(let bytes):
      hash.mix(in: UInt64(rank) << 60 | UInt64(bytes.count))
      var place = 0
      while place + 8 <= bytes.count {
        hash.mix(in: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
        place += 8
      }
      var rest: UInt64 = 0
      while place < bytes.count {
        rest = rest << 8 | UInt64(bytes[place])
        place += 1
      }
      hash.mix(in: rest)
    }
  }

  /// Positive if a value comes after this one in an index, negative if it comes before, and 0 if they are equal.
  func order(before other: Self) -> Int {
    switch (self, other) {
    case (.integer(let first), .integer(let second)): first < second ? 1 : first == second ? 0 : -1
    case (.real(let first), .real(let second)): first < second ? 1 : first == second ? 0 : -1
    case (.integer(let first), .real(let second)): Self.order(of: first, before: second)
    case (.real(let first), .integer(let second)): -Self.order(of: second, before: first)
    case (.text(let first), .text(let second)), (.blob(let first), .blob(let second)):
      Self.order(of: first, before: second)
    default: other.rank - rank
    }
  }

  private static func order(of bytes: UnsafeRawBufferPointer, before other: UnsafeRawBufferPointer) -> Int {
    guard let first = bytes.baseAddress, let second = other.baseAddress else { return other.count - bytes.count }
    let order = memcmp(second, first, min(bytes.count, other.count))
    return order == 0 ? other.count - bytes.count : Int(order)
  }

  private static func order(of integer: Int64, before real: Double) -> Int {
    guard real < 0x1p63 else { return 1 }
    guard real >= -0x1p63 else { return -1 }
    let whole = Int64(real)
    if integer != whole { return integer < whole ? 1 : -1 }
    let rest = real - Double(whole)
    return rest > 0 ? 1 : rest < 0 ? -1 : 0
  }

  /// The bytes of a text or a blob.
  fileprivate var bytes: UnsafeRawBufferPointer? {
    switch self {
    case .text(let bytes), .blob(let bytes): bytes
    case .null, .integer, .real: nil
    }
  }

  /// The place of values of this class among all.
  private var rank: Int {
    switch self {
    case .null: 0
    case .integer, .real: 1
    case .text: 2
    case .blob: 3
    }
  }
}

extension UInt64 {
  /// Adds a word to a hash.
  package mutating func mix(in word: UInt64) {
    let product = (self ^ word).multipliedFullWidth(by: 0x9e37_79b9_7f4a_7c15)
    self = product.high ^ product.low
  }
}

/// Values with their own copy of texts and blobs.
final class KeptValues {
  let values: UnsafeMutableBufferPointer<IndexedValue>
  @exclusivity(unchecked) private var bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 8)

  init(count: Int) { values = .copy(Array(repeating: .null, count: count)) }

  deinit {
    values.deallocate()
    bytes.deallocate()
  }

  /// Keeps as many other values.
  func keep(_ new: UnsafeMutableBufferPointer<IndexedValue>) {
    var size = 0
    for place in values.indices {
      values[place] = new[place]
      size += new[place].bytes?.count ?? 0
    }
    if size > 0 { copyBytes(size) }
  }

  private func copyBytes(_ size: Int) {
    if size > bytes.count {
      bytes.deallocate()
      bytes = .allocate(byteCount: size * 2, alignment: 8)
    }
    var end = 0
    for place in values.indices {
      guard let source = values[place].bytes else { continue }
      let copy = UnsafeMutableRawBufferPointer(rebasing: bytes[end..<end + source.count])
      copy.copyMemory(from: source)
      end += source.count
      if case .text = values[place] { values[place] = .text(UnsafeRawBufferPointer(copy)) }
      if case .blob = values[place] { values[place] = .blob(UnsafeRawBufferPointer(copy)) }
    }
  }
}
