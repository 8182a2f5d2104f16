extension ByteScreen {
  /// Finds the last place at or before a limit where no character and no escape is cut.
  ///
  /// - Parameters:
  ///   - bytes: Screened bytes; they begin at such a place.
  ///   - limit: How many bytes are wanted at most.
  static func boundary(in bytes: UnsafeRawBufferPointer, atMost limit: Int) -> Int {
    guard let base = bytes.baseAddress else { return 0 }
    var index = 0
    while index < bytes.count, index < limit {
      guard case .whole(let length) = sequence(base, index, bytes.count), length <= limit - index else { break }
      // A backslash before something that cannot be escaped stays with it, lest it escape what is put behind the cut.
      if length == 1, bytes[index] == Byte.backslash { break }
      index += length
    }
    return index
  }
}
