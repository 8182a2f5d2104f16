import Foundation
import SQLiteDatabase
import Testing

@testable import TrackLibrary

@Suite("Text as it is searched and sorted in SQL")
struct TextFoldingTests {
  /// A database without a table.
  private func withConnection<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).sqlite").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let connection = try Connection(path: path, access: .create)
    try TextFolding.install(in: connection)
    return try body(connection)
  }

  /// Letters of many alphabets, and marks between them.
  private static let scalars = [
    0x20...0x7E, 0xA0...0x3FF, 0x400...0x52F, 0x3041...0x30FF, 0x4E00...0x4E40, 0x9FF0...0x9FFF, 0xAC00...0xAC40,
    0x1100...0x1110, 0x1F600...0x1F610,
  ].flatMap { $0.compactMap(Unicode.Scalar.init) }

  private func requireSame(_ texts: [String], in connection: Connection) throws {
    let statement = try connection.prepare("SELECT folded(?1), sort_key(?1)")
    for text in texts {
      try statement.bind(text, at: 1)
      #expect(try statement.step())
      #expect(Array((statement.text(0) ?? "").utf8) == Array(TextFolding.fold(text).utf8), "\(text.debugDescription)")
      #expect(
        Array((statement.text(1) ?? "").utf8) == Array(TextFolding.sortKey(text).utf8), "\(text.debugDescription)")
      statement.reset()
    }
  }

  @Test func `Each letter is folded as Foundation folds it`() throws {
    try withConnection { try requireSame(Self.scalars.map { String($0) }, in: $0) }
  }

  @Test func `Letters beside each other are folded as Foundation folds them`() throws {
    var random = SystemRandomNumberGenerator()
    let texts = (0..<20_000).map { _ in
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...6, using: &random) {
        text.append(Self.scalars.randomElement(using: &random) ?? "a")
      }
      return String(text)
    }
    try withConnection { try requireSame(texts, in: $0) }
  }

  @Test(arguments: [
    ("Blue in Green", "IN gr", true), ("Blue", "x", false), ("", "a", false), ("Béla", "bela", true),
    ("Bela", "Béla", true), ("ｆｕｌｌ", "full", true),
  ])
  func `A part of a text is found`(text: String, part: String, isFound: Bool) throws {
    try withConnection { connection in
      let statement = try connection.prepare("SELECT contains_folded(?, ?)")
      try statement.bind(text, at: 1)
      try statement.bind(TextFolding.fold(part), at: 2)
      #expect(try statement.step())
      #expect(statement.integer(0) == (isFound ? 1 : 0))
    }
  }
}
