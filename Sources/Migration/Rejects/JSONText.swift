/// Text as it stands in a JSON document.
package enum JSONText {
  /// The text in quotes, with everything escaped that must be.
  package static func quoted(_ text: String) -> String {
    var bytes: [UInt8] = [UInt8(ascii: "\"")]
    var text = text
    text.withUTF8 { escape(UnsafeRawBufferPointer($0), into: &bytes) }
    bytes.append(UInt8(ascii: "\""))
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends UTF-8 text with everything escaped that must be.
  static func escape(_ utf8: UnsafeRawBufferPointer, into bytes: inout [UInt8]) {
    let digits = Array("0123456789abcdef".utf8)
    for byte in utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0x0A: bytes += Array("\\n".utf8)
      case 0x0D: bytes += Array("\\r".utf8)
      case 0x09: bytes += Array("\\t".utf8)
      case 0..<0x20: bytes += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: bytes.append(byte)
      }
    }
  }
}
