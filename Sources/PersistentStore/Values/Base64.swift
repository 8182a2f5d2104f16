extension [UInt8] {
  /// These bytes in base64, with padding.
  package var base64: String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    text.reserveCapacity((count + 2) / 3 * 4)
    for start in stride(from: 0, to: count, by: 3) {
      let group = self[start..<Swift.min(start + 3, count)]
      let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - group.count))
      for place in 0..<4 {
        let digit = alphabet[Int(bits >> (18 - 6 * UInt32(place)) & 63)]
        text.append(place <= group.count ? digit : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
