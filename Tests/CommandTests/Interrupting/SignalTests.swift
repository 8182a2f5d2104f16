import Foundation
import TestSupport
import Testing

@Suite("A migration stopped by a signal", .enabled(if: FaultInjector.shared != nil, "needs a C compiler"))
struct SignalTests {
  let folder: TemporaryFolder
  let library: String
  let injector: FaultInjector

  private static let template = Result { try TemplateLibrary(trackCount: 20_000) }

  init() throws {
    folder = try TemporaryFolder()
    library = try Self.template.get().copy(to: folder)
    injector = try #require(FaultInjector.shared)
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `A stopped run ends by the signal itself and leaves nothing behind`(signal: Int32) throws {
    let before = try folder.snapshot()
    let command = try CommandRunner([library]).startAndStop(atWrite: 20, in: folder, injector)
    for number in [signal, SIGCONT] { command.send(number) }
    let result = try command.finish()
    #expect(result.end == .signalled(signal), "\(result)")
    #expect(
      result.stderr == "tracks-migrate: error: interrupted. "
        + "Nothing was changed. Run this again.\n")
    #expect(try folder.snapshot() == before)
    try successfully(library, "--quiet")
  }

  @Test func `A stopped run leaves nothing in the output's folder`() throws {
    let target = try TemporaryFolder()
    let before = try folder.snapshot()
    let runner = CommandRunner([library, "--output", target.file("New.sqlite")])
    let command = try runner.startAndStop(atWrite: 20, in: target, injector)
    for number in [SIGTERM, SIGCONT] { command.send(number) }
    #expect(try command.finish().end == .signalled(SIGTERM))
    #expect(try target.listing() == [])
    #expect(try folder.snapshot() == before)
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP], [["info"], ["stats"], ["artists"], ["tracks"]])
  func `A stopped query leaves nothing beside the library`(signal: Int32, command: [String]) throws {
    let folder = try TemporaryFolder()
    let library = try folder.library()
    try successfully(library, "--quiet")
    try Database.run("PRAGMA journal_mode = WAL", in: library)
    let names = try folder.listing()
    let running = try CommandRunner(command + [library]).startAndStop(at: 1, of: "map", in: folder, injector)
    #expect(Files.exists(library + "-shm"))
    for number in [signal, SIGCONT] { running.send(number) }
    #expect(try running.finish().end == .signalled(signal))
    #expect(try folder.listing() == names)
  }

  @Test func `A stopped query leaves no statistics file`() throws {
    let target = try TemporaryFolder()
    let runner = CommandRunner(["stats", library, "--output", target.file("tracks.prom"), "--format", "prometheus"])
    let command = try runner.startAndStop(atWrite: 1, in: target, injector)
    #expect(try target.listing() == [".tracks.prom.tracks-migrate", ".tracks.prom.tracks-migrate.document"])
    for number in [SIGTERM, SIGCONT] { command.send(number) }
    #expect(try command.finish().end == .signalled(SIGTERM))
    #expect(try target.listing().allSatisfy { $0 == "tracks.prom" })
  }

  @Test func `A run stopped between the hops of an app's store leaves nothing behind`() throws {
    let store = try PictureStore(padding: 60_000)
    let folder = try TemporaryFolder()
    let path = try store.copy(to: folder)
    let before = try folder.snapshot()
    let runner = CommandRunner([path, "--model", store.model])
    // About half of all writes belong to the first hop.
    let command = try runner.startAndStop(atWrite: writeCount(of: store) * 3 / 4, in: folder, injector)
    #expect(Files.exists(folder.file(".App.sqlite.tracks-migrate.step-1")))
    for number in [SIGTERM, SIGCONT] { command.send(number) }
    let result = try command.finish()
    #expect(result.end == .signalled(SIGTERM), "\(result)")
    #expect(result.stderr == "tracks-migrate: error: interrupted. Nothing was changed. Run this again.\n")
    #expect(try folder.snapshot() == before)
  }

  @Test(arguments: [
    "fixture new --model Notes.xcdatamodeld --rows 2000 New.sqlite", "rehearse --model Notes.xcdatamodeld",
    "models compile Notes.xcdatamodeld --output Notes.momd",
  ])
  func `A stopped command that makes temporary files leaves none`(line: String) throws {
    let folder = try TemporaryFolder()
    try Files.copy(
      Checkout.root.appending(path: "SampleData/Notes/Notes.xcdatamodeld").path, to: folder.file("Notes.xcdatamodeld"))
    for signal in [SIGTERM, SIGINT] {
      let environment = ["TMPDIR": folder.path]
      let runner = CommandRunner(
        line.split(separator: " ").map(String.init), folder: folder.path, environment: environment)
      let command = try runner.startAndStop(atWrite: 3, in: folder, injector)
      #expect(try folder.listing().count > 1)
      for number in [signal, SIGCONT] { command.send(number) }
      let result = try command.finish()
      #expect(result.end == .signalled(signal), "\(result)")
      #expect(try folder.listing() == ["Notes.xcdatamodeld"])
    }
  }

  @Test(arguments: ["HUP", "INT"])
  func `A run continues if its parent ignores the signal`(name: String) throws {
    let runner = CommandRunner.shell(#"trap "" \#(name); exec "$TOOL" "$1""#, library)
    let command = try runner.startAndStop(atWrite: 20, in: folder, injector)
    for number in [name == "HUP" ? SIGHUP : SIGINT, SIGCONT] { command.send(number) }
    #expect(try command.finish().end == .exited(0))
    #expect(try Database.value("SELECT count(*) FROM Z_1TRACKS", in: library) == "40001")
  }

  @Test(arguments: ["TERM", "HUP"])
  func `A stopped run does not wait for anyone to read its messages`(name: String) throws {
    // The capacity of a pipe is 64 KiB.
    let script = #"""
      mkfifo p; exec 3<>p; rm p
      head -c 65536 /dev/zero >&3
      "$TOOL" "$1" --verbose 2>&3 & child=$!
      sleep 1; kill -\#(name) $child; wait $child; echo $?
      """#
    let before = try folder.snapshot()
    let result = try CommandRunner.shell(script, library, in: folder.path).run()
    #expect(result.stdout == (name == "TERM" ? "143\n" : "129\n"), "\(result)")
    #expect(try folder.snapshot() == before)
  }

  /// The number of calls that write to files in an undisturbed run.
  private func writeCount(of store: PictureStore) throws -> Int {
    let folder = try TemporaryFolder()
    let path = try store.copy(to: folder)
    let counts = try TemporaryFolder()
    let environment = injector.environment(root: folder.path, ["COUNTS": counts.file("counts")])
    _ = try CommandRunner([path, "--model", store.model], environment: environment).run()
    return try #require(FaultInjector.counts(in: counts.file("counts"))[.write])
  }
}
