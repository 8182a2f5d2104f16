import MigrationDiagnostics
import PersistentStore
import SQLiteDatabase
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

  private func guarded(_ file: StoreFile) throws -> StoreWriteLock { try StoreWriteLock(file, busyTimeout: 10) }

  @Test(arguments: Layout.allCases)
  func `A guard that does not take over leaves everything unchanged`(layout: Layout) throws {
    let file = try makeLibrary(layout)
    let before = try folder.snapshot()
    do {
      let writeLock = try guarded(file)
      let reader = try StoreReader(file: file, busyTimeout: 10)
      #expect(try reader.connection.integer("SELECT count(*) FROM ZTRACK") == (layout == .liveLog ? 2 : 1))
      try reader.close()
      withExtendedLifetime(writeLock) {}
    }
    #expect(try folder.snapshot() == before)
  }

  @Test(arguments: Layout.allCases)
  func `A guarded library can be read but not written by others`(layout: Layout) throws {
    let writeLock = try guarded(try makeLibrary(layout))
    let other = try Connection(path: path, access: .readWrite, busyTimeout: 10)
    other.keepWriteAheadLogOnClose()
    #expect(try other.text("SELECT ZTITLE FROM ZTRACK") == "One")
    let error = #expect(throws: SQLiteError.self) { try other.execute("DELETE FROM ZTRACK") }
    #expect(error?.code == SQLiteError.busy)
    withExtendedLifetime(writeLock) {}
  }

  @Test(arguments: Layout.allCases)
  func `Taking over produces one complete file that no other program can open`(layout: Layout) throws {
    let writeLock = try guarded(try makeLibrary(layout))
    try writeLock.takeOver()
    #expect(try folder.listing().filter { !$0.hasSuffix("-journal") } == ["Library.sqlite"])
    #if os(Linux)
      // To open it here would wait for the lease. Where that is broken, there are the locks still.
      let number = ":\(try Files.fileNumber(path)) "
      let locks = try Files.text("/proc/locks").split(separator: "\n").filter { $0.contains(number) }
      #expect(locks.contains { $0.contains("OFDLCK") && $0.hasSuffix(" 1073741824 1073742335") })
      #expect(locks.contains { $0.contains("LEASE") && $0.contains("WRITE") })
    #endif
    // The file by itself holds all that was in the log.
    let copy = folder.file("copy")
    try writeLock.wholeFile().copy(to: copy)
    #expect(try Files.bytes(copy)[18...19] == [1, 1])
    #expect(try Database.rows("SELECT count(*) FROM ZTRACK", in: copy) == [layout == .liveLog ? "2" : "1"])
    writeLock.letGo()
  }

  @Test(arguments: Layout.allCases)
  func `Another writer is detected at once`(layout: Layout) throws {
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
  func `Another reader in a transaction is detected at once`(layout: Layout) throws {
    let file = try makeLibrary(layout)
    let other = try Connection(path: path, access: .readWrite)
    other.keepWriteAheadLogOnClose()
    try other.execute("BEGIN; SELECT count(*) FROM ZTRACK")
    #expect(try #require(throws: MigrationError.self) { try guarded(file) }.code == .openElsewhere)
    try other.execute("COMMIT")
  }

  @Test(arguments: [Layout.emptyLog, .liveLog])
  func `Even an idle program is detected in WAL mode`(layout: Layout) throws {
    let file = try makeLibrary(layout)
    let other = try Connection(path: path, access: .readWrite)
    other.keepWriteAheadLogOnClose()
    #expect(try other.text("SELECT ZTITLE FROM ZTRACK") == "One")
    #expect(try #require(throws: MigrationError.self) { try guarded(file) }.code == .openElsewhere)
    withExtendedLifetime(other) {}
  }

  @Test(.enabled(if: Program.sqlite != nil, "needs sqlite3"), .timeLimit(.minutes(1)), arguments: Layout.allCases)
  func `Another process is detected`(layout: Layout) throws {
    let file = try makeLibrary(layout)
    let other = try Companion(try #require(Program.sqlite), ["-batch", path])
    #expect(try other.ask("BEGIN IMMEDIATE; SELECT ZTITLE FROM ZTRACK;") == "One")
    #expect(try #require(throws: MigrationError.self) { try guarded(file) }.code == .openElsewhere)
    other.end()
    #expect(throws: Never.self) { try guarded(file) }
  }

  @Test(arguments: Layout.allCases)
  func `A program that is reading at the end prevents the takeover`(layout: Layout) throws {
    let writeLock = try guarded(try makeLibrary(layout))
    let other = try Connection(path: path, access: .readWrite)
    other.keepWriteAheadLogOnClose()
    try other.execute("BEGIN; SELECT count(*) FROM ZTRACK")
    #expect(try #require(throws: MigrationError.self) { try writeLock.takeOver() }.code == .openElsewhere)
    try other.execute("COMMIT")
  }

  @Test(.enabled(if: Program.sqlite != nil, "needs sqlite3"), .timeLimit(.minutes(1)), arguments: Layout.allCases)
  func `A writer that gets in between the two locks is detected`(layout: Layout) throws {
    let writeLock = try guarded(try makeLibrary(layout))
    // POSIX drops all of a process's locks on a file when it closes any descriptor of it. This stands for the moment
    // between the guard's two locks, which is too short to hit.
    _ = try Files.bytes(layout == .journal ? path : path + "-shm")
    let other = try Companion(try #require(Program.sqlite), ["-batch", path])
    #expect(try other.ask("UPDATE ZTRACK SET ZTITLE = 'theirs'; SELECT 'written';") == "written")
    other.end()
    let error = try #require(throws: MigrationError.self) { try writeLock.takeOver() }
    #expect(error.code == .changedMeanwhile)
    #expect(error.exitStatus == 75)
  }

  @Test(arguments: [Layout.emptyLog, .liveLog])
  func `A commit after the write lock is released is detected`(layout: Layout) throws {
    let writeLock = try guarded(try makeLibrary(layout))
    let other = try Connection(path: path, access: .readWrite)
    #expect(try other.text("SELECT ZTITLE FROM ZTRACK") == "One")
    // The other program is in the way of the exclusive lock. The write lock is given back by now.
    #expect(try #require(throws: MigrationError.self) { try writeLock.takeOver() }.code == .openElsewhere)
    try other.execute("UPDATE ZTRACK SET ZTITLE = 'theirs'")
    try other.close()
    #expect(try #require(throws: MigrationError.self) { try writeLock.takeOver() }.code == .changedMeanwhile)
    writeLock.letGo()
    #expect(try Database.rows("SELECT DISTINCT ZTITLE FROM ZTRACK", in: path) == ["theirs"])
  }

  /// Journal modes in which SQLite does, or may, not look whether the file still has its name.
  static let journalModes = ["DELETE", "MEMORY", "OFF", "PERSIST", "TRUNCATE"]

  private func idleProgram(_ journalMode: String) throws -> Companion {
    let other = try Companion(try #require(Program.sqlite), ["-batch", path])
    #expect(try other.ask("PRAGMA journal_mode = \(journalMode);") == journalMode.lowercased())
    #expect(try other.ask("UPDATE ZTRACK SET ZTITLE = ZTITLE; SELECT ZTITLE FROM ZTRACK LIMIT 1;") == "One")
    return other
  }

  @Test(.enabled(if: Program.sqlite != nil, "needs sqlite3"), .timeLimit(.minutes(1)), arguments: journalModes)
  func `An idle program without a lock is detected at once`(journalMode: String) throws {
    let file = try makeLibrary(.journal)
    let other = try idleProgram(journalMode)
    #expect(try #require(throws: MigrationError.self) { try guarded(file) }.code == .openElsewhere)
    other.end()
    #expect(throws: Never.self) { try guarded(file) }
  }

  @Test(.enabled(if: Program.sqlite != nil, "needs sqlite3"), .timeLimit(.minutes(1)), arguments: [false, true])
  func `An idle program that opens the library during the work is detected at the end`(commits: Bool) throws {
    let writeLock = try guarded(try makeLibrary(.journal))
    let other = try Companion(try #require(Program.sqlite), ["-batch", path])
    #expect(try other.ask("PRAGMA journal_mode = OFF; SELECT ZTITLE FROM ZTRACK;") == "off")
    #expect(other.readLine() == "One")
    // It is in the way of the lease, and nothing of SQLite's is held by then.
    #expect(try #require(throws: MigrationError.self) { try writeLock.takeOver() }.code == .openElsewhere)
    if commits { #expect(try other.ask("UPDATE ZTRACK SET ZTITLE = 'theirs'; SELECT 'written';") == "written") }
    other.end()
    guard commits else { return try writeLock.takeOver() }
    #expect(try #require(throws: MigrationError.self) { try writeLock.takeOver() }.code == .changedMeanwhile)
  }

  #if os(Linux)
    /// A program that opens the library to write to it while it is held, and so waits for the kernel.
    private func waitingProgram(_ writeLock: StoreWriteLock) throws -> Companion {
      let update = "PRAGMA journal_mode = OFF; UPDATE ZTRACK SET ZTITLE = 'theirs'"
      // By this name the shell does not look into the file first, which would be to read it.
      let other = try Companion(try #require(Program.sqlite), ["file:\(path)", update])
      let whole = try writeLock.wholeFile()
      while (try? whole.requireAlone()) != nil {}
      return other
    }

    @Test(.enabled(if: Program.sqlite != nil, "needs sqlite3"), .timeLimit(.minutes(1)))
    func `A program that starts to write at the last moment prevents the replacement`() throws {
      let file = try makeLibrary(.journal)
      let writeLock = try guarded(file)
      try writeLock.takeOver()
      let staging = try StagingFile(for: file.resolvedPath, named: path)
      try Files.write("new", to: staging.path)
      let other = try waitingProgram(writeLock)
      let error = try #require(throws: MigrationError.self) {
        try StoreReplacement(staging: staging, companions: []).replace(file, heldBy: writeLock, backupPath: nil)
      }
      #expect(error.code == .openElsewhere)
      #expect(other.readLine() == "off")
      #expect(other.readLine() == "")
      #expect(try Database.rows("SELECT ZTITLE FROM ZTRACK", in: path) == ["theirs"])
      staging.discard()
    }

    @Test(
      .enabled(if: Program.sqlite != nil, "needs sqlite3"), .timeLimit(.minutes(1)), arguments: [nil, "backup"])
    func `A program that starts to write after the last moment gets an error`(backupName: String?) throws {
      let file = try makeLibrary(.journal)
      let old = try Files.bytes(path)
      let writeLock = try guarded(file)
      try writeLock.takeOver()
      let staging = try StagingFile(for: file.resolvedPath, named: path)
      try Files.write("new", to: staging.path)
      let other = try waitingProgram(writeLock)
      // The replacement does this after its last check.
      let backup = backupName.map { folder.file($0) }
      if let backup { try Files.hardLink(backup, to: path) }
      try FileSystem.move(staging.path, replacing: path)
      try writeLock.wholeFile().retire(backup: backup, by: staging)
      writeLock.letGo()
      let answer = other.readLine() + other.readLine()
      #expect(answer.contains("not a database"), "\(answer)")
      #expect(try Files.text(path) == "new")
      if let backup { #expect(try Files.bytes(backup) == old) }
    }
  #endif

  @Test(.enabled(if: Program.sqlite != nil, "needs sqlite3"), .timeLimit(.minutes(1)))
  func `Closing other files in this process does not end the lock on a library that was taken over`() throws {
    let writeLock = try guarded(try makeLibrary(.journal))
    try writeLock.takeOver()
    let whole = try writeLock.wholeFile()
    try whole.copy(to: folder.file("backup"))
    #expect(throws: Never.self) { try whole.requireAlone() }
    writeLock.letGo()
    #expect(try Database.rows("SELECT count(*) FROM ZTRACK", in: folder.file("backup")) == ["1"])
  }

  @Test func `A read-only library cannot be replaced`() throws {
    let file = try makeLibrary(.journal)
    try Files.setPermissions(0o444, of: path)
    let error: MigrationError = try Privileges.asNobody {
      try #require(throws: MigrationError.self) { try self.guarded(file) }
    }
    #expect(error.code == .cannotReplace)
  }
}
