import Foundation
import SQLite
import TestSupport
import Testing

@Suite("A library that another program uses")
struct LockTests {
  let folder: TemporaryFolder
  let library: String

  init() throws {
    folder = try TemporaryFolder()
    library = try folder.library()
  }

  @Test(arguments: ["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"])
  func `is not migrated while it is being written`(statement: String) throws {
    let before = try folder.snapshot()
    let connection = try Connection(path: library, access: .readWrite)
    try connection.execute(statement)
    let result = try tracksMigrate(library)
    #expect(result.status == 75)
    #expect(result.stderr.hasPrefix("tracks-migrate: error: '\(library)' is "))
    #expect(
      result.stderr.contains("Nothing was changed. Close the program that uses it, then run the command again.\n"))
    try connection.close()
    #expect(try folder.snapshot() == before)
    try successfully(library)
  }

  @Test func `is not migrated while it is open with a write-ahead log`() throws {
    try Database.run("PRAGMA journal_mode = WAL", in: library)
    let connection = try Connection(path: library, access: .readWrite)
    try connection.execute("BEGIN; SELECT count(*) FROM ZTRACK")
    let names = try folder.listing()
    let result = try tracksMigrate(library)
    #expect(result.status == 75)
    #expect(result.stderr.hasPrefix("tracks-migrate: error: '\(library)' is open in another program: "))
    #expect(try folder.listing() == names)
    try connection.close()
    #expect(try Database.value("SELECT count(*) FROM ZTRACK", in: library) == "5")
    try successfully(library)
  }

  @Test func `is not migrated while a reader of the rollback journal is in the middle of reading`() throws {
    let connection = try Connection(path: library, access: .readOnly)
    let statement = try connection.prepare("SELECT Z_PK FROM ZTRACK")
    _ = try statement.step()
    #expect(try tracksMigrate(library).status == 75)
    #expect(try folder.listing() == ["Library.sqlite"])
  }

  @Test func `can be written to a new file while it is open`() throws {
    try Database.run("PRAGMA journal_mode = WAL", in: library)
    let connection = try Connection(path: library, access: .readWrite)
    try connection.execute("UPDATE ZTRACK SET ZTITLE = 'Changed' WHERE Z_PK = 1; BEGIN IMMEDIATE")
    let target = try TemporaryFolder()
    try successfully(library, "--output", target.file("New.sqlite"))
    #expect(try Database.value("SELECT ZTITLE FROM ZTRACK WHERE Z_PK = 1", in: target.file("New.sqlite")) == "Changed")
    try connection.execute("COMMIT")
    #expect(try folder.listing() == ["Library.sqlite", "Library.sqlite-shm", "Library.sqlite-wal"])
  }

  @Test func `waits for a program that is soon done`() throws {
    let connection = try Connection(path: library, access: .readWrite)
    try connection.execute("BEGIN EXCLUSIVE")
    let command = try CommandRunner([library]).start()
    usleep(500_000)
    try connection.execute("COMMIT")
    try connection.close()
    #expect(try command.finish().status == 0)
  }
}
