import MigrationDiagnostics
import PersistentStore
import SQLiteDatabase
import TestSupport
import Testing

@testable import TrackLibrary
@testable import TrackVerification
@testable import Verification

@Suite("The verification on several threads") struct TrackBatchTests {
  /// Large enough for threads, on any machine.
  private func makePair() throws -> VerifiedPair {
    let pair = try VerifiedPair()
    let pad = String(repeating: "x", count: 300)
    let rows = (1...10_000).map { key in
      TrackRow(
        Int64(key), title: .text("T\(key)"),
        json: .text(#"{"pad":"\#(pad)","artists":[{"name":"A\#(key % 50)"}]}"#))
    }
    try TrackLibraryBuilder(rows).write(to: pair.old)
    try pair.migrate()
    return pair
  }

  @Test func `Differences in a large library are found in the order of its tracks`() throws {
    let pair = try makePair()
    #expect(try pair.differences() == [])
    try Database.run(
      """
      UPDATE ZTRACK SET ZTITLE = 'x' WHERE Z_PK IN (3, 5000, 9999);
      DELETE FROM Z_1TRACKS WHERE Z_2TRACKS IN (4, 5000); DELETE FROM ZTRACK WHERE Z_PK = 7000
      """, in: pair.new)
    #expect(
      try pair.differences() == [
        "value Track 3 title", "missing-link Track 4 artists", "value Track 5000 title",
        "missing-link Track 5000 artists", "missing-row Track 7000", "value Track 9999 title",
        "dangling-link Track 7000 artists",
      ])
  }

  @Test func `Damage of a large library is all that is reported of it`() throws {
    let pair = try makePair()
    try Database.run("UPDATE ZTRACK SET ZTITLE = 'x' WHERE Z_PK = 3", in: pair.new)
    var bytes = try Files.bytes(pair.new)
    let page = try #require(
      try Database.value("SELECT rootpage FROM sqlite_schema WHERE name = 'Z_1TRACKS_Z_2TRACKS_INDEX'", in: pair.new))
    // The number of cells on the page.
    bytes[((Int(page) ?? 0) - 1) * 4096 + 4] ^= 0x01
    try Files.write(bytes, to: pair.new)
    let found = try pair.found()
    #expect(!found.isEmpty)
    #expect(found.allSatisfy { $0.kind == .damage })
  }

  @Test(
    arguments: [
      ([1, 2, 4, 5], 5), ([-5, 0, 3], 9), ([7], 1), ([], 0),
      // Keys that tell nothing.
      ([1, 5, 9_000_000_000], 3), ([.min, 0, .max], 3), ([.min, .min + 1], 2),
    ] as [([Int64], Int64)])
  func `The bar's total is the range of keys, or the rows where that is far more`(keys: [Int64], total: Int64) throws {
    let pair = try VerifiedPair()
    let rows = keys.map { TrackRow($0, title: "T", json: "{}") }
    try TrackLibraryBuilder(rows).write(to: pair.old)
    let store = try StoreReader(path: pair.old)
    let model = TrackModel.v1
    let side = StoreSide(reader: store, schema: try StoreSchema(model, introspecting: store))
    #expect(try side.approximateCount("ZTRACK") == total)
  }

  @Test func `Rows that come again are found`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("store")
    try Database.run(
      """
      CREATE TABLE t (Z_PK INTEGER PRIMARY KEY, x);
      WITH RECURSIVE n (k) AS (VALUES (1) UNION ALL SELECT k + 1 FROM n WHERE k < 100)
      INSERT INTO t SELECT k, zeroblob(1000) FROM n
      """, in: path)
    var bytes = try Files.bytes(path)
    let root = try Int(#require(try Database.value("SELECT rootpage FROM sqlite_schema", in: path))) ?? 0
    // The second cell of the interior page leads to the first page of rows too.
    let page = (root - 1) * 4096
    let cells = [12, 14].map { page + Int(bytes[page + $0]) << 8 + Int(bytes[page + $0 + 1]) }
    bytes.replaceSubrange(cells[1]..<cells[1] + 4, with: bytes[cells[0]..<cells[0] + 4])
    try Files.write(bytes, to: path)
    let rows = try RowMergeCursor(
      try Connection(path: path, access: .readOnly), table: "t", expressions: ["x"], filter: nil)
    let error = #expect(throws: SQLiteError.self) {
      while !rows.isAtEnd { try rows.advance() }
    }
    #expect(error?.code == SQLiteError.corrupt)
    #expect(rows.key < 10)
  }

  @Test func `Keys have the numbers of their places, whatever their lengths`() {
    let keys = ["", "a", "id", "artists", "image_s", "image_url", "image_urls", "id", "\u{E9}", "imageURL"]
    let numbers = KeyNumbers(keys)
    func number(_ key: String) -> Int? { Array(key.utf8).withUnsafeBytes { numbers[$0] } }
    #expect(keys.map(number) == [0, 1, 2, 3, 4, 5, 6, 2, 8, 9])
    let others = ["b", "ids", "image_urlx", "image_url_that_is_longer", "e\u{301}", "\0"]
    #expect(others.compactMap(number).isEmpty)
  }
}
