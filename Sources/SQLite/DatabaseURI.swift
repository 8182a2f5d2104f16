internal import SystemC

/// A `file:` URI that names a database file literally.
///
/// Everything but unreserved characters and slashes is percent-encoded, so that a file named `a?mode=rwc.sqlite` is
/// just that file.
struct DatabaseURI {
  let text: String

  init(path: String, isImmutable: Bool = false, isReadOnly: Bool = false) {
    let digits = Array("0123456789ABCDEF".utf8)
    // The empty authority of an absolute path keeps its slashes from being read as one. Without "./", SQLite would take
    // a relative ":memory:" for a database in memory, and an empty path for a temporary one.
    var bytes = Array((path.utf8.first == UInt8(ascii: "/") ? "file://" : "file:./").utf8)
    for byte in path.pathBytes {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "-"), UInt8(ascii: "~"):
        bytes.append(byte)
      default:
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    let query = [isReadOnly ? "mode=ro" : nil, isImmutable ? "immutable=1" : nil].compactMap { $0 }
    text = String(decoding: bytes, as: UTF8.self) + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
  }
}
