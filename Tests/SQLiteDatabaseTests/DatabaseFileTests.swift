import SQLiteDatabase
import TestSupport
import Testing

@Suite("The file of a connection")
struct DatabaseFileTests {
  @Test func `Bytes are read from any offset up to the end of the file`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a.sqlite")
    try Database.run("PRAGMA page_size = 1024; CREATE TABLE t (a); INSERT INTO t VALUES ('x')", in: path)
    let bytes = try Files.bytes(path)
    let connection = try Connection(path: path, access: .readOnly)
    _ = try connection.integer("SELECT count(*) FROM t")
    let file = try DatabaseFile(connection)
    var block = [UInt8](repeating: 0xEE, count: 600)
    try file.read(600, at: 1000, into: &block)
    #expect(block == Array(bytes[1000..<1600]))
    try file.read(2, at: 0, into: &block)
    #expect(block.prefix(3) == [0x53, 0x51, bytes[1002]])
    #expect(throws: SQLiteError.self) { try file.read(600, at: Int64(bytes.count) - 599, into: &block) }
  }
}
