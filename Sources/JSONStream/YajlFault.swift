import CYajl

/// What stopped yajl, which decides what its count of consumed bytes means.
///
/// Observed with yajl 2.1.0, which has no codes for it: only the beginning of the message tells.
enum YajlFault {
  /// A byte that begins no token; it has been consumed.
  case strayByte
  /// A byte that does not continue its token; it has not been consumed.
  case brokenToken
  /// A whole token that is out of place; it has been consumed.
  case grammar
  /// A token after a member of an object that is neither a comma nor a brace.
  ///
  /// Here, and only here, yajl takes the length of the token back, for a string without its quotes.
  case afterMember

  init(_ handle: yajl_handle) {
    guard let message = yajl_get_error(handle, 0, nil, 0) else {
      self = .grammar
      return
    }
    defer { yajl_free_error(handle, message) }
    let text = String(cString: message)
    if text.hasPrefix("lexical error: invalid char in json text") {
      self = .strayByte
    } else if text.hasPrefix("lexical error") {
      self = .brokenToken
    } else {
      self = text.hasPrefix("parse error: after key and value") ? .afterMember : .grammar
    }
  }

  /// Finds the first byte that is at fault.
  ///
  /// - Parameters:
  ///   - bytes: What yajl was fed; it begins between two tokens.
  ///   - consumed: How many of the bytes yajl says it has taken.
  ///   - preceding: The last byte before them that is not whitespace.
  func index(in bytes: UnsafeRawBufferPointer, consumed: Int, preceding: UInt8) -> Int {
    switch self {
    case .strayByte: max(0, consumed - 1)
    case .brokenToken: consumed
    case .grammar: TokenScan.start(ofTokenThrough: consumed, in: bytes)
    case .afterMember: indexAfterMember(in: bytes, consumed: consumed, preceding: preceding)
    }
  }

  private func indexAfterMember(in bytes: UnsafeRawBufferPointer, consumed: Int, preceding: UInt8) -> Int {
    let start = TokenScan.start(ofTokenThrough: consumed, in: bytes)
    guard start == consumed - 2, bytes[start] == Byte.quote else { return consumed }
    // A string that is out of place, or an empty one that is in its place: then it follows a colon.
    guard bytes[start + 1] == Byte.quote else { return start }
    let before = bytes[..<start].last { !Byte.isWhitespace($0) } ?? preceding
    return before == UInt8(ascii: ":") ? consumed : start
  }
}
