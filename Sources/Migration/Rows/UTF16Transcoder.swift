/// Turns UTF-16 bytes that arrive in pieces into UTF-8.
///
/// What is not valid becomes U+FFFD.
struct UTF16Transcoder {
  private let isBigEndian: Bool
  private var oddByte: UInt8?
  private var highSurrogate: UInt16?

  /// Creates a transcoder for a database's encoding; `nil` when that is UTF-8 already.
  init?(encoding: String) {
    switch encoding.uppercased() {
    case "UTF-16LE": isBigEndian = false
    case "UTF-16BE": isBigEndian = true
    default: return nil
    }
  }

  mutating func transcode(_ bytes: some Sequence<UInt8>, isLast: Bool) -> [UInt8] {
    var text = String.UnicodeScalarView()
    for byte in bytes {
      guard let first = oddByte else {
        oddByte = byte
        continue
      }
      oddByte = nil
      append(isBigEndian ? UInt16(first) << 8 | UInt16(byte) : UInt16(byte) << 8 | UInt16(first), to: &text)
    }
    if isLast, highSurrogate != nil || oddByte != nil {
      text.append("\u{FFFD}")
      (highSurrogate, oddByte) = (nil, nil)
    }
    return Array(String(text).utf8)
  }

  private mutating func append(_ unit: UInt16, to text: inout String.UnicodeScalarView) {
    if let high = highSurrogate {
      highSurrogate = nil
      if UTF16.isTrailSurrogate(unit) {
        text.append(UTF16.decode(UTF16.EncodedScalar([high, unit])))
        return
      }
      text.append("\u{FFFD}")
    }
    if UTF16.isLeadSurrogate(unit) {
      highSurrogate = unit
    } else {
      text.append(Unicode.Scalar(unit) ?? "\u{FFFD}")
    }
  }
}
