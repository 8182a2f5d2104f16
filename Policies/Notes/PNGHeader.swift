/// The header of a PNG picture: the chunk `IHDR`, which comes first (w3.org/TR/png-3, 11.2.1).
enum PNGHeader {
  static func size(in bytes: PictureBytes) throws(PictureProblem) -> (width: Int, height: Int) {
    var chunk = 8
    // Xcode puts a chunk of its own first into pictures that it has optimised.
    if bytes.has("CgBI", at: chunk + 4) { chunk += 12 + (try bytes.bigEndian(4, at: chunk)) }
    guard try bytes.bigEndian(4, at: chunk) == 13, bytes.has("IHDR", at: chunk + 4) else { throw .damaged }
    let (width, height) = (try bytes.bigEndian(4, at: chunk + 8), try bytes.bigEndian(4, at: chunk + 12))
    // The format ends there: a sign bit is damage.
    guard width <= Int32.max, height <= Int32.max else { throw .damaged }
    return (width, height)
  }
}
