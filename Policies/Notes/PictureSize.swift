/// The width and height of a picture, as its header tells them.
///
/// They are the numbers in the file, before any turn that Exif asks for. Nothing is decoded.
struct PictureSize: Sendable, Hashable {
  let width: Int
  let height: Int

  private init(_ size: (width: Int, height: Int)) throws(PictureProblem) {
    guard size.width > 0, size.height > 0 else { throw .damaged }
    (width, height) = size
  }

  /// Reads the header of a PNG, JPEG, GIF or WebP picture.
  ///
  /// - Throws: The reason why there is no size.
  init(of bytes: [UInt8]) throws(PictureProblem) {
    let bytes = PictureBytes(bytes)
    if bytes.has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], at: 0) {
      try self.init(PNGHeader.size(in: bytes))
    } else if bytes.has([0xFF, 0xD8, 0xFF], at: 0) {
      try self.init(JPEGHeader.size(in: bytes))
    } else if bytes.has("GIF87a", at: 0) || bytes.has("GIF89a", at: 0) {
      // The logical screen.
      try self.init((bytes.littleEndian(2, at: 6), bytes.littleEndian(2, at: 8)))
    } else if bytes.has("RIFF", at: 0), bytes.has("WEBP", at: 8) {
      try self.init(WebPHeader.size(in: bytes))
    } else {
      throw bytes.problemOfUnknownFormat
    }
  }
}

extension PictureBytes {
  /// What is wrong with bytes that begin as no picture does.
  fileprivate var problemOfUnknownFormat: PictureProblem {
    if has("bplist00", at: 0) { return .archived }
    // The beginning of a signature is a picture that was cut off.
    let signatures: [[UInt8]] = [
      [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], [0xFF, 0xD8, 0xFF], Array("GIF89a".utf8),
      Array("GIF87a".utf8), Array("RIFF".utf8),
    ]
    // RIFF has other uses, which only its twelfth byte tells.
    let isCutOff = signatures.contains { startsLike($0) } || has("RIFF", at: 0) && count < 12
    return isCutOff ? .damaged : .unknownFormat
  }
}
