import Foundation
import TestSupport
import Testing

@Suite("The hidden files of a migration")
struct HiddenFileTests {
  let folder: TemporaryFolder
  let library: String

  init() throws {
    folder = try TemporaryFolder()
    library = try folder.library()
  }

  /// Plants a file of root that everyone can read and write, in a folder where nobody can remove the files of others.
  private func plant(_ name: String) throws -> String {
    let path = try folder.write(Array("root's".utf8), to: name)
    chmod(path, 0o666)
    chmod(library, 0o666)
    folder.setPermissions(0o1777)
    return path
  }

  @Test(
    .enabled(if: geteuid() == 0, "needs another user"),
    arguments: [
      ".Library.sqlite.tracks-migrate", ".Library.sqlite.tracks-migrate.rejects",
      ".Library.sqlite.tracks-migrate-journal", ".Library.sqlite.tracks-migrate.step-1",
      ".Library.sqlite.migration.json.tracks-migrate.statistics",
    ])
  func `Another user's hidden files are never taken over and the obstacle is named`(name: String) throws {
    let planted = try plant(name)
    let before = try folder.snapshot()
    guard let result = try StrangerRunner.run([library]) else { return }
    #expect(result.status == 73, "\(result)")
    #expect(result.stderr.contains("'\(planted)' is in the way and belongs to another user (0). Nothing was changed."))
    #expect(try folder.snapshot() == before)
  }

  /// In their own folder, users can remove everything.
  @Test(
    .enabled(if: geteuid() == 0, "needs another user"),
    arguments: [
      ".Library.sqlite.tracks-migrate", ".Library.sqlite.tracks-migrate.rejects",
      ".Library.sqlite.tracks-migrate.backup", ".Library.sqlite.tracks-migrate.complete",
      ".Library.sqlite.tracks-migrate.step-1", ".Library.sqlite.tracks-migrate.undo",
      ".Library.sqlite.tracks-migrate-journal", ".Library.sqlite.migration.json.tracks-migrate.statistics",
      ".Library.sqlite.migration.json.tracks-migrate.statistics.earlier",
    ])
  func `Another user's hidden files are left alone in the user's own folder too`(name: String) throws {
    let planted = try folder.write(Array("root's".utf8), to: name)
    for path in [library, folder.path] { chown(path, 65534, 65534) }
    let before = try folder.snapshot()
    guard let result = try StrangerRunner.run([library]) else { return }
    #expect(result.status == 73, "\(result)")
    #expect(result.stderr.contains("'\(planted)' is in the way and belongs to another user (0). Nothing was changed."))
    #expect(try folder.snapshot() == before)
  }

  @Test(.enabled(if: geteuid() == 0, "needs another user"))
  func `A library is not built in a file that another user has open`() throws {
    let hidden = folder.file(".Library.sqlite.tracks-migrate")
    try folder.write([], to: ".Library.sqlite.tracks-migrate")
    chown(hidden, 65534, 65534)
    let number = try Files.fileNumber(hidden)
    // An open file keeps its number.
    let descriptor = open(hidden, O_RDONLY)
    defer { close(descriptor) }
    try successfully(library)
    #expect(try Files.fileNumber(library) != number)
    #expect(try Files.access(library).userID == 0)
  }

  @Test(
    .enabled(if: geteuid() == 0, "needs another user"),
    arguments: [".App.sqlite_SUPPORT", ".App.sqlite.tracks-migrate_SUPPORT"])
  func `External data files are not gathered in a folder of another user`(name: String) throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let store = try PictureStore()
    let path = try store.copy(to: folder)
    for planted in [name, name + "/_EXTERNAL_DATA"] { chown(try folder.makeFolder(planted), 65534, 65534) }
    // Prevents its removal as the remains of a dead run.
    try folder.write([], to: name + "/_EXTERNAL_DATA/planted")
    let result = try tracksMigrate(path, "--model", store.model)
    #expect(result.status == 73, "\(result)")
    #expect(result.stderr.contains("'\(folder.file(name))' is in the way and belongs to another user (65534)."))
    #expect(try !PictureStore.isMigrated(path))
  }

  @Test(.enabled(if: geteuid() == 0, "needs another user"))
  func `Rejects that another user could change are not reused`() throws {
    let other = try folder.library("Other.sqlite")
    try successfully(other)
    try Files.copy(other + ".rejects.ndjson", to: library + ".rejects.ndjson")
    chown(library + ".rejects.ndjson", 65534, 65534)
    try successfully(library)
    #expect(try Files.access(library + ".rejects-2.ndjson").userID == 0)
  }

  @Test(.enabled(if: !Sanitizer.isOn, "a sanitizer hides the calls"), arguments: [false, true])
  func `Nobody else can read a hidden file at any instant`(isCopying: Bool) throws {
    guard let injector = FaultInjector.shared else { return }
    var instants = 0
    for call in 1...400 {
      let folder = try TemporaryFolder(isInMemory: true)
      let library = try folder.library()
      chmod(library, 0o600)
      let old = Set(try folder.listing())
      var runner = CommandRunner.shell(#"umask 022; exec "$TOOL" "$1""#, library)
      var strike = ["KINDS": "write,name,mode,sync", "CALL": "\(call)", "ACTION": "stop", "RUNS": "1"]
      // On a file system without hard links the backup is a copy.
      if isCopying { strike["DENY"] = "\(EPERM)" }
      runner.environment.merge(injector.environment(root: folder.path, strike)) { $1 }
      let command = try runner.start()
      guard command.waitUntilStopped() else {
        #expect(try command.finish().status == 0)
        break
      }
      instants += 1
      for name in try folder.listing() where !old.contains(name) {
        #expect(try Files.access(folder.file(name)).mode & 0o077 == 0, "\(name), call \(call)")
      }
      command.send(SIGKILL)
      _ = try command.finish()
    }
    #expect(instants > 20 && instants < 400)
  }

  @Test func `Files derived from a library do not inherit its executable bits`() throws {
    chmod(library, 0o6755)
    try successfully(library)
    #expect(try Files.access(library).mode == 0o6755)
    for suffix in [".migration.json", ".rejects.ndjson"] {
      #expect(try Files.access(library + suffix).mode == 0o644, "\(suffix)")
    }
  }

  @Test func `Statistics have the library's permissions, also for a dry run and an app's store`() throws {
    chmod(library, 0o600)
    let stats = folder.file("stats.json")
    try successfully(library, "--dry-run", "--stats", stats)
    #expect(try Files.access(stats).mode == 0o600)
    let memory = try TemporaryFolder(isInMemory: true)
    let store = try PictureStore()
    let path = try store.copy(to: memory)
    chmod(path, 0o640)
    try successfully(path, "--model", store.model, "--stats", stats)
    #expect(try Files.access(stats).mode == 0o640)
  }
}
