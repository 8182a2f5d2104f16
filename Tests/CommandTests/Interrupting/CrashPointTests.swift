import Foundation
import TestSupport
import Testing

/// Lets a process die, or fail, at an exact call to the operating system.
///
/// Random instants seldom hit the few microseconds in which names change. A shared library that is loaded before all
/// others counts the calls that change files, and strikes at the one that is wanted.
@Suite("A migration that is struck at every single change of a file")
struct CrashPointTests {
  private static let striker = Result { try Striker() }

  @Test(arguments: ["in place", "no backup", "output"])
  func `dies, and the path leads to the old library or to the new one`(way: String) throws {
    guard let striker = try Self.striker.get() else { return }
    var count = 0
    for call in 1...500 {
      let scene = try Scene(way)
      let result = try scene.run(striker.environment(call: call, action: "kill"))
      try scene.expectOldOrNew("call \(call)")
      if result.end != .signalled(SIGKILL) { break }
      count += 1
      let wasMade = try way == "output" && scene.isMigrated
      let next = try scene.run([:])
      // An output that is there already is in its own way.
      #expect(next.status == (wasMade ? 73 : 0), "after call \(call): \(next)")
      try scene.expectFinished("after call \(call)")
    }
    #expect(count > 10 && count < 500)
  }

  @Test(arguments: [("in place", EIO), ("output", ENOSPC)])
  func `is refused, and nothing is changed`(way: String, number: Int32) throws {
    guard let striker = try Self.striker.get() else { return }
    var (count, failures) = (0, 0)
    for call in 1...500 {
      let scene = try Scene(way)
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
        // The last sync of the folder comes after the swap: then the library is new already.
        if try !scene.isMigrated { try scene.expectUnchanged("call \(call): \(result)") }
      }
    }
    #expect(count > 10 && failures > 5)
  }
}

/// A small library with everything that a migration leaves beside it.
private struct Scene {
  let folder: TemporaryFolder
  let target: TemporaryFolder
  let library: String
  let way: String
  /// What the library holds before anything happens.
  let rows: [String]

  init(_ way: String) throws {
    self.way = way
    folder = try TemporaryFolder(isInMemory: true)
    target = try TemporaryFolder(isInMemory: true)
    library = try folder.library("Library.sqlite", LibraryBuilder(writeAheadLogStart: 2))
    rows = try Rows.original(library)
    unlink(library + "-shm")
  }

  private var output: String { target.file("New.sqlite") }

  func run(_ environment: [String: String]) throws -> CommandResult {
    let more = way == "no backup" ? ["--no-backup"] : way == "output" ? ["--output", output] : []
    return try CommandRunner([library] + more, environment: environment).run()
  }

  /// What is in a database, as whoever opens it next will see it: after SQLite has rolled back what was not finished.
  ///
  /// That is done with a copy, so that the next run finds what this one has left.
  private func inCopy<Value>(of path: String, _ body: (String) throws -> Value) throws -> Value {
    let copies = try TemporaryFolder(isInMemory: true)
    for suffix in ["", "-wal", "-journal"] where FileManager.default.fileExists(atPath: path + suffix) {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: copies.file("copy" + suffix))
    }
    let copy = copies.file("copy")
    try Database.run("SELECT count(*) FROM sqlite_schema", in: copy)
    return try body(copy)
  }

  var isMigrated: Bool {
    get throws {
      let path = way == "output" ? output : library
      guard FileManager.default.fileExists(atPath: path) else { return false }
      return try inCopy(of: path) { try Database.value(Self.artistTables, in: $0) == "1" }
    }
  }

  private static let artistTables = "SELECT count(*) FROM sqlite_schema WHERE name = 'ZARTIST'"

  /// Whatever has happened, what has the library's name is whole.
  func expectOldOrNew(_ comment: Comment) throws {
    for path in [library, output] where FileManager.default.fileExists(atPath: path) {
      try inCopy(of: path) { copy in
        #expect(try Database.isWhole(copy), comment)
        if try Database.value(Self.artistTables, in: copy) == "1" {
          #expect(try Rows.migrated(copy) == [TrackRow].fewMigrated, comment)
        } else {
          #expect(path == library, comment)
          #expect(try Rows.original(copy) == rows, comment)
        }
      }
    }
  }

  /// The library says what it said before, and there is nothing that was not there.
  func expectUnchanged(_ comment: Comment) throws {
    // SQLite may have folded its log into the library, or begun a new one; a log's index says nothing.
    let own = ["Library.sqlite", "Library.sqlite-shm", "Library.sqlite-wal"]
    #expect(try folder.listing().filter { !own.contains($0) } == [], comment)
    #expect(try target.listing() == [], comment)
    #expect(try inCopy(of: library) { try Rows.original($0) } == rows, comment)
  }

  /// The migration is done, and there is nothing that does not belong there.
  func expectFinished(_ comment: Comment) throws {
    let result = way == "output" ? output : library
    #expect(try Rows.migrated(result) == [TrackRow].fewMigrated, comment)
    let name = way == "output" ? "New.sqlite" : "Library.sqlite"
    var names = ["", ".migration.json", ".rejects.ndjson"].map { name + $0 }
    if way == "in place" { names.append("Library.sqlite.v1-backup") }
    #expect(try (way == "output" ? target : folder).listing() == names, comment)
    if way == "in place" {
      #expect(try Database.value("SELECT count(*) FROM ZTRACK", in: library + ".v1-backup") == "5", comment)
    }
  }
}
