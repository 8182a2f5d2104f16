// Hot for documents that come in pieces: each of their bytes passes here once.

extension UnsafeRawBufferPointer {
  /// Finds the first byte at or after an index that is neither whitespace nor punctuation.
  func endOfPunctuation(from start: Int) -> Int {
    var index = start
    while index < count, Byte.isWhitespace(self[index]) || Byte.isPunctuation(self[index]) { index &+= 1 }
    return index
  }

  /// Finds the first byte at or after an index that cannot belong to a number or literal.
  func endOfScalar(from start: Int) -> Int {
    var index = start
    while index < count {
      let byte = self[index]
      if byte == Byte.quote || Byte.isWhitespace(byte) || Byte.isPunctuation(byte) { break }
      index &+= 1
    }
    return index
  }

  /// Finds the quote that closes a string, or the end of the bytes.
  ///
  /// - Parameter start: An index inside the string, and not inside an escape.
  func endOfString(from start: Int) -> Int {
    guard let baseAddress else { return 0 }
    var index = start
    while index < count {
      if index &+ 8 <= count {
        let flags = Word(baseAddress, index).stringStops
        if flags == 0 {
          index &+= 8
          continue
        }
        index &+= Word.position(of: flags)
      }
      let byte = self[index]
      if byte == Byte.quote { return index }
      index &+= byte == Byte.backslash ? 2 : 1
    }
    return count
  }
}
