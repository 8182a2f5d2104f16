import Foundation
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

@testable import Migration

struct RejectsFileTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("rejects.ndjson")
  }

  private func reject(
    _ values: [CellValue], encoding: String = "UTF-8", title: String? = "T", reason: String = "why", offset: Int? = 3
  ) throws -> [[String: Any]] {
    let library = folder.file("Library.sqlite")
    var builder = TrackLibraryBuilder(zip(Int64(1)..., values).map { TrackRow($0, json: $1) })
    builder.encoding = encoding
    try builder.write(to: library)
    let reader = try StoreReader(path: library)
    let rejects = RejectsFile(path: path)
    for key in 1...Int64(values.count) {
      try rejects.add(
        RejectsFile.Facts(primaryKey: key, title: title, reason: reason, byteOffset: offset),
        raw: SourceValueStream(reader.sourceConnection, table: "ZTRACK", column: "ZJSON", row: key))
    }
    #expect(rejects.count == values.count)
    try rejects.finish()
    let lines = try Files.bytes(path).split(separator: 0x0A, omittingEmptySubsequences: false)
    #expect(lines.last?.isEmpty == true)
    return try lines.dropLast().map {
      try #require(try JSONSerialization.jsonObject(with: Data($0)) as? [String: Any])
    }
  }

  @Test func `No rejects file is written if nothing is rejected`() throws {
    try RejectsFile(path: path).finish()
    #expect(try folder.listing().isEmpty)
  }

  @Test func `A reject line contains all known facts`() throws {
    _ = try reject(["{\"a\": 1"])
    #expect(
      try Files.text(path) == """
        {"primaryKey":1,"title":"T","reason":"why","byteOffset":3,"json":"{\\"a\\": 1"}

        """)
    _ = try? FileManager.default.removeItem(atPath: folder.file("Library.sqlite"))
    _ = try reject(["x"], title: nil, offset: nil)
    #expect(
      try Files.text(path) == """
        {"primaryKey":1,"title":null,"reason":"why","byteOffset":null,"json":"x"}

        """)
  }

  private static let control = String(String.UnicodeScalarView((0...0x7F).compactMap { Unicode.Scalar($0 as UInt32) }))

  @Test(arguments: [
    "", control, "line\nline\r\n", "\"quotes\" \\ back", "é東🎵\u{2028}\u{2029}", "\0",
    String(repeating: "\u{1F3B5}\n", count: 200_000),
  ])
  func `Rejected text can be restored unchanged`(text: String) throws {
    for encoding in ["UTF-8", "UTF-16le", "UTF-16be"] {
      Files.remove(folder.file("Library.sqlite"))
      let line = try #require(try reject([.text(text)], encoding: encoding, title: text, reason: text).first)
      #expect((line["json"] as? String).map { Array($0.utf8) } == Array(text.utf8))
      #expect(line["title"] as? String == text)
      #expect(line["reason"] as? String == text)
      #expect(line["jsonBase64"] == nil)
    }
  }

  @Test func `A byte-order mark is kept`() throws {
    _ = try reject(["\u{FEFF}{"])
    #expect(try Files.text(path).hasSuffix("\"json\":\"\u{FEFF}{\"}\n"))
  }

  @Test(arguments: [1, 2, 3, 4, 262_143, 262_144, 262_145, 1_000_000])
  func `Rejected bytes that are not text can be restored unchanged`(count: Int) throws {
    var bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) | 0x80 }
    bytes[count - 1] = 0xFF
    for value in [CellValue.rawText(bytes), .blob(bytes)] {
      Files.remove(folder.file("Library.sqlite"))
      let line = try #require(try reject([value]).first)
      let text = try #require(line["jsonBase64"] as? String)
      #expect(Data(base64Encoded: text).map(Array.init) == bytes)
      #expect(line["json"] == nil)
    }
  }

  @Test func `Many rejects, small and large, are all written`() throws {
    let values: [CellValue] = (0..<40).map { number in
      number.isMultiple(of: 5) ? .text(String(repeating: "\(number) ", count: 60_000)) : .text("small \(number)")
    }
    let lines = try reject(values + [.integer(7), .rawText([0xFF])])
    #expect(lines.count == 42)
    #expect(lines[3]["json"] as? String == "small 3")
    #expect((lines[5]["json"] as? String)?.utf8.count == 120_000)
    #expect(lines[40]["json"] as? String == "7")
    #expect(lines[41]["jsonBase64"] as? String == "/w==")
  }

  @Test func `An existing file is replaced, but no link is followed`() throws {
    try Files.write(String(repeating: "old", count: 1000), to: path)
    #expect(try reject(["new"]).count == 1)
    Files.remove(path)
    Files.remove(folder.file("Library.sqlite"))
    try Files.write("precious", to: folder.file("precious"))
    try Files.link(path, to: folder.file("precious"))
    #expect(try reject(["new"]).count == 1)
    #expect(try Files.text(folder.file("precious")) == "precious")
    #expect(FileStatus(unresolved: path)?.kind == .regular)
  }

  @Test func `A missing folder throws an error`() throws {
    let rejects = RejectsFile(path: folder.file("no/such/file"))
    try TrackLibraryBuilder([TrackRow(1, json: "x")]).write(to: folder.file("Library.sqlite"))
    let reader = try StoreReader(path: folder.file("Library.sqlite"))
    let error = try #require(throws: MigrationError.self) {
      try rejects.add(
        RejectsFile.Facts(primaryKey: 1, title: nil, reason: "", byteOffset: nil),
        raw: SourceValueStream(reader.sourceConnection, table: "ZTRACK", column: "ZJSON", row: 1))
      try rejects.finish()
    }
    #expect(error.code == .cannotCreate)
  }
}
