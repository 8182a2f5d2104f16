import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

struct StoreFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func error(_ name: String) throws -> MigrationError {
    try #require(throws: MigrationError.self) { try StoreReader(path: folder.file(name)) }
  }

  @Test(arguments: ["nothing", "file/below", "dangling"])
  func `A file that does not exist is reported as missing`(name: String) throws {
    try Files.write("x", to: folder.file("file"))
    try Files.link(folder.file("dangling"), to: folder.file("gone"))
    let before = try folder.snapshot()
    let error = try error(name)
    #expect(error.code == .missing)
    #expect(error.subject.path == folder.file(name))
    #expect(try folder.snapshot() == before)
  }

  @Test func `An empty path is reported as missing`() throws {
    #expect(try #require(throws: MigrationError.self) { try StoreFile("") }.code == .missing)
  }

  @Test func `A folder is not accepted as a library`() throws {
    _ = try folder.makeFolder("library")
    #expect(try error("library").code == .isDirectory)
  }

  @Test(.timeLimit(.minutes(1))) func `A pipe is refused without waiting`() throws {
    #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
    #expect(try error("pipe").code == .notAFile)
    #expect(try #require(throws: MigrationError.self) { try StoreFile("/dev/null") }.code == .notAFile)
  }

  @Test func `Circular links are reported as unreadable`() throws {
    try Files.link(folder.file("a"), to: folder.file("b"))
    try Files.link(folder.file("b"), to: folder.file("a"))
    #expect(try error("a").code == .unreadable)
  }

  @Test func `A file without read permission is reported as unreadable`() throws {
    try TrackLibraryBuilder().write(to: folder.file("library"))
    try Files.setPermissions(0o000, of: folder.file("library"))
    let error: MigrationError = try Privileges.asNobody { try self.error("library") }
    #expect(error.code == .unreadable)
    #expect(error.detail == "Permission denied")
  }

  @Test(
    arguments: [
      ("", "it is empty"), ("x", nil), ("SQLite format 3", nil), (String(repeating: "garbage ", count: 1000), nil),
      ("SQLite format 3\u{1}" + String(repeating: "\0", count: 100), nil),
    ] as [(String, String?)])
  func `A file without a SQLite header is not accepted as a database`(content: String, detail: String?) throws {
    try Files.write(content, to: folder.file("file"))
    let before = try folder.snapshot()
    let error = try error("file")
    #expect(error.code == .notADatabase)
    #expect(error.detail == detail)
    #expect(try folder.snapshot() == before)
  }

  @Test func `A valid header followed by garbage throws an error`() throws {
    try Files.write("SQLite format 3\0" + String(repeating: "\u{7F}", count: 9000), to: folder.file("file"))
    let before = try folder.snapshot()
    #expect([.notADatabase, .damaged].contains(try error("file").code))
    #expect(try folder.snapshot() == before)
  }

  @Test(arguments: [
    "CREATE TABLE t (x)", "CREATE TABLE Z_METADATA (x)", "CREATE VIEW Z_METADATA AS SELECT 1 AS Z_UUID",
  ])
  func `Another app's database is not accepted as a Core Data store`(sql: String) throws {
    try Database.run(sql, in: folder.file("other"))
    let before = try folder.snapshot()
    #expect(try error("other").code == .notACoreDataStore)
    #expect(try folder.snapshot() == before)
  }

  @Test(arguments: [
    ("DELETE FROM Z_METADATA", MigrationError.Code.notACoreDataStore),
    ("UPDATE Z_METADATA SET Z_PLIST = NULL", .damaged),
    ("UPDATE Z_METADATA SET Z_PLIST = x'62706C6973743030FFFF'", .damaged),
    ("UPDATE Z_METADATA SET Z_PLIST = 'text'", .damaged),
    (
      "UPDATE Z_METADATA SET Z_PLIST = x'62706C6973743030A0080000000000000101000000000000000100000000000000000000000000000009'",
      .notACoreDataStore
    ),
    ("ALTER TABLE Z_METADATA RENAME COLUMN Z_PLIST TO other", .damaged),
    ("ALTER TABLE Z_PRIMARYKEY RENAME COLUMN Z_MAX TO other", .damaged),
    ("DROP TABLE Z_PRIMARYKEY", .notACoreDataStore),
    (
      "DROP TABLE Z_METADATA; CREATE VIEW Z_METADATA AS SELECT 1 AS Z_UUID, x'' AS Z_PLIST, 1 AS Z_VERSION",
      .notACoreDataStore
    ),
  ])
  func `Kinds of broken metadata are distinguished`(sql: String, code: MigrationError.Code) throws {
    try TrackLibraryBuilder().write(to: folder.file("library"))
    try Database.run(sql, in: folder.file("library"))
    let before = try folder.snapshot()
    let error = try error("library")
    #expect(error.code == code)
    #expect(error.subject.path == folder.file("library"))
    #expect(error.exitStatus == 65)
    #expect(try folder.snapshot() == before)
  }

  @Test func `A truncated library is reported as damaged`() throws {
    let rows = (1...500).map { TrackRow(Int64($0), json: .text(String(repeating: "x", count: 500))) }
    try TrackLibraryBuilder(rows).write(to: folder.file("library"))
    try Files.write(Array(try Files.bytes(folder.file("library")).prefix(6000)), to: folder.file("library"))
    #expect(try error("library").code == .damaged)
  }

  @Test func `A link leads to its file`() throws {
    try TrackLibraryBuilder().write(to: folder.file("library"))
    _ = try folder.makeFolder("elsewhere")
    try Files.link(folder.file("elsewhere/link"), to: folder.file("library"))
    let file = try StoreFile(folder.file("elsewhere/link"))
    #expect(file.path == folder.file("elsewhere/link"))
    #expect(file.resolvedPath == folder.file("library"))
    #expect(file.size == Int64(try Files.bytes(folder.file("library")).count))
    #expect(file.writeAheadLogSize == 0)
    #expect(!file.usesWriteAheadLog)
  }
}
