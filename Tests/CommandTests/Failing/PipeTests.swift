import Foundation
import TestSupport
import Testing

/// Opening a pipe blocks until another process opens its other end, which may never happen.
@Suite("Named pipes in place of files")
struct PipeTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ arguments: [String]) throws -> CommandResult {
    var runner = CommandRunner(arguments)
    runner.timeout = 60 * Sanitizer.slowness
    return try runner.run()
  }

  @Test(arguments: [
    "Library.sqlite-journal", "Library.sqlite-shm", "Library.sqlite-wal", "Library.sqlite.migration.json",
    ".Library.sqlite.tracks-migrate", ".Library.sqlite.tracks-migrate-journal",
    ".Library.sqlite.tracks-migrate.rejects",
    ".Library.sqlite.tracks-migrate.step-1", ".Library.sqlite.migration.json.tracks-migrate.statistics",
  ])
  func `A pipe is named and not waited for`(name: String) throws {
    let library = try folder.library()
    mkfifo(folder.file(name), 0o666)
    let before = try folder.snapshot()
    let result = try run([library])
    #expect([65, 66, 73].contains(result.status), "\(result)")
    #expect(result.stderr.contains(folder.file(name)))
    #expect(result.stderr.contains("is not a regular file"))
    #expect(try folder.snapshot() == before)
  }

  @Test func `A pipe in place of the statistics is not waited for`() throws {
    let library = try folder.library()
    try successfully(library)
    Files.remove(library + ".migration.json")
    mkfifo(library + ".migration.json", 0o666)
    let result = try run(["stats", library])
    #expect(result.status == 0)
    #expect(result.stderr.contains("it is not a regular file"))
  }

  @Test(arguments: ["App 2.xcdatamodel/contents", ".xccurrentversion"])
  func `A pipe in a model is not waited for`(name: String) throws {
    let model = try folder.writeAppModel(entity: "A", versions: ["", ""])
    Files.remove("\(model)/\(name)")
    mkfifo("\(model)/\(name)", 0o666)
    #expect(try run(["models", "show", model]).status == 65)
  }

  @Test func `A pipe in a mapping model is not waited for`() throws {
    let model = try folder.writeAppModel(entity: "A", versions: ["", ""])
    let library = try folder.library()
    _ = try folder.makeFolder("A.xcmappingmodel")
    mkfifo(folder.file("A.xcmappingmodel/xcmapping.xml"), 0o666)
    let result = try run([library, "--model", model])
    #expect(result.status == 66, "\(result)")
    #expect(result.stderr.contains("it is not a regular file"))
  }

  @Test(.enabled(if: !Sanitizer.isOn, "a sanitizer hides the calls"))
  func `Statistics reach a pipe completely even in portions`() throws {
    guard let injector = FaultInjector.shared else { return }
    let library = try folder.library()
    let pipe = folder.file("pipe")
    mkfifo(pipe, 0o600)
    // Reading and writing, so that there is a reader from the beginning, and the bytes wait for it.
    let reader = open(pipe, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    defer { close(reader) }
    var runner = CommandRunner([library, "--stats", pipe])
    let strike = ["KINDS": "write", "CALL": "1", "ACTION": "short", "LASTING": "1"]
    runner.environment.merge(injector.environment(root: pipe, strike)) { $1 }
    let result = try runner.run()
    #expect(result.status == 0, "\(result)")
    #expect(result.stderr.contains("struck write"))
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(reader, &bytes, bytes.count)
    let statistics = try JSONSerialization.jsonObject(with: Data(bytes.prefix(max(count, 0)))) as? [String: Any]
    #expect(statistics?["elapsed_seconds"] != nil)
  }

  @Test(.enabled(if: !Sanitizer.isOn, "a sanitizer hides the calls"), arguments: [false, true])
  func `A statistics pipe does not lock the library and can be abandoned`(isDryRun: Bool) throws {
    guard let injector = FaultInjector.shared else { return }
    let library = try folder.library()
    let pipe = folder.file("pipe")
    mkfifo(pipe, 0o600)
    let before = try folder.snapshot()
    var runner = CommandRunner([library, "--stats", pipe] + (isDryRun ? ["--dry-run"] : []))
    // The first check for a reader of the pipe, which never has one.
    let strike = ["KINDS": "open", "ONLY": "open", "CALL": "1", "ACTION": "stop", "ROOT": pipe]
    runner.environment.merge(injector.environment(root: pipe, strike)) { $1 }
    let command = try runner.start()
    #expect(command.waitUntilStopped())
    if !isDryRun {
      #expect(try Rows.migrated(library) == [TrackRow].fewMigrated)
      try Database.run("BEGIN EXCLUSIVE; ROLLBACK", in: library)
    }
    command.send(SIGCONT)
    command.send(SIGTERM)
    let result = try command.finish()
    #expect([.exited(75), .signalled(SIGTERM)].contains(result.end), "\(result)")
    if isDryRun { #expect(try folder.snapshot() == before) }
    if !isDryRun, result.status == 75 {
      #expect(result.stderr.contains("The library has been migrated; only its statistics are missing."), "\(result)")
    }
  }
}
