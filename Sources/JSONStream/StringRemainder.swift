/// Checks the part of a string that yajl does not get to see because the string is too long.
///
/// UTF-8 and surrogates are the screen's business; this looks at what yajl would have: raw controls and escapes.
struct StringRemainder {
  private enum Place {
    case text
    case escape
    case digits(left: Int)
  }

  private var place = Place.text

  /// Checks bytes up to the quote that closes the string.
  ///
  /// - Parameters:
  ///   - bytes: A piece of the document.
  ///   - start: Where the string goes on in the piece.
  ///   - offset: Where in the document the piece begins.
  /// - Returns: The index after the closing quote, or `nil` if it is not among the bytes.
  /// - Throws: ``JSONStreamError`` for the first byte that a string may not hold.
  mutating func end(
    in bytes: UnsafeRawBufferPointer, from start: Int, at offset: Int
  ) throws(JSONStreamError) -> Int? {
    var index = start
    while index < bytes.count {
      let byte = bytes[index]
      switch place {
      case .text where byte == Byte.quote: return index + 1
      case .text where byte == Byte.backslash: place = .escape
      case .text where byte >= 0x20: break
      case .escape where byte == Byte.u: place = .digits(left: 4)
      case .escape where Byte.isSimpleEscape(byte): place = .text
      case .digits(let left) where Byte.hexValue(byte) != nil: place = left > 1 ? .digits(left: left - 1) : .text
      default: throw JSONStreamError(.syntax, byteOffset: offset + index)
      }
      index += 1
    }
    return nil
  }
}
