/// The header of a JPEG picture: its frame header, of whatever coding (ITU-T T.81, B.2.2).
enum JPEGHeader {
  static func size(in bytes: PictureBytes) throws(PictureProblem) -> (width: Int, height: Int) {
    // After the first marker, SOI.
    var offset = 2
    while true {
      guard try bytes.byte(at: offset) == 0xFF else { throw .damaged }
      // Any number of fill bytes may precede a marker.
      while try bytes.byte(at: offset) == 0xFF { offset += 1 }
      let marker = try bytes.byte(at: offset)
      offset += 1
      switch marker {
      case 0x01, 0xD0...0xD7:
        // Stands alone.
        continue
      case 0xC0...0xCF where ![0xC4, 0xC8, 0xCC].contains(marker):
        guard try bytes.bigEndian(2, at: offset) >= 8 else { throw .damaged }
        let (height, width) = (try bytes.bigEndian(2, at: offset + 3), try bytes.bigEndian(2, at: offset + 5))
        return (width, height)
      case 0x00, 0xD8, 0xD9, 0xDA:
        // The picture itself, or its end, without a frame header before.
        throw .damaged
      default:
        let length = try bytes.bigEndian(2, at: offset)
        guard length >= 2 else { throw .damaged }
        offset += length
      }
    }
  }
}
