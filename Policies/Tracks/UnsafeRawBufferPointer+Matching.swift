internal import SystemC

extension UnsafeRawBufferPointer {
  /// Whether these are the bytes of an ASCII text.
  @inline(__always)
  func matches(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    let other = text.utf8Start
    for index in 0..<count where self[index] != other[index] { return false }
    return true
  }

  /// Whether these are the same bytes as others.
  func isEqual(to other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    guard count > 0, let bytes = baseAddress, let otherBytes = other.baseAddress else { return true }
    return memcmp(bytes, otherBytes, count) == 0
  }

  /// The text, or the beginning of one that nobody would read to its end.
  var excerpt: String {
    let limit = 1000
    return String(decoding: prefix(limit), as: UTF8.self) + (count > limit ? "…" : "")
  }
}
