import Foundation
import SQLiteDatabase
import TestSupport
import Testing

@Suite("The restore command")
struct RestoreTests {
  let folder: TemporaryFolder
  let library: String
  /// The library's contents before its migration.
  let rows: [String]

  init() throws {
    folder = try TemporaryFolder()
    library = try folder.library()
    rows = try Rows.original(library)
    try successfully(library, "--quiet")
  }

  @Test func `The backup replaces the library, and the replaced file is kept`() throws {
    let bytes = try Files.bytes(library + ".v1-backup")
    let result = try successfully("restore", library)
    #expect(result.stdout == "")
    #expect(result.stderr.hasPrefix("Restored '\(library)' from '\(library).v1-backup' (v1, "))
    #expect(result.stderr.contains("Replaced library: \(library).replaced\n"))
    #expect(try Files.bytes(library) == bytes)
    #expect(try Rows.migrated(library + ".replaced") == [TrackRow].fewMigrated)
    #expect(
      try folder.listing() == [
        "Library.sqlite", "Library.sqlite.replaced", "Library.sqlite.replaced.migration.json",
        "Library.sqlite.replaced.rejects.ndjson",
      ])
  }

  @Test func `The statistics and rejects of the migration go with the library that it made, and come back with it`()
    throws
  {
    let before = try folder.snapshot().contents
    try successfully("restore", library)
    let replaced = library + ".replaced"
    for suffix in [".migration.json", ".rejects.ndjson"] {
      #expect(try Files.bytes(replaced + suffix) == before["Library.sqlite" + suffix])
    }
    #expect(try !successfully("stats", library).stdout.contains("rejects_count"))
    #expect(try successfully("stats", replaced).stdout.contains("rejects_count"))
    #expect(try successfully("report", replaced, "--output", "-").stdout.contains("<pre>"))
    try successfully("verify", replaced, "--source", library)
    // The rejects are compared, too: under their new name, whatever the statistics say.
    try Files.write("", to: replaced + ".rejects.ndjson")
    #expect(try CommandRunner(["verify", replaced, "--source", library]).run().status == 3)
    try Files.write(#require(before["Library.sqlite.rejects.ndjson"]), to: replaced + ".rejects.ndjson")

    try successfully("restore", library, "--backup", replaced)
    for suffix in ["", ".migration.json", ".rejects.ndjson"] {
      #expect(try Files.bytes(library + suffix) == before["Library.sqlite" + suffix])
    }
    try successfully("verify", library, "--source", replaced + "-2")
    #expect(
      try folder.listing() == [
        "Library.sqlite", "Library.sqlite.migration.json", "Library.sqlite.rejects.ndjson",
        "Library.sqlite.replaced-2",
      ])
  }

  @Test func `Rejects that two statistics name stay, and both find them`() throws {
    let made = folder.file("L")
    try folder.write(Array("{\"title\":\"s\",\"artists\":[\"C\"]}\n".utf8), to: "first")
    try folder.write(Array("{\"title\":\"t\",\"artists\":[\"A\"]}\n{\"title\n".utf8), to: "feed")
    try folder.write(Array("{\"title\":\"u\",\"artists\":[\"B\"]}\n{\"title\n".utf8), to: "again")
    for feed in ["first", "feed", "again"] { try successfully("import", folder.file(feed), made, "-q") }
    try #require(try !folder.listing().contains("L.rejects-2.ndjson"))
    try successfully("restore", made, "-q")
    #expect(try folder.listing().filter { $0.contains("rejects") && $0.hasPrefix("L.") } == ["L.rejects.ndjson"])
    for store in [made, made + ".replaced"] {
      #expect(try successfully("report", store, "--output", "-").stdout.contains("<pre>"))
    }
  }

  @Test func `A repeated restoration has nothing to do, and says so`() throws {
    try successfully("restore", library)
    let before = try folder.snapshot()
    for more in [[], ["--dry-run"], ["--no-backup"], ["--backup", library + ".v1-backup"]] {
      let again = try successfully(["restore", library] + more)
      let text = again.stdout + again.stderr
      #expect(
        text == "'\(library)' is restored already; nothing to do. Replaced library: \(library).replaced\n", "\(text)")
      #expect(try folder.snapshot() == before)
    }
    // What was never a backup of the library was not restored.
    let wrong = try CommandRunner(["restore", library, "--backup", library + ".v1-bakcup"]).run()
    #expect(wrong.status == 66 && wrong.stderr.contains("v1-bakcup"), "\(wrong)")
  }

  @Test func `A library that was migrated again or written since is not called restored`() throws {
    try successfully("restore", library)
    try successfully(library, "--no-backup", "--force", "-q")
    let migrated = try CommandRunner(["restore", library]).run()
    #expect(migrated.status == 66 && migrated.stderr.contains("there is no backup of"), "\(migrated)")
    try successfully("restore", library, "--backup", library + ".replaced")
    try Database.run("UPDATE ZTRACK SET ZTITLE = 'since' WHERE Z_PK = 1", in: library)
    let written = try CommandRunner(["restore", library]).run()
    #expect(written.status == 66, "\(written)")
  }

  @Test func `A restoration can be undone and the migration repeated`() throws {
    try successfully("restore", library)
    try successfully("restore", library, "--backup", library + ".replaced")
    #expect(try Rows.migrated(library) == [TrackRow].fewMigrated)
    #expect(try Rows.original(library + ".replaced-2") == rows)
    try successfully("restore", library, "--backup", library + ".replaced-2")
    #expect(try Rows.original(library) == rows)
    try successfully(library)
    #expect(try Rows.migrated(library) == [TrackRow].fewMigrated)
    #expect(try Rows.original(library + ".v1-backup") == rows)
  }

  @Test(arguments: [[], ["--dry-run"], ["--no-backup"], ["--no-backup", "--dry-run"]] as [[String]])
  func `A library with a damaged log is refused until both are moved away`(options: [String]) throws {
    try Database.run("PRAGMA journal_mode = WAL", in: library)
    let connection = try Connection(path: library, access: .readWrite)
    for title in ["first", "second"] {
      try connection.execute("UPDATE ZTRACK SET ZTITLE = '\(title)' WHERE Z_PK = 1")
    }
    connection.keepWriteAheadLogOnClose()
    try connection.close()
    var log = try Files.bytes(library + "-wal")
    // In the page of the first frame, which a committed one follows.
    log[32 + 24 + 100] ^= 1
    try Files.write(log, to: library + "-wal")
    let files = [library, library + "-wal", library + ".v1-backup"]
    let before = try files.map { try Files.bytes($0) }
    let refused = try CommandRunner(["restore", library] + options).run()
    #expect(refused.status == 65, "\(refused)")
    #expect(refused.stderr.contains(" is damaged, and SQLite would ignore it"), "\(refused)")
    #expect(refused.stderr.contains("Move the library and its '-wal' away together"), "\(refused)")
    #expect(try files.map { try Files.bytes($0) } == before)
    #expect(!Files.exists(library + ".replaced"))
    for suffix in ["", "-wal", "-shm"] where Files.exists(library + suffix) {
      try FileManager.default.moveItem(atPath: library + suffix, toPath: folder.file("Moved.sqlite\(suffix)"))
    }
    try successfully("restore", library)
    #expect(try Rows.original(library) == rows)
    #expect(try Files.bytes(folder.file("Moved.sqlite-wal")) == log)
  }

  @Test func `Changes made by the app since the migration are kept with their log`() throws {
    try Database.run("PRAGMA journal_mode = WAL", in: library)
    let connection = try Connection(path: library, access: .readWrite)
    try connection.execute("UPDATE ZTRACK SET ZTITLE = 'since' WHERE Z_PK = 1")
    connection.keepWriteAheadLogOnClose()
    try connection.close()
    try #require(Files.exists(library + "-wal"))
    try successfully("restore", library)
    #expect(try Rows.original(library) == rows)
    #expect(try Database.value("SELECT ZTITLE FROM ZTRACK WHERE Z_PK = 1", in: library + ".replaced") == "since")
    #expect(!Files.exists(library + "-wal"))
  }

  @Test(.enabled(if: FaultInjector.shared != nil, "needs a C compiler"), arguments: ["open", "lock"])
  func `never takes the place of another library that has come meanwhile`(kind: String) throws {
    let injector = try #require(FaultInjector.shared)
    for call in 1...200 {
      let folder = try TemporaryFolder()
      for name in try self.folder.listing() { try Files.copy(self.folder.file(name), to: folder.file(name)) }
      let path = folder.file("Library.sqlite")
      let stranger = try folder.library("Stranger.sqlite", LibraryBuilder(hashes: LibraryBuilder.v2Hashes, uuid: "S"))
      let bytes = try Files.bytes(stranger)
      var runner = CommandRunner(["restore", path])
      let strike = ["KINDS": kind, "CALL": "\(call)", "ACTION": "stop"]
      runner.environment = injector.environment(root: folder.path, strike)
      let command = try runner.start()
      let isStopped = command.waitUntilStopped()
      if isStopped { #expect(rename(stranger, path) == 0) }
      command.send(SIGCONT)
      let result = try command.finish()
      guard isStopped else { return }
      #expect(try Files.bytes(path) == bytes, "call \(call): \(result)")
    }
  }

  @Test func `The replaced library is not kept with --no-backup`() throws {
    let result = try successfully("restore", library, "--no-backup")
    #expect(!result.stderr.contains("Replaced"))
    #expect(try Rows.original(library) == rows)
    #expect(!Files.exists(library + ".replaced"))
  }

  @Test func `A dry run only describes the restoration`() throws {
    let before = try folder.snapshot()
    let result = try successfully("restore", library, "--dry-run")
    #expect(result.stdout.hasPrefix("'\(library).v1-backup' (v1, "))
    #expect(result.stdout.contains("would be kept as '\(library).replaced'.\nNothing was changed.\n"))
    #expect(try folder.snapshot() == before)
  }

  @Test func `The latest or the named backup is used`() throws {
    let first = library + ".v1-backup"
    try Files.hardLink(folder.file("Library.sqlite.v1-backup-2"), to: first)
    try Database.run("UPDATE ZTRACK SET ZTITLE = 'second' WHERE Z_PK = 1", in: try copy(of: first, named: first + "-3"))
    let plan = try successfully("restore", library, "--dry-run").stdout
    #expect(plan.hasPrefix("'\(first)-3' ("))
    #expect(plan.contains("Other backup: \(first)\n"))
    try successfully("restore", library, "--backup", first)
    #expect(try Rows.original(library) == rows)
    try successfully("restore", library)
    #expect(try Database.value("SELECT ZTITLE FROM ZTRACK WHERE Z_PK = 1", in: library) == "second")
  }

  @Test func `A missing library is restored`() throws {
    Files.remove(library)
    let result = try successfully("restore", library)
    #expect(!result.stderr.contains("Replaced"))
    #expect(try Rows.original(library) == rows)
  }

  @Test func `A missing backup is reported`() throws {
    Files.remove(library + ".v1-backup")
    let before = try folder.snapshot()
    let result = try tracksMigrate("restore", library)
    #expect(result.status == 66)
    #expect(result.stderr.contains("error: there is no backup of '\(library)' beside it"))
    #expect(try folder.snapshot() == before)
  }

  @Test func `The backup of another library is never used`() throws {
    Files.remove(library + ".v1-backup")
    try LibraryBuilder(uuid: "00000000-0B3F-4C56-9C3D-0123456789AB").write(to: library + ".v1-backup")
    #expect(try tracksMigrate("restore", library).status == 66)
    #expect(try Rows.migrated(library) == [TrackRow].fewMigrated)
  }

  @Test func `The backup of a library with the same prefix is never used`() throws {
    // The same store under another name, which was migrated later.
    let other = try copy(of: library + ".v1-backup", named: library + ".test")
    try successfully(other, "--quiet")
    #expect(try successfully("restore", library, "--dry-run").stdout.hasPrefix("'\(library).v1-backup' ("))
    Files.remove(library + ".v1-backup")
    for _ in 1...2 {
      let before = try folder.snapshot()
      let result = try tracksMigrate("restore", library)
      #expect(result.status == 66, "\(result)")
      #expect(
        result.stderr.hasSuffix(
          "By its name, 'Library.sqlite.test.v1-backup' belongs to another file. If it is the right one, name it with "
            + "--backup.\n"))
      #expect(try folder.snapshot() == before)
      // Nor if that library is missing.
      Files.remove(other)
    }
    try successfully("restore", library, "--backup", other + ".v1-backup")
    #expect(try Rows.original(library) == rows)
  }

  @Test func `Another Unicode spelling is another name`() throws {
    let names = ["Bjo\u{308}rk.sqlite", "Bj\u{F6}rk.sqlite"].map(folder.file)
    for name in names { _ = try copy(of: library + ".v1-backup", named: name) }
    try successfully(names[0], "--quiet")
    #expect(try tracksMigrate("restore", names[1]).status == 66)
    try successfully("restore", names[0])
  }

  @Test func `Backups of several stores are ambiguous if the library is missing`() throws {
    try LibraryBuilder(uuid: "00000000-0B3F-4C56-9C3D-0123456789AB").write(to: library + ".v1-backup-2")
    Files.remove(library)
    let before = try folder.snapshot()
    let result = try tracksMigrate("restore", library)
    #expect(result.status == 73, "\(result)")
    #expect(result.stderr.contains("its backups have different UUIDs, and it does not say which is its own."))
    #expect(result.stderr.hasSuffix("Nothing was changed. Name one with --backup.\n"))
    #expect(try folder.snapshot() == before)
    try successfully("restore", library, "--backup", library + ".v1-backup")
    #expect(try Rows.original(library) == rows)
  }

  @Test func `The backup of a version with dots in its name is found`() throws {
    let store = try SampleStore("Notes", version: 2)
    let model = store.folder.file("Notes.xcdatamodeld")
    try FileManager.default.copyItem(atPath: store.model, toPath: model)
    try FileManager.default.moveItem(
      atPath: model + "/Notes 2.xcdatamodel", toPath: model + "/Notes 2.0.1.xcdatamodel")
    let bytes = try Files.bytes(store.path)
    try successfully(store.path, "--model", model, "--quiet")
    #expect(Files.exists(store.path + ".Notes-2-0-1-backup"))
    try successfully("restore", store.path)
    #expect(try Files.bytes(store.path) == bytes)
  }

  @Test func `A damaged backup is never used`() throws {
    var bytes = try Files.bytes(library + ".v1-backup")
    // The root page of a table, whose cells then point nowhere.
    for index in 4096..<min(bytes.count, 3 * 4096) { bytes[index] = 0xA5 }
    try folder.write(bytes, to: "Library.sqlite.v1-backup")
    let before = try folder.snapshot()
    let result = try tracksMigrate("restore", library, "--backup", library + ".v1-backup")
    #expect(result.status == 65, "\(result)")
    #expect(result.stderr.contains("Name another backup with --backup."))
    #expect(try folder.snapshot() == before)
  }

  /// The library has an unreferenced page before its migration, and so has its backup.
  @Test func `A slightly damaged backup is restored with a warning`() throws {
    let folder = try TemporaryFolder()
    let library = try folder.library()
    try Database.run(
      """
      CREATE INDEX lost ON ZTRACK (ZTITLE); PRAGMA writable_schema = ON;
      DELETE FROM sqlite_schema WHERE name = 'lost'
      """, in: library)
    try #require(try !Database.isWhole(library))
    let rows = try Rows.original(library)
    try successfully(library, "--quiet")
    let words = "The backup is damaged, as the library was before the migration: "
    #expect(try successfully("restore", library, "--dry-run").stdout.contains(words))
    // Otherwise no copy would be left.
    let refused = try tracksMigrate("restore", library, "--no-backup")
    #expect(refused.status == 65 && refused.stderr.contains("Run this again without --no-backup."), "\(refused)")
    #expect(try successfully("restore", library).stderr.contains(words))
    #expect(try Rows.original(library) == rows)
  }

  @Test func `The library itself and files of other folders are never used as backups`() throws {
    let other = try TemporaryFolder()
    try FileManager.default.copyItem(atPath: library + ".v1-backup", toPath: other.file("Backup.sqlite"))
    let before = try folder.snapshot()
    for backup in [library, other.file("Backup.sqlite")] {
      let result = try tracksMigrate("restore", library, "--backup", backup)
      #expect(result.status == 73, "\(result)")
      #expect(try folder.snapshot() == before)
    }
  }

  @Test(arguments: ["", ".v1-backup"])
  func `A restoration stops if another program has one of the files open`(suffix: String) throws {
    let connection = try Connection(path: library + suffix, access: .readWrite)
    try connection.execute("BEGIN IMMEDIATE")
    let result = try tracksMigrate("restore", library, "--wait", "0")
    #expect(result.status == 75, "\(result)")
    #expect(result.stderr.contains("(process \(getpid()))"))
    try connection.close()
    #expect(try Rows.migrated(library) == [TrackRow].fewMigrated)
    try successfully("restore", library)
  }

  @Test func `A store is restored with its external data files`() throws {
    let folder = try TemporaryFolder()
    let store = try PictureStore()
    let path = try store.copy(to: folder)
    let files = try Files.listing(folder.file(".App_SUPPORT/_EXTERNAL_DATA"))
    try successfully(path, "--model", store.model)
    let backup = try #require(try folder.listing().first { $0.hasSuffix("-backup") })
    // The app has removed all of them since then.
    for name in files { Files.remove(folder.file(".App_SUPPORT/_EXTERNAL_DATA/\(name)")) }
    try successfully("restore", path)
    #expect(try Files.listing(folder.file(".App_SUPPORT/_EXTERNAL_DATA")) == files)
    #expect(try !folder.listing().contains(backup))
    #expect(try Database.value("SELECT count(ZNAME) FROM ZPICTURE", in: path) != "0")
    try successfully(path, "--model", store.model)
  }

  private func copy(of path: String, named copy: String) throws -> String {
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    return copy
  }
}
