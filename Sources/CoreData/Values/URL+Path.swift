internal import SystemC

extension URL {
  /// The path of a file, without a slash at its end.
  ///
  /// `path` is text: it has none of the bytes that are not UTF-8.
  var exactPath: String {
    var bytes: [UInt8] = []
    var rest = absoluteURL.path(percentEncoded: true).utf8[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2)
      if byte == UInt8(ascii: "%"), let decoded = UInt8(String(decoding: digits, as: UTF8.self), radix: 16) {
        bytes.append(decoded)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    if bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
    return String(pathBytes: bytes)
  }
}
