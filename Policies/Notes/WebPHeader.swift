/// The header of a WebP picture: its first chunk, in one of three forms (RFC 9649).
enum WebPHeader {
  static func size(in bytes: PictureBytes) throws(PictureProblem) -> (width: Int, height: Int) {
    if bytes.has("VP8X", at: 12) {
      // The extended form: the canvas, less one.
      return (try bytes.littleEndian(3, at: 24) + 1, try bytes.littleEndian(3, at: 27) + 1)
    }
    if bytes.has("VP8L", at: 12) {
      // Lossless: a signature, then twice 14 bits, less one.
      guard try bytes.byte(at: 20) == 0x2F else { throw .damaged }
      let bits = try bytes.littleEndian(4, at: 21)
      return (bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
    }
    // Lossy: a frame tag of three bytes, a start code, then twice 14 bits below a scale.
    guard bytes.has("VP8 ", at: 12), bytes.has([0x9D, 0x01, 0x2A], at: 23) else { throw .damaged }
    return (try bytes.littleEndian(2, at: 26) & 0x3FFF, try bytes.littleEndian(2, at: 28) & 0x3FFF)
  }
}
