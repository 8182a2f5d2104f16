import Diagnostics
import PersistentStore
import SQLite
import TestSupport
import Testing

struct SourceGuardTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("Library.sqlite")
  }

  enum Layout: CaseIterable { case journal, emptyLog, liveLog }

  private func makeLibrary(_ layout: Layout) throws -> StoreFile {
    var builder = TrackLibraryBuilder([TrackRow(1, title: "One", json: nil)])
    builder.journalMode = layout == .journal ? "delete" : "wal"
    if layout == .liveLog { builder.rowsInLog = [TrackRow(2, title: "Two", json: nil)] }
    try builder.write(to: path)
    return try StoreFile(path)
  }

  private func guarded(_ file: StoreFile) throws -> SourceGuard { try SourceGuard(file, busyTimeout: 10) }

  @Test(arguments: Layout.allCases)
  func `a guard that does not take over leaves everything as it was`(layout: Layout) throws {
    let file = try makeLibrary(layout)
    let before = try folder.snapshot()
    do {
      let sourceGuard = try guarded(file)
      let reader = try StoreReader(file: file, busyTimeout: 10)
      #expect(try reader.connection.integer("SELECT count(*) FROM ZTRACK") == (layout == .liveLog ? 2 : 1))
      try reader.close()
      withExtendedLifetime(sourceGuard) {}
    }
    #expect(try folder.snapshot() == before)
  }

  @Test(arguments: Layout.allCases)
  func `while a library is guarded others read, and none writes`(layout: Layout) throws {
    let sourceGuard = try guarded(try makeLibrary(layout))
    let other = try Connection(path: path, access: .readWrite, busyTimeout: 10)
    other.keepWriteAheadLogOnClose()
    #expect(try other.text("SELECT ZTITLE FROM ZTRACK") == "One")
    let error = #expect(throws: SQLiteError.self) { try other.execute("DELETE FROM ZTRACK") }
    #expect(error?.code == SQLiteError.busy)
    withExtendedLifetime(sourceGuard) {}
  }

  @Test(arguments: Layout.allCases)
  func `taking over makes one whole file that nobody can open`(layout: Layout) throws {
    let sourceGuard = try guarded(try makeLibrary(layout))
    try sourceGuard.takeOver()
    #expect(try folder.listing().filter { !$0.hasSuffix("-journal") } == ["Library.sqlite"])
    let header = try Files.bytes(path)
    #expect(header[18] == 1 && header[19] == 1)
    let error = #expect(throws: SQLiteError.self) {
      try Connection(path: path, access: .readOnly).integer("SELECT count(*) FROM ZTRACK")
    }
    #expect(error?.code == SQLiteError.busy)
    // The file by itself holds all that was in the log.
    try Files.write(header, to: folder.file("copy"))
    #expect(
      try Database.rows("SELECT count(*) FROM ZTRACK", in: folder.file("copy")) == [layout == .liveLog ? "2" : "1"])
    withExtendedLifetime(sourceGuard) {}
  }

  @Test(arguments: Layout.allCases)
  func `another writer is noticed at once`(layout: Layout) throws {
    let file = try makeLibrary(layout)
    let other = try Connection(path: path, access: .readWrite)
    other.keepWriteAheadLogOnClose()
    try other.execute("BEGIN IMMEDIATE; UPDATE ZTRACK SET ZTITLE = 'x'")
    let error = try #require(throws: MigrationError.self) { try guarded(file) }
    #expect(error.code == .openElsewhere)
    #expect(error.exitStatus == 75)
    try other.execute("ROLLBACK")
  }

  @Test(arguments: Layout.allCases)
  func `another reader in a transaction is noticed at once`(layout: Layout) throws {
    let file = try makeLibrary(layout)
    let other = try Connection(path: path, access: .readWrite)
    other.keepWriteAheadLogOnClose()
    try other.execute("BEGIN; SELECT count(*) FROM ZTRACK")
    #expect(try #require(throws: MigrationError.self) { try guarded(file) }.code == .openElsewhere)
    try other.execute("COMMIT")
  }

  @Test(arguments: [Layout.emptyLog, .liveLog])
  func `in WAL mode even an idle program is noticed`(layout: Layout) throws {
    let file = try makeLibrary(layout)
    let other = try Connection(path: path, access: .readWrite)
    other.keepWriteAheadLogOnClose()
    #expect(try other.text("SELECT ZTITLE FROM ZTRACK") == "One")
    #expect(try #require(throws: MigrationError.self) { try guarded(file) }.code == .openElsewhere)
    withExtendedLifetime(other) {}
  }

  @Test(.enabled(if: Program.sqlite != nil, "needs sqlite3"), .timeLimit(.minutes(1)), arguments: Layout.allCases)
  func `another process is noticed`(layout: Layout) throws {
    let file = try makeLibrary(layout)
    let other = try Companion(try #require(Program.sqlite), ["-batch", path])
    #expect(try other.ask("BEGIN IMMEDIATE; SELECT ZTITLE FROM ZTRACK;") == "One")
    #expect(try #require(throws: MigrationError.self) { try guarded(file) }.code == .openElsewhere)
    other.end()
    #expect(throws: Never.self) { try guarded(file) }
  }

  @Test(arguments: Layout.allCases)
  func `a program that reads at the end keeps the library from being taken over`(layout: Layout) throws {
    let sourceGuard = try guarded(try makeLibrary(layout))
    let other = try Connection(path: path, access: .readWrite)
    other.keepWriteAheadLogOnClose()
    try other.execute("BEGIN; SELECT count(*) FROM ZTRACK")
    #expect(try #require(throws: MigrationError.self) { try sourceGuard.takeOver() }.code == .openElsewhere)
    try other.execute("COMMIT")
  }

  @Test(.enabled(if: Program.sqlite != nil, "needs sqlite3"), .timeLimit(.minutes(1)), arguments: Layout.allCases)
  func `a writer that gets in between is noticed`(layout: Layout) throws {
    let sourceGuard = try guarded(try makeLibrary(layout))
    // POSIX drops all of a process's locks on a file when it closes any descriptor of it. This stands for the moment
    // between the guard's two locks, which is too short to hit.
    _ = try Files.bytes(layout == .journal ? path : path + "-shm")
    let other = try Companion(try #require(Program.sqlite), ["-batch", path])
    #expect(try other.ask("UPDATE ZTRACK SET ZTITLE = 'theirs'; SELECT 'written';") == "written")
    other.end()
    let error = try #require(throws: MigrationError.self) { try sourceGuard.takeOver() }
    #expect(error.code == .changedMeanwhile)
    #expect(error.exitStatus == 75)
  }

  @Test(.enabled(if: Program.sqlite != nil, "needs sqlite3"), .timeLimit(.minutes(1)))
  func `copying the library ends the lock only when the copied file is closed`() throws {
    let sourceGuard = try guarded(try makeLibrary(.journal))
    try sourceGuard.takeOver()
    func countByOtherProcess() throws -> String {
      let other = try Companion(try #require(Program.sqlite), ["-batch", path])
      defer { other.end() }
      return try other.ask("SELECT count(*) FROM ZTRACK;")
    }
    do {
      let source = try FileSystem.copy(path, to: folder.file("backup"))
      #expect(try countByOtherProcess().contains("locked"))
      withExtendedLifetime(source) {}
    }
    // What it is kept for.
    #expect(try countByOtherProcess() == "1")
    withExtendedLifetime(sourceGuard) {}
  }

  @Test func `a library that may not be written cannot be replaced`() throws {
    let file = try makeLibrary(.journal)
    try Files.setPermissions(0o444, of: path)
    let error: MigrationError = try Privileges.asNobody {
      try #require(throws: MigrationError.self) { try self.guarded(file) }
    }
    #expect(error.code == .cannotReplace)
  }
}
