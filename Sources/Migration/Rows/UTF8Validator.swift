/// Checks whether bytes that arrive in pieces are valid UTF-8.
struct UTF8Validator {
  /// The bytes of a scalar that the last piece ended within.
  private var carry: [UInt8] = []
  private var isValid = true

  mutating func check(_ piece: UnsafeRawBufferPointer) {
    guard isValid, !piece.isEmpty else { return }
    let bytes = carry + piece
    // A scalar has four bytes at most: one that is cut off begins within the last three.
    let cut = bytes.indices.suffix(3).first { bytes[$0] >= 0xC0 && Self.length(bytes[$0]) > bytes.endIndex - $0 }
    let end = cut ?? bytes.endIndex
    isValid = String(validating: bytes[..<end], as: UTF8.self) != nil
    carry = Array(bytes[end...])
  }

  var isValidAtEnd: Bool { isValid && carry.isEmpty }

  private static func length(_ lead: UInt8) -> Int { lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2 }
}
