import Foundation
import SQLiteDatabase
import TestSupport
import Testing

@Suite("A library in use by another program")
struct LockTests {
  let folder: TemporaryFolder
  let library: String

  init() throws {
    folder = try TemporaryFolder()
    library = try folder.library()
  }

  @Test(arguments: ["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"])
  func `A library is not migrated while it is being written`(statement: String) throws {
    let before = try folder.snapshot()
    let connection = try Connection(path: library, access: .readWrite)
    try connection.execute(statement)
    let result = try tracksMigrate(library)
    #expect(result.status == 75)
    #expect(result.stderr.hasPrefix("tracks-migrate: error: '\(library)' is "))
    #expect(
      result.stderr.contains("Nothing was changed. Close the program and run this again.\n"))
    try connection.close()
    #expect(try folder.snapshot() == before)
    try successfully(library)
  }

  @Test func `A library is not migrated while it is open with a write-ahead log`() throws {
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

  @Test func `A library is not migrated while a rollback-journal reader is reading`() throws {
    let connection = try Connection(path: library, access: .readOnly)
    let statement = try connection.prepare("SELECT Z_PK FROM ZTRACK")
    _ = try statement.step()
    #expect(try tracksMigrate(library).status == 75)
    #expect(try folder.listing() == ["Library.sqlite"])
  }

  @Test func `A library can be migrated to a new file while it is open`() throws {
    try Database.run("PRAGMA journal_mode = WAL", in: library)
    let connection = try Connection(path: library, access: .readWrite)
    try connection.execute("UPDATE ZTRACK SET ZTITLE = 'Changed' WHERE Z_PK = 1; BEGIN IMMEDIATE")
    let target = try TemporaryFolder()
    try successfully(library, "--output", target.file("New.sqlite"))
    #expect(try Database.value("SELECT ZTITLE FROM ZTRACK WHERE Z_PK = 1", in: target.file("New.sqlite")) == "Changed")
    try connection.execute("COMMIT")
    #expect(try folder.listing() == ["Library.sqlite", "Library.sqlite-shm", "Library.sqlite-wal"])
  }

  @Test func `A migration waits for a program that finishes soon`() throws {
    let connection = try Connection(path: library, access: .readWrite)
    try connection.execute("BEGIN EXCLUSIVE")
    let command = try CommandRunner([library]).start()
    usleep(500_000)
    try connection.execute("COMMIT")
    try connection.close()
    #expect(try command.finish().status == 0)
  }

  /// What is migrated, and how.
  enum Run: CaseIterable { case tracks, verifiedTracks, app }

  @Test(
    .enabled(if: FaultInjector.shared != nil && Program.sqlite != nil, "needs a C compiler and sqlite3"),
    .timeLimit(.minutes(5)), arguments: Run.allCases)
  func `A commit that waited for the migration is kept`(run: Run) throws {
    let app = try SampleStore("Notes", version: 2)
    let (folder, store) = run == .app ? (app.folder, app.path) : (folder, library)
    let options: [Run: [String]] = [.verifiedTracks: ["--verify"], .app: ["--model", app.model]]
    let arguments = [store] + options[run, default: []]
    try Database.run("PRAGMA journal_mode = WAL", in: store)
    // For tracks, the first one is the call for the statistics, which are tested before there is anything to write.
    let sync = run == .app ? 1 : 2
    let injector = try #require(FaultInjector.shared)
    let command = try CommandRunner(arguments).startAndStop(at: sync, of: "sync", in: folder, injector)
    let other = try Companion(
      try #require(Program.sqlite),
      ["-cmd", ".timeout 60000", store, "CREATE TABLE Theirs(x); INSERT INTO Theirs VALUES(1); SELECT 'committed'"])
    // This gives the program time to reach the write lock. If it comes later, it has the file open elsewhere.
    usleep(500_000)
    command.send(SIGCONT)
    #expect(other.readLine() == "committed")
    let result = try command.finish()
    #expect(result.status == 75, "\(result)")
    #expect(try Database.value("SELECT count(*) FROM Theirs", in: store) == "1")
    #expect(try folder.listing().filter { $0.contains("tracks-migrate") || $0.contains("backup") } == [])
  }

  /// A user other than the owner gets no lease from the kernel and cannot see who has the library open.
  @Test(
    .enabled(if: Self.canBeAnotherUser, "needs root, setpriv and sqlite3"), .timeLimit(.minutes(5)),
    arguments: ["DELETE", "MEMORY", "OFF", "PERSIST"])
  func `An idle program cannot commit after another user's migration`(journalMode: String) throws {
    let tool = try copiedTool()
    for (path, mode) in [(tool, 0o755), (library, 0o666), (folder.path, 0o777)] {
      try Files.setPermissions(mode, of: path)
    }
    let other = try Companion(try #require(Program.sqlite), ["-batch", library])
    #expect(try other.ask("PRAGMA journal_mode = \(journalMode);") == journalMode.lowercased())
    #expect(try other.ask("UPDATE ZTRACK SET ZTITLE = ZTITLE; SELECT 'idle';") == "idle")
    let script = #"exec setpriv --reuid=65534 --clear-groups "$1" "$2" --quiet"#
    let result = try CommandRunner.shell(script, tool, library).run()
    #expect(result.status == 0, "\(result)")
    let answer = try other.ask("UPDATE ZTRACK SET ZTITLE = 'Theirs'; SELECT 'committed';")
    #expect(!answer.contains("committed"), "\(answer)")
    other.end()
    #expect(try Database.value("SELECT count(*) FROM ZTRACK WHERE ZTITLE = 'Theirs'", in: library) == "0")
    #expect(try Database.rows("PRAGMA integrity_check", in: library + ".v1-backup") == ["ok"])
    try successfully("restore", library)
    try successfully(library)
  }

  /// Returns the path of a copy of the tool that another user can run.
  ///
  /// A child process makes the copy. If this process had it open for writing, a child that another test starts meanwhile
  /// would inherit the descriptor, and the kernel would refuse to run the copy.
  private func copiedTool() throws -> String {
    #expect(try CommandRunner.shell(#"cp "$TOOL" tool"#, in: folder.path).run().status == 0)
    return folder.file("tool")
  }

  private static let canBeAnotherUser = geteuid() == 0 && Program.sqlite != nil && Program.find("setpriv") != nil

  @Test(.enabled(if: Self.canBeAnotherUser, "needs root, setpriv and sqlite3"))
  func `A user without write permission creates no files beside a library`() throws {
    let tool = try copiedTool()
    try Database.run("PRAGMA journal_mode = WAL", in: library)
    for (path, mode) in [(tool, 0o755), (library, 0o644), (folder.path, 0o777)] {
      try Files.setPermissions(mode, of: path)
    }
    let before = try folder.snapshot()
    for command in ["info \"$2\"", "\"$2\" --dry-run", "\"$2\"", "restore \"$2\""] {
      let script = #"exec setpriv --reuid=65534 --clear-groups "$1" "# + command
      _ = try CommandRunner.shell(script, tool, library).run()
      #expect(try folder.snapshot() == before, "\(command)")
    }
  }
}
