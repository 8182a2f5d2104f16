import Foundation
import Policies
import TestSupport
import Testing
import TrackLibrary

/// Migrations of random track libraries, compared with a simple program.
struct TrackDifferentialTests {
  /// The ways to migrate a library, all of which must give the same bytes.
  private static let ways: [@Sendable (inout LibraryMigration) -> Void] = [
    { $0.threadCount = 1 }, { $0.threadCount = 2 }, { $0.threadCount = 3 },
  ]

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder(isInMemory: true) }

  @Test func `Tracks are migrated like a simple program migrates them`() throws {
    try Differential.run("tracks", count: 25, kinds: ["tracks by name", "tracks by id"]) { seed in
      var random = SeededGenerator(seed: seed)
      let identity: ArtistIdentity = random.chance(35) ? .id : .name
      let library = RandomTracks.make(&random)
      let path = try write(library)
      defer { clear() }
      let expected = try expectation(path, identity)
      var first: (result: [UInt8], rejects: [UInt8])?
      for way in Self.ways {
        var migration = LibraryMigration(path: path)
        migration.outputPath = folder.file("New.sqlite")
        migration.trackOptions.identity = identity
        way(&migration)
        guard case .migrated(let result) = try migration.run() else { return .different("it is current already") }
        var outcome = try MigratedTracks.read(result.path, result.report, rejectsPath: result.rejectsPath)
        outcome.examples = result.examples
        // `UnmatchedJSONTests` checks these messages.
        outcome.examples[TrackCounter.unmatchedJSON] = nil
        outcome.examples[TrackCounter.suggestedPresets] = nil
        if let difference = outcome.difference(from: expected) { return .different(difference) }
        let rejects = try result.rejectsPath.map { try Files.bytes($0) } ?? []
        let bytes = (result: try Files.bytes(result.path), rejects: rejects)
        if let first, first != bytes { return .different("two ways give other bytes") }
        first = bytes
        for file in [result.path, result.reportPath, result.rejectsPath].compactMap({ $0 }) { Files.remove(file) }
      }
      return .same("tracks by \(identity.rawValue)")
    }
  }

  @Test func `The command migrates tracks like the reference`() throws {
    try Differential.run("tracks by the command", count: 8, kinds: ["migrated"]) { seed in
      var random = SeededGenerator(seed: seed ^ 0xC0)
      let identity: ArtistIdentity = random.chance(35) ? .id : .name
      let path = try write(RandomTracks.make(&random))
      defer { clear() }
      let expected = try expectation(path, identity)
      let (status, errors) = try Command.run(path, "--identity", identity.rawValue, "--quiet")
      guard status == 0 else { return .different("exit status \(status): \(errors)") }
      guard let report = try MigrationReport.read(forLibraryAt: path) else { return .different("there is no report") }
      let rejectsPath = report.rejectsFile.map { folder.file($0) }
      var outcome = try MigratedTracks.read(path, report, rejectsPath: rejectsPath)
      outcome.examples = expected.examples
      return outcome.difference(from: expected).map { .different($0) } ?? .same("migrated")
    }
  }

  @Test(.enabled(if: Program.sqlite != nil && FileManager.default.fileExists(atPath: PeerProgram.script)))
  func `A SQL program migrates clean tracks to the same result`() throws {
    try Differential.run("tracks by SQL", count: 5, kinds: ["clean"]) { seed in
      var random = SeededGenerator(seed: seed ^ 0x5C)
      var library = RandomTracks.make(&random, isClean: true)
      library.rows += library.rowsInLog
      library.rowsInLog = []
      // The program writes its own database, and SQLite attaches only databases of the same encoding.
      library.encoding = "UTF-8"
      let path = try write(library)
      defer { clear() }
      var migration = LibraryMigration(path: path)
      migration.outputPath = folder.file("New.sqlite")
      _ = try migration.run()
      try PeerProgram.migrate(path, to: folder.file("Peer.sqlite"))
      for query in PeerProgram.queries {
        let rows = try Cell.rows(query, in: folder.file("New.sqlite")).map { "\($0)" }
        let peer = try Cell.rows(query, in: folder.file("Peer.sqlite")).map { "\($0)" }
        if let difference = rows.difference(from: peer, query) { return .different(difference) }
      }
      return .same("clean")
    }
  }

  private func write(_ library: TrackLibraryBuilder) throws -> String {
    clear()
    let path = folder.file("Old.sqlite")
    try library.write(to: path)
    return path
  }

  private func expectation(_ path: String, _ identity: ArtistIdentity) throws -> TrackOutcome {
    // A copy can be opened in any mode.
    let copy = folder.file("Copy.sqlite")
    for suffix in ["", "-wal"] where Files.exists(path + suffix) { try Files.copy(path + suffix, to: copy + suffix) }
    let key = try Database.value("SELECT Z_MAX FROM Z_PRIMARYKEY", in: copy).flatMap { Int64($0) }
    return ExpectedTracks(try SourceTrack.all(in: copy), greatestKey: key ?? 0, isByID: identity == .id).outcome
  }

  private func clear() {
    for name in (try? folder.listing()) ?? [] { Files.remove(folder.file(name)) }
  }
}
