import Foundation
import TestSupport
import Testing

@Suite("A migration killed at a random instant")
struct KillTests {
  static let seed: UInt64 = 20_250_701

  /// Twenty thousand tracks, made once.
  private static let template = Result { try TemplateLibrary(trackCount: 20_000) }

  @Test(arguments: 0..<(Rounds.areMany ? 25 : 5))
  func `A killed run leaves the whole old or new library, and the next run finishes`(number: Int) throws {
    let rows = try Self.template.get().rows
    let folder = try TemporaryFolder()
    let library = try Self.template.get().copy(to: folder)
    var generator = SeededGenerator(seed: Self.seed &+ UInt64(number))
    let command = try CommandRunner([library]).start()
    usleep(UInt32.random(in: 0..<1_500_000, using: &generator))
    command.send(SIGKILL)
    let killed = try command.finish()

    try #require(try Database.isWhole(library))
    if try Database.value("SELECT count(*) FROM sqlite_schema WHERE name = 'ZARTIST'", in: library) == "0" {
      #expect(killed.end == .signalled(SIGKILL))
      #expect(try Rows.original(library) == rows)
    }
    try successfully(library)
    #expect(try Database.value("SELECT count(*) FROM Z_1TRACKS", in: library) == "40001")
    #expect(try Rows.original(library + ".v1-backup") == rows)
    #expect(try folder.listing() == ["Library.sqlite", "Library.sqlite.migration.json", "Library.sqlite.v1-backup"])
  }
}
