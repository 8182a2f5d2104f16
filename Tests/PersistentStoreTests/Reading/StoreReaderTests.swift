import DataModel
import MigrationDiagnostics
import PropertyListFormat
import SQLiteDatabase
import TestSupport
import Testing

@testable import PersistentStore

struct StoreReaderTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("Library.sqlite")
  }

  private static let row = TrackRow(1, title: "One", json: nil)

  private func titles(_ reader: StoreReader) throws -> [String] {
    try Database.rows("SELECT ZTITLE FROM ZTRACK ORDER BY Z_PK", reader.connection)
  }

  @Test func `A locked store is not mistaken for an unreadable one or queried repeatedly`() throws {
    try TrackLibraryBuilder([Self.row]).write(to: path)
    let reader = try Connection(path: path, access: .readOnly)
    #expect(try reader.readableCount("SELECT count(*) FROM ZTRACK") == 1)
    #expect(try reader.readableCount("SELECT count(*) FROM nothing") == nil)
    let writer = try Connection(path: path, access: .readWrite)
    try writer.execute("BEGIN EXCLUSIVE")
    let error = #expect(throws: SQLiteError.self) { try reader.readableCount("SELECT count(*) FROM ZTRACK") }
    #expect(error?.code == SQLiteError.busy)
  }

  @Test func `A reader returns the store's metadata, keys and layout`() throws {
    var builder = TrackLibraryBuilder([Self.row])
    builder.greatestKey = 99
    builder.pageSize = 1024
    builder.autoVacuum = 1
    builder.encoding = "UTF-16be"
    builder.extraMetadata = [("zebra", .string("app's own")), ("Aardvark", .array([.integer(1)]))]
    try builder.write(to: path)
    let reader = try StoreReader(path: path)
    #expect(reader.metadata.uuid == builder.uuid)
    #expect(reader.metadata.versionHashes == TrackModels.v1.entityVersionHashesByName)
    #expect(reader.metadata.versionHashesVersion == 3)
    #expect(reader.metadata.versionIdentifiers == [""])
    #expect(reader.metadata.properties["zebra"] == .string("app's own"))
    #expect(reader.primaryKeys.map(\.entityName) == ["Track"])
    #expect(reader.primaryKeys.map(\.greatestKey) == [99])
    #expect(reader.layout == FileLayout(pageSize: 1024, autoVacuum: 1, encoding: "UTF-16be"))
    #expect(reader.access == .readOnly)
    try reader.close()
  }

  @Test(arguments: ["delete", "wal"])
  func `Reading leaves a store unchanged`(journalMode: String) throws {
    var builder = TrackLibraryBuilder([Self.row])
    builder.journalMode = journalMode
    try builder.write(to: path)
    let before = try folder.snapshot()
    let reader = try StoreReader(path: path)
    #expect(try titles(reader) == ["One"])
    #expect(throws: SQLiteError.self) { try reader.connection.execute("DELETE FROM ZTRACK") }
    try reader.close()
    #expect(try folder.snapshot() == before)
    #expect(try folder.listing() == ["Library.sqlite"])
  }

  @Test(arguments: [
    ("NULL", "its metadata is missing: Z_PLIST in the table Z_METADATA is NULL"),
    ("x''", "its metadata is not a property"),
  ])
  func `Missing metadata is reported as missing`(value: String, words: String) throws {
    try TrackLibraryBuilder([Self.row]).write(to: path)
    try Database.run("UPDATE Z_METADATA SET Z_PLIST = \(value)", in: path)
    let error = #expect(throws: MigrationError.self) { try StoreReader(path: path) }
    #expect(error?.code == .damaged)
    #expect(error?.detail?.hasPrefix(words) == true, "\(String(describing: error))")
  }

  @Test func `A live log is read and left unchanged`() throws {
    var builder = TrackLibraryBuilder([Self.row])
    builder.rowsInLog = [TrackRow(2, title: "In the log", json: nil)]
    try builder.write(to: path)
    let before = try folder.snapshot()
    #expect(before.contents["Library.sqlite-wal"]?.isEmpty == false)
    let reader = try StoreReader(path: path)
    #expect(reader.file.writeAheadLogSize > 0)
    #expect(try titles(reader) == ["One", "In the log"])
    try reader.close()
    #expect(try folder.snapshot() == before)
  }

  @Test func `A live log is left unchanged when the reader is only released`() throws {
    var builder = TrackLibraryBuilder([Self.row])
    builder.rowsInLog = [Self.row2]
    try builder.write(to: path)
    let before = try folder.snapshot()
    do {
      let reader = try StoreReader(path: path)
      #expect(try titles(reader).count == 2)
    }
    #expect(try folder.snapshot() == before)
  }

  private static let row2 = TrackRow(2, title: "Two", json: nil)

  @Test func `A live log is left unchanged when the file turns out not to be a store`() throws {
    var builder = TrackLibraryBuilder([Self.row])
    builder.rowsInLog = [Self.row2]
    try builder.write(to: path)
    let connection = try Connection(path: path, access: .create)
    connection.keepWriteAheadLogOnClose()
    try connection.execute("DELETE FROM Z_METADATA")
    try connection.close()
    Files.remove(path + "-shm")
    let before = try folder.snapshot()
    let error = try #require(throws: MigrationError.self) { try StoreReader(path: path) }
    #expect(error.code == .notACoreDataStore)
    #expect(try folder.snapshot() == before)
  }

  @Test func `An empty log that another program keeps is left in place`() throws {
    var builder = TrackLibraryBuilder([Self.row])
    builder.journalMode = "wal"
    try builder.write(to: path)
    try Files.write([], to: path + "-wal")
    let before = try folder.snapshot()
    let reader = try StoreReader(path: path)
    #expect(try titles(reader) == ["One"])
    try reader.close()
    #expect(try folder.snapshot() == before)
  }

  @Test func `A log index that a killed program left behind is removed`() throws {
    var builder = TrackLibraryBuilder([Self.row])
    builder.rowsInLog = [Self.row2]
    try builder.write(to: path)
    let before = try folder.snapshot()
    try Files.write([UInt8](repeating: 0, count: 32768), to: path + "-shm")
    let reader = try StoreReader(path: path)
    #expect(try titles(reader).count == 2)
    try reader.close()
    #expect(try folder.snapshot() == before)
  }

  @Test func `A log index that another program uses is left in place`() throws {
    var builder = TrackLibraryBuilder([Self.row])
    builder.rowsInLog = [Self.row2]
    try builder.write(to: path)
    let app = try Connection(path: path, access: .readWrite)
    app.keepWriteAheadLogOnClose()
    #expect(try app.integer("SELECT count(*) FROM ZTRACK") == 2)
    let before = try folder.snapshot()
    #expect(before.contents.keys.contains("Library.sqlite-shm"))
    let reader = try StoreReader(path: path)
    #expect(try titles(reader).count == 2)
    try reader.close()
    #expect(try folder.snapshot() == before)
    // The app continues undisturbed.
    try app.execute("INSERT INTO ZTRACK (ZTITLE) VALUES ('Three')")
    #expect(try app.integer("SELECT count(*) FROM ZTRACK") == 3)
  }

  @Test(arguments: ["delete", "wal"])
  func `A store in a read-only folder is read`(journalMode: String) throws {
    var builder = TrackLibraryBuilder([Self.row])
    builder.journalMode = journalMode
    try builder.write(to: path)
    try Files.setPermissions(0o444, of: path)
    folder.setPermissions(0o555)
    let before = try folder.snapshot()
    try Privileges.asNobody {
      let reader = try StoreReader(path: path)
      #expect(try titles(reader) == ["One"])
      #expect(reader.isImmutable == (journalMode == "wal"))
      try reader.close()
    }
    #expect(try folder.snapshot() == before)
  }

  @Test func `An unreadable log is an error and is never ignored`() throws {
    var builder = TrackLibraryBuilder([Self.row])
    builder.rowsInLog = [Self.row2]
    try builder.write(to: path)
    folder.setPermissions(0o555)
    let before = try folder.snapshot()
    let error = try Privileges.asNobody {
      try #require(throws: MigrationError.self) { try StoreReader(path: path) }
    }
    #expect(error.code == .unreadableWriteAheadLog)
    #expect(try folder.snapshot() == before)
  }

  /// Leaves what a crash in the middle of a transaction leaves: a changed file, and the journal to undo it.
  private func makeHotJournal(header: (inout [UInt8]) -> Void = { _ in }) throws {
    try TrackLibraryBuilder((1...200).map { TrackRow(Int64($0), title: "before", json: nil) }).write(to: path)
    let writer = try Connection(path: path, access: .create)
    try writer.execute("PRAGMA cache_size = 1; BEGIN; UPDATE ZTRACK SET ZTITLE = 'after', ZJSON = zeroblob(900)")
    let (main, journal) = (try Files.bytes(path), try Files.bytes(path + "-journal"))
    try writer.execute("ROLLBACK")
    try writer.close()
    var crashed = main
    header(&crashed)
    try Files.write(crashed, to: path)
    try Files.write(journal, to: path + "-journal")
  }

  @Test func `An unfinished transaction is not rolled back in the source`() throws {
    try makeHotJournal()
    let before = try folder.snapshot()
    let error = try #require(throws: MigrationError.self) { try StoreReader(path: path) }
    #expect(error.code == .unfinishedTransaction)
    #expect(try folder.snapshot() == before)
    // It was really one that SQLite wants to undo.
    #expect(try Database.rows("SELECT DISTINCT ZTITLE FROM ZTRACK", in: path) == ["before"])
  }

  @Test func `A damaged journal is refused, and stays`() throws {
    try makeHotJournal()
    var journal = try Files.bytes(path + "-journal")
    journal.replaceSubrange(0..<8, with: repeatElement(1, count: 8))
    for bytes in [journal, Array("garbage".utf8)] {
      try Files.write(bytes, to: path + "-journal")
      let before = try folder.snapshot()
      let error = try #require(throws: MigrationError.self) { try StoreReader(path: path) }
      #expect(error.code == .unfinishedTransaction && error.detail?.contains("header is damaged") == true)
      #expect(try folder.snapshot() == before)
    }
  }

  @Test func `An unfinished switch to WAL mode is not rolled back in the source`() throws {
    try makeHotJournal {
      $0[18] = 2; $0[19] = 2
    }
    let before = try folder.snapshot()
    let error = try #require(throws: MigrationError.self) { try StoreReader(path: path) }
    #expect(error.code == .unfinishedTransaction)
    #expect(try folder.snapshot() == before)
  }

  @Test func `A journal that is kept between transactions does not prevent reading`() throws {
    try TrackLibraryBuilder([Self.row]).write(to: path)
    try Database.run("PRAGMA journal_mode = persist; UPDATE ZTRACK SET ZTITLE = 'Two'", in: path)
    let before = try folder.snapshot()
    #expect(before.contents["Library.sqlite-journal"]?.isEmpty == false)
    let reader = try StoreReader(path: path)
    #expect(try titles(reader) == ["Two"])
    try reader.close()
    #expect(try folder.snapshot() == before)
  }

  @Test func `A store that another program locks is reported as locked`() throws {
    try TrackLibraryBuilder([Self.row]).write(to: path)
    let writer = try Connection(path: path, access: .readWrite)
    try writer.execute("BEGIN EXCLUSIVE")
    let error = try #require(throws: MigrationError.self) { try StoreReader(path: path, busyTimeout: 10) }
    #expect(error.code == .locked)
    #expect(error.exitStatus == 75)
    try writer.execute("ROLLBACK")
    #expect(try titles(StoreReader(path: path)) == ["One"])
  }

  @Test func `Closing while a statement is in use throws an error`() throws {
    try TrackLibraryBuilder([Self.row]).write(to: path)
    let reader = try StoreReader(path: path)
    let statement = try reader.connection.prepare("SELECT ZTITLE FROM ZTRACK")
    #expect(throws: MigrationError.self) { try reader.close() }
    #expect(try statement.step())
    #expect(statement.text(0) == "One")
  }
}
