import SQLiteDatabase
import TestSupport
import Testing

/// Texts are checked by our own code, which must find the same bytes valid as Swift does.
struct StoredTextTests {
  private let folder: TemporaryFolder
  private let statement: Statement

  init() throws {
    folder = try TemporaryFolder()
    let connection = try Connection(path: folder.file("store"), access: .create)
    statement = try connection.prepare("SELECT ?1")
  }

  /// What is read of a text with these bytes.
  private func read(_ bytes: [UInt8]) throws -> StoredText? {
    statement.reset()
    try statement.bind(textBytes: bytes, at: 1)
    #expect(try statement.step())
    return statement.storedText(0)
  }

  private func check(_ bytes: [UInt8]) throws {
    let stored = try #require(try read(bytes))
    let isValid = String(validating: bytes, as: UTF8.self) != nil
    #expect(stored.invalidBytes == (isValid ? nil : bytes))
    #expect(Array(stored.text.utf8) == Array(String(decoding: bytes, as: UTF8.self).utf8))
  }

  /// Bytes at which the rules of UTF-8 change.
  private static let edges: [UInt8] = [
    0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0,
    0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
  ]

  @Test func `Two and three bytes are text exactly where Swift says so`() throws {
    for first in Self.edges {
      for second in Self.edges {
        try check([first, second])
        for third in Self.edges { try check([first, second, third]) }
      }
    }
  }

  @Test(arguments: [0xF0, 0xF1, 0xF3, 0xF4, 0xF5] as [UInt8])
  func `Four bytes are text exactly where Swift says so`(first: UInt8) throws {
    for second in Self.edges {
      for third in Self.edges { for fourth in Self.edges { try check([first, second, third, fourth]) } }
    }
  }

  @Test(arguments: ["é", "東", "🎵", "\u{FFFD}", "\u{D7FF}", "\u{E000}", "\u{10FFFF}"])
  func `A character is found at every place among others`(character: String) throws {
    for count in 0...40 {
      let before = Array(repeating: UInt8(ascii: "a"), count: count)
      for after in [0, 1, 15, 16, 17] {
        let rest = Array(repeating: UInt8(ascii: "b"), count: after)
        try check(before + Array(character.utf8) + rest)
        try check(before + Array(character.utf8.dropLast()) + rest)
        try check(before + Array(character.utf8) + Array(character.utf8) + rest)
      }
    }
  }

  @Test func `A text with U+FFFD of its own is valid`() throws {
    #expect(try read(Array("a\u{FFFD}".utf8))?.invalidBytes == nil)
    #expect(try read([0x61, 0xFF])?.text == "a\u{FFFD}")
  }

  @Test func `NULL is no text`() throws {
    statement.reset()
    try statement.bindNull(at: 1)
    #expect(try statement.step())
    #expect(statement.storedText(0) == nil)
  }
}
