/// Finds where a token begins; used once for a document that turned out to be malformed.
///
/// yajl reports the end of a token that is out of place. All tokens before it are well formed.
enum TokenScan {
  /// Finds the beginning of the token that ends at an index.
  ///
  /// - Parameters:
  ///   - end: The index after the token.
  ///   - bytes: JSON that begins between two tokens.
  static func start(ofTokenThrough end: Int, in bytes: UnsafeRawBufferPointer) -> Int {
    let limit = min(end, bytes.count)
    var start = 0
    var index = 0
    while index < limit {
      if Byte.isWhitespace(bytes[index]) {
        index += 1
      } else {
        start = index
        index = self.end(ofTokenAt: index, in: bytes)
      }
    }
    return start
  }

  private static func end(ofTokenAt start: Int, in bytes: UnsafeRawBufferPointer) -> Int {
    switch bytes[start] {
    case Byte.quote:
      let close = bytes.endOfString(from: start + 1)
      return close < bytes.count ? close + 1 : close
    // The literals: what follows their letters is another token, even without a space.
    case UInt8(ascii: "t"), UInt8(ascii: "n"): return start + 4
    case UInt8(ascii: "f"): return start + 5
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return end(ofNumberAt: start, in: bytes)
    default: return start + 1
    }
  }

  private static func end(ofNumberAt start: Int, in bytes: UnsafeRawBufferPointer) -> Int {
    var index = start
    func skip(_ matches: (UInt8) -> Bool) {
      while index < bytes.count, matches(bytes[index]) { index += 1 }
    }
    let isDigit: (UInt8) -> Bool = { $0 &- 0x30 < 10 }
    if bytes[index] == UInt8(ascii: "-") { index += 1 }
    if index < bytes.count, bytes[index] == UInt8(ascii: "0") { index += 1 } else { skip(isDigit) }
    if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
      index += 1
      skip(isDigit)
    }
    if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
      index += 1
      skip { isDigit($0) || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
    }
    return max(index, start + 1)
  }
}
