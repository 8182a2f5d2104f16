import Foundation
import TestSupport
import Testing

@Suite("A migration that is asked to stop")
struct SignalTests {
  let folder: TemporaryFolder
  let library: String

  private static let template = Result { try TemplateLibrary(trackCount: 20_000) }

  init() throws {
    folder = try TemporaryFolder()
    library = try Self.template.get().copy(to: folder)
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `ends with a status that says to try again, and leaves nothing`(signal: Int32) throws {
    let before = try folder.snapshot()
    let command = try CommandRunner([library]).start()
    try waitForWork()
    command.send(signal)
    let result = try command.finish()
    #expect(result.end == .exited(75), "\(result)")
    #expect(
      result.stderr == "tracks-migrate: error: interrupted. "
        + "Nothing was changed. Run the command again.\n")
    #expect(try folder.snapshot() == before)
    try successfully(library, "--quiet")
  }

  @Test func `leaves nothing in the folder of an output`() throws {
    let target = try TemporaryFolder()
    let before = try folder.snapshot()
    let command = try CommandRunner([library, "--output", target.file("New.sqlite")]).start()
    try waitForWork(in: target)
    command.send(SIGTERM)
    #expect(try command.finish().end == .exited(75))
    #expect(try target.listing() == [])
    #expect(try folder.snapshot() == before)
  }

  @Test func `leaves nothing between the hops of an app's store`() throws {
    let folder = try TemporaryFolder()
    let store = try PictureStore(padding: 60_000)
    let path = try store.copy(to: folder)
    let before = try folder.snapshot()
    let command = try CommandRunner([path, "--model", store.model]).start()
    let staged = folder.file(".App.sqlite.tracks-migrate.step-1")
    let deadline = ContinuousClock.now + .seconds(20)
    while !Files.exists(staged), ContinuousClock.now < deadline { usleep(500) }
    command.send(SIGTERM)
    let result = try command.finish()
    #expect(result.end == .exited(75), "\(result)")
    #expect(result.stderr == "tracks-migrate: error: interrupted. Nothing was changed. Run the command again.\n")
    #expect(try folder.snapshot() == before)
  }

  @Test(arguments: ["HUP", "INT"])
  func `goes on when whoever started it ignores the signal`(name: String) throws {
    let command = try CommandRunner.shell(#"trap "" \#(name); exec "$TOOL" "$1""#, library).start()
    try waitForWork()
    command.send(name == "HUP" ? SIGHUP : SIGINT)
    #expect(try command.finish().end == .exited(0))
    #expect(try Database.value("SELECT count(*) FROM Z_1TRACKS", in: library) == "40001")
  }

  /// Waits until the new library is being written.
  private func waitForWork(in other: TemporaryFolder? = nil) throws {
    let deadline = ContinuousClock.now + .seconds(20)
    let staged = other?.file(".New.sqlite.tracks-migrate") ?? folder.file(".Library.sqlite.tracks-migrate")
    while ContinuousClock.now < deadline {
      let size = try? FileManager.default.attributesOfItem(atPath: staged)[.size] as? Int
      if let size, size > 0 { return }
      usleep(1000)
    }
    Issue.record("the migration has not begun")
  }
}
