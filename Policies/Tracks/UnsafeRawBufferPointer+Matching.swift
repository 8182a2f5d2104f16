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
    count == other.count && elementsEqual(other)
  }
}
