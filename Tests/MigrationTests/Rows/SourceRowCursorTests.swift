import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

@testable import Migration

struct SourceRowCursorTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A row from a cursor: its key and the bytes of title and json.
  private struct Row: Equatable {
    var key: Int64
    var title: [UInt8]?
    var json: [UInt8]?
  }

  private func read(_ rows: [TrackRow], encoding: String = "UTF-8", filter: String? = nil) throws -> [Row] {
    let path = folder.file("Library.sqlite")
    var builder = TrackLibraryBuilder(rows)
    builder.encoding = encoding
    try builder.write(to: path)
    let reader = try StoreReader(path: path)
    let cursor = try SourceRowCursor(
      reader.sourceConnection, table: "ZTRACK", columns: ["ZTITLE", "ZJSON"], filter: filter)
    var result: [Row] = []
    while let row = try cursor.next() {
      result.append(Row(key: row.primaryKey, title: try bytes(row, 0), json: try bytes(row, 1)))
    }
    #expect(try cursor.next() == nil)
    return result
  }

  private func bytes(_ row: SourceRow, _ column: Int) throws -> [UInt8]? {
    if row.isNull(column) { return nil }
    var pieces: [UInt8] = []
    try row.forEachPiece(of: column) { pieces += $0 }
    if let whole = try row.withWholeText(column, { Array($0) }) { #expect(whole == pieces) }
    return pieces
  }

  private static let large = String(repeating: "0123456789é", count: 100_000)

  private func expected(_ rows: [TrackRow]) -> [Row] {
    func bytes(_ value: CellValue) -> [UInt8]? {
      switch value {
      case .null: nil
      case .text(let text): Array(text.utf8)
      case .rawText(let bytes), .blob(let bytes): bytes
      case .integer(let integer): Array("\(integer)".utf8)
      case .real(let real): Array("\(real)".utf8)
      }
    }
    return rows.sorted { $0.primaryKey < $1.primaryKey }
      .map { Row(key: $0.primaryKey, title: bytes($0.title), json: bytes($0.json)) }
  }

  @Test func `An empty table has no rows`() throws {
    #expect(try read([]).isEmpty)
  }

  @Test(
    arguments: [
      [1], [2], [3], [4], [5], [1, 2], [2, 3], [4, 5], [1, 5], [1, 3, 5], [1, 2, 3, 4, 5],
    ],
    [
      [1, 2, 3, 4, 5], [-9, -2, 0, 7, 100], [.min, -1, 0, 1, .max], [.min, .min + 1, .max - 2, .max - 1, .max],
    ] as [[Int64]])
  func `Oversized rows are read in sequence with the others`(large: [Int], keys: [Int64]) throws {
    let rows = keys.enumerated().map { index, key in
      TrackRow(key, title: .text("T\(key)"), json: large.contains(index + 1) ? .text(Self.large) : "small")
    }
    #expect(try read(rows) == expected(rows))
  }

  @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
  func `Text is read as UTF-8 from a file in any encoding`(encoding: String) throws {
    let rows = [
      TrackRow(1, title: "é東🎵\0", json: .text(Self.large)), TrackRow(2, title: .text(Self.large), json: nil),
      TrackRow(3, title: nil, json: .text("\u{FEFF}" + Self.large)), TrackRow(4, title: "", json: ""),
    ]
    #expect(try read(rows, encoding: encoding) == expected(rows))
  }

  @Test func `Values of every kind are read, with and without a large value in the row`() throws {
    let values: [CellValue] = [
      nil, "", "x", .blob([]), .blob([0, 0xFF]), .integer(.min), .real(0.5), .rawText([0x61, 0xFF, 0x00]),
      .blob(Array(repeating: 0xAB, count: 2_000_000)),
    ]
    let rows = zip(Int64(1)..., values).flatMap { key, value in
      [TrackRow(key, title: value, json: "{}"), TrackRow(key + 100, title: value, json: .text(Self.large))]
    }
    #expect(try read(rows) == expected(rows))
  }

  @Test(arguments: [1_048_500, 1_048_576, 1_048_577, 1_048_700])
  func `Rows just at the size limit are read`(count: Int) throws {
    let rows = [
      TrackRow(1, title: "a", json: .text(String(repeating: "x", count: count))), TrackRow(2, title: "b", json: "y"),
    ]
    #expect(try read(rows) == expected(rows))
  }

  @Test func `A row that is large only in other columns is read whole`() throws {
    let path = folder.file("Library.sqlite")
    var row = TrackRow(1, title: "t", json: "{}")
    row.imageURL = .text(Self.large)
    try TrackLibraryBuilder([row]).write(to: path)
    let reader = try StoreReader(path: path)
    defer { try? reader.close() }
    let cursor = try SourceRowCursor(reader.sourceConnection, table: "ZTRACK", columns: ["ZTITLE", "ZJSON"])
    let first = try #require(try cursor.next())
    #expect(try first.withWholeText(0) { $0.count } == 1)
  }

  @Test func `A large value is provided in pieces`() throws {
    let path = folder.file("Library.sqlite")
    try TrackLibraryBuilder([TrackRow(1, json: .text(String(repeating: "x", count: 5_000_000)))]).write(to: path)
    let reader = try StoreReader(path: path)
    defer { try? reader.close() }
    let cursor = try SourceRowCursor(reader.sourceConnection, table: "ZTRACK", columns: ["ZJSON"])
    let row = try #require(try cursor.next())
    #expect(try row.withWholeText(0) { $0.count } == nil)
    var pieces: [Int] = []
    try row.forEachPiece(of: 0) { pieces.append($0.count) }
    #expect(pieces.reduce(0, +) == 5_000_000)
    #expect(pieces.allSatisfy { $0 <= 1 << 18 })
  }

  @Test func `A filter applies to oversized rows too`() throws {
    var rows = (1...6).map { TrackRow(Int64($0), json: $0.isMultiple(of: 2) ? .text(Self.large) : "x") }
    for index in [1, 2] { rows[index].entity = .integer(2) }
    #expect(try read(rows, filter: "Z_ENT = 1").map(\.key) == [1, 4, 5, 6])
  }

  @Test func `Other readers of the source have no size limit, even after an error`() throws {
    let path = folder.file("Library.sqlite")
    try TrackLibraryBuilder([TrackRow(1, json: .text(Self.large))]).write(to: path)
    let reader = try StoreReader(path: path)
    do {
      let cursor = try SourceRowCursor(reader.sourceConnection, table: "ZTRACK", columns: ["ZJSON"])
      #expect(try cursor.next()?.primaryKey == 1)
    }
    #expect(throws: MigrationError.self) {
      try SourceRowCursor(reader.sourceConnection, table: "ZTRACK", columns: ["ZNOTHING"])
    }
    #expect(try reader.connection.text("SELECT ZJSON FROM ZTRACK")?.utf8.count == Self.large.utf8.count)
  }
}
