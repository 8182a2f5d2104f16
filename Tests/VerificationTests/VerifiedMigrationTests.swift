import MigrationDiagnostics
import Samples
import TestSupport
import Testing
import TrackLibrary

@Suite("A migration with verification") struct VerifiedMigrationTests {
  private func failure(_ pair: VerifiedPair, _ change: (inout LibraryMigration) -> Void) -> MigrationError? {
    #expect(throws: MigrationError.self) { try pair.migrate(change) }
  }

  @Test(arguments: [false, true])
  func `A difference stops the migration without changes or remains`(isInPlace: Bool) throws {
    let pair = try VerifiedPair()
    try TrackLibraryBuilder(VerifiedPair.rows).write(to: pair.old)
    let before = try pair.folder.snapshot()
    var told: [String] = []
    let error = failure(pair) {
      if isInPlace { $0.outputPath = nil }
      $0.isVerified = true
      $0.onBuilt = { try Database.run("UPDATE ZTRACK SET ZTITLE = 'x' WHERE Z_PK = 1; DELETE FROM Z_1TRACKS", in: $0) }
      $0.onDifference = { told.append($0.place) }
    }
    #expect(error?.code == .verificationFailed)
    #expect(error?.subject.path == pair.old)
    #expect(error?.detail?.hasPrefix("15 differences, of which the first is: value: Track 1 title: ") == true)
    #expect(told.count == 15)
    #expect(try pair.folder.snapshot() == before)
  }

  @Test func `A migration is not verified by default`() throws {
    let pair = try VerifiedPair()
    try TrackLibraryBuilder(VerifiedPair.rows).write(to: pair.old)
    try pair.migrate { $0.onBuilt = { _ in throw MigrationError(.interrupted) } }
    #expect(try pair.differences() == [])
  }

  @Test func `A verification can be interrupted`() throws {
    let pair = try VerifiedPair()
    _ = try SampleLibrary(trackCount: 5000).write(to: pair.old)
    let before = try pair.folder.snapshot()
    let error = failure(pair) {
      $0.isVerified = true
      let cancellation = $0.cancellation
      $0.onBuilt = { _ in cancellation.cancel() }
    }
    #expect(error?.code == .interrupted)
    #expect(try pair.folder.snapshot() == before)
  }

  @Test func `A verification needs the old library and a new one`() throws {
    let pair = try VerifiedPair(encoding: "UTF-8")
    #expect(throws: MigrationError.self) { try pair.differences { $0.sourcePath = nil } }
    #expect(throws: MigrationError.self) { try pair.differences { $0.sourcePath = pair.new } }
    #expect(throws: MigrationError.self) { try pair.differences { $0.path = pair.old } }
    // For a migration in place, the statistics name the backup.
    try pair.migrate { $0.outputPath = nil }
    var verification = LibraryVerification(path: pair.old)
    let result = try verification.run { #expect(Bool(false), "\($0)") }
    #expect(result.sourcePath == pair.old + ".v1-backup")
    #expect(result.tracksCount == 7 && result.artistsCount == 5 && result.linksCount == 9)
    verification.sourcePath = pair.folder.file("missing")
    #expect(throws: MigrationError.self) { try verification.run { _ in } }
  }
}
