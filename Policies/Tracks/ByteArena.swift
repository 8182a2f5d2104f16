/// The bytes of the texts of one batch, one after the other.
///
/// An array would check, on every access to one that lies in a class, that nobody else accesses it, and would be copied
/// when a batch is handed on. One thread fills an arena, then hands it on with its batch, and nobody changes it again.
final class ByteArena: @unchecked Sendable {
  private var start: UnsafeMutableRawPointer
  private var capacity: Int
  private(set) var count = 0

  init(capacity: Int = 1 << 12) {
    self.capacity = capacity
    start = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit { start.deallocate() }

  /// The bytes of a range, which never lack a base address.
  ///
  /// They are there for as long as the arena is, and until more is added.
  subscript(range: Range<Int>) -> UnsafeRawBufferPointer {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    return UnsafeRawBufferPointer(start: start + range.lowerBound, count: range.count)
  }

  func append(_ bytes: UnsafeRawBufferPointer) {
    reserve(bytes.count)
    UnsafeMutableRawBufferPointer(start: start + count, count: bytes.count).copyMemory(from: bytes)
    count += bytes.count
  }

  func append(_ byte: UInt8) {
    reserve(1)
    start.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count += 1
  }

  /// Adds bytes that are here already once more.
  func appendCopy(of range: Range<Int>) {
    reserve(range.count)
    append(self[range])
  }

  /// Forgets all bytes from a place on.
  func removeAll(from end: Int) { count = min(count, end) }

  private func reserve(_ additional: Int) {
    guard capacity - count < additional else { return }
    capacity = max(capacity * 2, count + additional)
    let new = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
    new.copyMemory(from: start, byteCount: count)
    start.deallocate()
    start = new
  }
}
