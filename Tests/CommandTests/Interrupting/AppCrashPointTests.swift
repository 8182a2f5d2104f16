import Foundation
import TestSupport
import Testing

/// The same as for track libraries, with several hops, values in files and tables of the app's own.
@Suite("A migration of an app's store that is struck at every single change of a file")
struct AppCrashPointTests {
  private static let striker = Result { try Striker() }

  @Test(arguments: ["in place", "output"])
  func `dies, and the path leads to the old store or to the new one`(way: String) throws {
    guard let striker = try Self.striker.get() else { return }
    var count = 0
    for call in 1...500 {
      let scene = try AppScene(way)
      let result = try scene.run(striker.environment(call: call, action: "kill"))
      try scene.expectOldOrNew("call \(call)")
      if result.end != .signalled(SIGKILL) { break }
      count += 1
      let wasMade = try way == "output" && scene.isMigrated
      let next = try scene.run([:])
      #expect(next.status == (wasMade ? 73 : 0), "after call \(call): \(next)")
      try scene.expectFinished("after call \(call)")
    }
    #expect(count > 15 && count < 500)
  }

  @Test(arguments: [("in place", ENOSPC), ("output", EIO)])
  func `is refused, and nothing is changed`(way: String, number: Int32) throws {
    guard let striker = try Self.striker.get() else { return }
    var (count, failures) = (0, 0)
    for call in 1...500 {
      let scene = try AppScene(way)
      let result = try scene.run(striker.environment(call: call, action: "\(number)"))
      try scene.expectOldOrNew("call \(call)")
      guard result.stderr.contains("struck") else { break }
      count += 1
      if result.status == 0 {
        // What may not be removed stays; the next migration to this name removes it.
        if !result.stderr.contains("struck unlink") { try scene.expectFinished("after refusal of call \(call)") }
      } else {
        failures += 1
        #expect([66, 73, 74, 75].contains(result.status), "call \(call): \(result)")
        if try !scene.isMigrated { try scene.expectUnchanged("call \(call): \(result)") }
      }
    }
    #expect(count > 15 && failures > 8)
  }
}

@Suite("A migration of an app's store that is killed at a random instant")
struct AppKillTests {
  private static let template = Result { try PictureStore(padding: 60_000) }

  @Test(arguments: 0..<12)
  func `leaves the whole old store or the whole new one, and the next run finishes`(number: Int) throws {
    let scene = try AppScene("in place", try Self.template.get())
    var generator = SeededGenerator(seed: KillTests.seed &+ UInt64(number))
    let command = try scene.command.start()
    usleep(UInt32.random(in: 0..<700_000, using: &generator))
    command.send(SIGKILL)
    _ = try command.finish()
    try scene.expectOldOrNew("\(number)")
    #expect(try scene.run([:]).status == 0)
    try scene.expectFinished("\(number)")
  }

  @Test func `leaves nothing when it is asked to stop`() throws {
    let scene = try AppScene("in place", try Self.template.get())
    let command = try scene.command.start()
    let staged = scene.folder.file(".App.sqlite.tracks-migrate.step-1")
    let deadline = ContinuousClock.now + .seconds(20)
    while !FileManager.default.fileExists(atPath: staged), ContinuousClock.now < deadline { usleep(500) }
    command.send(SIGTERM)
    let result = try command.finish()
    #expect(result.end == .exited(75), "\(result)")
    #expect(result.stderr == "tracks-migrate: error: interrupted. Nothing was changed. Run the command again.\n")
    try scene.expectUnchanged("after SIGTERM")
  }
}

/// A small store with everything that a migration has to move or to leave.
private struct AppScene {
  private static let small = Result { try PictureStore() }

  let folder: TemporaryFolder
  let target: TemporaryFolder
  let store: String
  let way: String
  private let template: PictureStore
  /// What the store holds before anything happens.
  let rows: [String]

  init(_ way: String, _ template: PictureStore? = nil) throws {
    self.way = way
    self.template = try template ?? Self.small.get()
    folder = try TemporaryFolder(isInMemory: true)
    target = try TemporaryFolder(isInMemory: true)
    store = try self.template.copy(to: folder)
    rows = try PictureStore.rows(store, support: ".App_SUPPORT")
    // Reading has folded the log into the store.
    for name in try folder.listing() { try FileManager.default.removeItem(atPath: folder.file(name)) }
    _ = try self.template.copy(to: folder)
  }

  private var output: String { target.file("New.sqlite") }

  var command: CommandRunner {
    CommandRunner([store, "--model", template.model] + (way == "output" ? ["--output", output] : []))
  }

  func run(_ environment: [String: String]) throws -> CommandResult {
    var command = command
    command.environment = environment
    return try command.run()
  }

  /// What is in a store, as whoever opens it next will see it; done with a copy, so that the next run finds what this one
  /// has left.
  private func inCopy<Value>(of path: String, _ body: (String) throws -> Value) throws -> Value {
    let folder = (path as NSString).deletingLastPathComponent
    let name = (path as NSString).lastPathComponent
    let copies = try TemporaryFolder(isInMemory: true)
    for file in try FileManager.default.contentsOfDirectory(atPath: folder)
    where file.hasPrefix(name) || file.hasSuffix("_SUPPORT") {
      try FileManager.default.copyItem(atPath: "\(folder)/\(file)", toPath: copies.file(file))
    }
    try Database.run("SELECT count(*) FROM sqlite_schema", in: copies.file(name))
    return try body(copies.file(name))
  }

  private func support(_ path: String) -> String { path == output ? ".New_SUPPORT" : ".App_SUPPORT" }

  var isMigrated: Bool {
    get throws {
      let path = way == "output" ? output : store
      guard FileManager.default.fileExists(atPath: path) else { return false }
      return try inCopy(of: path, PictureStore.isMigrated)
    }
  }

  /// Whatever has happened, what has the store's name is whole, and has all its values.
  func expectOldOrNew(_ comment: Comment) throws {
    for path in [store, output] where FileManager.default.fileExists(atPath: path) {
      try inCopy(of: path) { copy throws in
        #expect(try Database.isWhole(copy), comment)
        #expect(try PictureStore.rows(copy, support: support(path)) == rows, comment)
        if path == output || way == "output" {
          #expect(try PictureStore.isMigrated(copy) == (path == output), comment)
        }
      }
    }
  }

  /// The store says what it said before, and there is nothing that was not there.
  func expectUnchanged(_ comment: Comment) throws {
    let own = ["App.sqlite", "App.sqlite-shm", "App.sqlite-wal", ".App_SUPPORT"]
    #expect(try folder.listing().filter { !own.contains($0) } == [], comment)
    #expect(try target.listing() == [], comment)
    let found = try inCopy(of: store) { try PictureStore.rows($0, support: ".App_SUPPORT") }
    #expect(found == rows, comment)
  }

  /// The migration is done, and there is nothing that does not belong there.
  func expectFinished(_ comment: Comment) throws {
    let result = way == "output" ? output : store
    #expect(try PictureStore.isMigrated(result), comment)
    #expect(try PictureStore.rows(result, support: support(result)) == rows, comment)
    if way == "output" {
      #expect(try target.listing() == [".New_SUPPORT", "New.sqlite"], comment)
    } else {
      #expect(
        try folder.listing() == [".App.sqlite_SUPPORT", ".App_SUPPORT", "App.sqlite", "App.sqlite.App-backup"], comment)
      let backup = store + ".App-backup"
      #expect(try PictureStore.rows(backup, support: ".App.sqlite_SUPPORT") == rows, comment)
    }
  }
}
