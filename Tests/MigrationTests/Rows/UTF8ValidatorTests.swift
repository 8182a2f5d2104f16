import Testing

@testable import Migration

struct UTF8ValidatorTests {
  private func isValid(_ pieces: [ArraySlice<UInt8>]) -> Bool {
    var validator = UTF8Validator()
    for piece in pieces { Array(piece).withUnsafeBytes { validator.check($0) } }
    return validator.isValidAtEnd
  }

  @Test(
    arguments: [
      [], [0x61], Array("aé東🎵\0z".utf8), Array("🎵🎵".utf8), [0xFF], [0xC3], [0x61, 0xF0, 0x9F], [0xC0, 0x80],
      [0xE0, 0x80, 0x80],
      [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0x80], [0x61, 0x80, 0x61],
      [0xFF, 0x61, 0x61, 0x61],
      [0xF0, 0x9F, 0x8E, 0xB5, 0x80], [0xE6, 0x9D, 0x61],
    ] as [[UInt8]])
  func `Text validated in pieces gives the same result as the whole`(bytes: [UInt8]) {
    let expected = String(validating: bytes, as: UTF8.self) != nil
    for first in 0...bytes.count {
      for second in first...bytes.count {
        #expect(
          isValid([bytes[..<first], bytes[first..<second], bytes[second...]]) == expected, "cut at \(first), \(second)")
      }
    }
    #expect(isValid(bytes.indices.map { bytes[$0...$0] }) == expected)
  }
}
