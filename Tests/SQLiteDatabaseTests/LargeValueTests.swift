import SQLiteDatabase
import TestSupport
import Testing

struct LargeValueTests {
  private let folder: TemporaryFolder
  private let connection: Connection

  init() throws {
    folder = try TemporaryFolder()
    connection = try Connection(path: folder.file("store"), access: .create)
    try connection.execute("CREATE TABLE t (k INTEGER PRIMARY KEY, x, y)")
  }

  @Test func `A value above the limit is refused, and its size is still known`() throws {
    try connection.execute("INSERT INTO t VALUES (1, zeroblob(5000), 'small'), (2, zeroblob(10), 'small')")
    let original = connection.limitValueSize(to: 4096)
    let error = #expect(throws: SQLiteError.self) { try connection.text("SELECT x FROM t WHERE k = 1") }
    #expect(error?.code == SQLiteError.tooBig)
    // The other rows, the other columns and the type need no more than the limit.
    #expect(try connection.text("SELECT typeof(x) FROM t WHERE k = 1") == "blob")
    #expect(try connection.text("SELECT y FROM t WHERE k = 1") == "small")
    #expect(try connection.integer("SELECT length(x) FROM t WHERE k = 2") == 10)
    #expect(try Blob(connection, table: "t", column: "x", row: 1).count == 5000)
    #expect(connection.limitValueSize(to: original) == 4096)
    #expect(try connection.integer("SELECT length(x) FROM t WHERE k = 1") == 5000)
  }

  @Test(arguments: [1, 7, 4096, 10_000, 20_000])
  func `A value is read in pieces of any size`(pieceSize: Int) throws {
    let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let statement = try connection.prepare("INSERT INTO t VALUES (-5, ?, '')")
    try statement.bind(bytes, at: 1)
    try statement.run()
    let blob = try Blob(connection, table: "t", column: "x", row: -5)
    var read: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: pieceSize)
    while true {
      let count = try piece.withUnsafeMutableBytes { try blob.read(into: $0, at: read.count) }
      if count == 0 { break }
      read += piece.prefix(count)
    }
    #expect(read == bytes)
  }

  @Test func `Text is read as the bytes of the file`() throws {
    try connection.execute("INSERT INTO t VALUES (1, CAST(x'61FF00' AS TEXT), '')")
    let blob = try Blob(connection, table: "t", column: "x", row: 1)
    var bytes = [UInt8](repeating: 0, count: 10)
    #expect(try bytes.withUnsafeMutableBytes { try blob.read(into: $0, at: 0) } == 3)
    #expect(Array(bytes.prefix(3)) == [0x61, 0xFF, 0x00])
  }

  @Test(arguments: [
    ("t", "x", Int64(99)), ("t", "nothing", 1), ("nowhere", "x", 1), ("t", "k", 1), ("t", "y", 1),
  ])
  func `A value that is neither text nor a blob cannot be opened`(table: String, column: String, row: Int64) throws {
    try connection.execute("INSERT INTO t VALUES (1, x'00', NULL)")
    #expect(throws: SQLiteError.self) { try Blob(connection, table: table, column: column, row: row) }
    // Nothing is left open that would keep the connection from closing.
    try connection.close()
  }

  @Test func `An empty value has no bytes`() throws {
    try connection.execute("INSERT INTO t VALUES (1, x'', '')")
    for column in ["x", "y"] {
      let blob = try Blob(connection, table: "t", column: column, row: 1)
      #expect(blob.count == 0)
      var bytes = [UInt8](repeating: 0, count: 4)
      #expect(try bytes.withUnsafeMutableBytes { try blob.read(into: $0, at: 0) } == 0)
    }
  }
}
