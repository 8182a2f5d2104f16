import Foundation
import SQLiteDatabase
import TestSupport
import Testing

@Suite("A dry run")
struct RehearsalTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static func credited(_ title: String, _ artists: (id: String?, name: String)...) -> TrackRow {
    let texts = artists.map { #"{\#($0.id.map { #""id":"\#($0)","# } ?? "")"name":"\#($0.name)"}"# }
    return TrackRow(
      title: .text(title), artistName: "Nobody", json: .text(#"{"artists":[\#(texts.joined(separator: ","))]}"#))
  }

  @Test(arguments: [nil, 2] as [Int?], [false, true])
  func `A dry run changes nothing and prints what would happen`(log: Int?, hasOutput: Bool) throws {
    let library = try folder.library("Library.sqlite", LibraryBuilder(writeAheadLogStart: log))
    let before = try folder.snapshot()
    let result = try CommandRunner(
      [library, "--dry-run"] + (hasOutput ? ["--output", folder.file("New.sqlite")] : [])
    ).run()
    #expect(result.status == 0, "\(result)")
    #expect(result.stdout.contains("Tried out: migrating '\(library)'"))
    #expect(result.lines.contains { $0.split(separator: " ").starts(with: ["tracks", "5"]) })
    #expect(result.lines.contains { $0.split(separator: " ").starts(with: ["artists", "3"]) })
    #expect(result.lines.contains { $0.split(separator: " ").starts(with: ["fallbacks", "2"]) })
    #expect(result.stdout.contains("Backup would be: \(library).v1-backup") == !hasOutput)
    #expect(result.lines.last == "Nothing was changed.")
    #expect(try folder.snapshot() == before)
  }

  @Test func `A dry run reports similar names and ids`() throws {
    let tracks = [
      Self.credited("1", (id: "a", name: "Björk"), (id: "b", name: "BJÖRK"), (id: "c", name: "Bjo\u{308}rk")),
      Self.credited("2", (id: "d", name: "ＡＢＢＡ"), (id: "e", name: "Abba")),
      Self.credited("3", (id: "f", name: "Prince"), (id: "f", name: "The Artist")),
      Self.credited("4", (id: "g", name: "Nirvana"), (id: "h", name: "Nirvana")),
      Self.credited("5", (id: "i", name: "Alone")),
    ]
    let library = try folder.library("Library.sqlite", tracks)
    let result = try successfully(library, "--dry-run")
    let text = result.stdout
    #expect(result.lines.contains { $0.split(separator: " ").starts(with: ["similar", "names", "2"]) }, "\(result)")
    #expect(text.contains("BJÖRK, Bjo\u{308}rk, Björk (in other code points)"))
    #expect(text.contains("Abba, ＡＢＢＡ"))
    #expect(result.lines.contains { $0.split(separator: " ").starts(with: ["id", "conflicts", "1"]) })
    #expect(text.contains("f: Prince, The Artist"))
    #expect(result.lines.contains { $0.split(separator: " ").starts(with: ["name", "conflicts", "1"]) })
    #expect(!text.contains("Alone"))
  }

  @Test(arguments: ["UTF-16le", "UTF-16be"])
  func `A dry run reports the same similar names for a UTF-16 library`(encoding: String) throws {
    let tracks = [
      Self.credited("1", (id: "a", name: "Björk"), (id: "b", name: "BJÖRK"), (id: "c", name: "Bjo\u{308}rk")),
      Self.credited("2", (id: "d", name: "東京🎵"), (id: "e", name: "東京🎵")),
    ]
    let pragmas = "PRAGMA page_size = 4096; PRAGMA auto_vacuum = 2; PRAGMA encoding = '\(encoding)'"
    let library = try folder.library("Library.sqlite", LibraryBuilder(tracks: tracks, pragmas: pragmas))
    let before = try folder.snapshot()
    let result = try successfully(library, "--dry-run")
    #expect(result.lines.contains { $0.split(separator: " ").starts(with: ["similar", "names", "1"]) }, "\(result)")
    #expect(result.stdout.contains("BJÖRK, Bjo\u{308}rk, Björk (in other code points)"))
    #expect(result.stdout.contains("東京🎵"))
    #expect(result.lines.contains { $0.split(separator: " ").starts(with: ["name", "conflicts", "1"]) })
    #expect(try folder.snapshot() == before)
  }

  @Test(arguments: [false, true])
  func `A dry run with --verify compares its result with the library`(isWanted: Bool) throws {
    let library = try folder.library("Library.sqlite", LibraryBuilder(writeAheadLogStart: 2))
    let before = try folder.snapshot()
    let result = try CommandRunner([library, "--dry-run"] + (isWanted ? ["--verify"] : [])).run()
    #expect(result.status == 0, "\(result)")
    #expect(result.lines.contains("Verified: every track, artist and link is as expected.") == isWanted)
    #expect(result.lines.last == "Nothing was changed.")
    #expect(try folder.snapshot() == before)
  }

  @Test func `A dry run does not need the library for itself`() throws {
    let library = try folder.library()
    try Database.run("PRAGMA journal_mode = WAL", in: library)
    let connection = try Connection(path: library, access: .readWrite)
    try connection.execute("UPDATE ZTRACK SET ZTITLE = 'x'; BEGIN IMMEDIATE")
    try successfully(library, "--dry-run")
    try connection.execute("ROLLBACK")
    try connection.close()
    #expect(try folder.listing() == ["Library.sqlite"])
  }

  @Test func `A dry run writes statistics only to a named file`() throws {
    let library = try folder.library()
    try successfully(library, "--dry-run", "--stats", folder.file("stats.json"))
    #expect(try folder.listing() == ["Library.sqlite", "stats.json"])
    let text = try Files.text(folder.file("stats.json"))
    #expect(text.contains("\"is_rehearsal\""))
    #expect(text.contains("\"similar_names_count\""))
  }

  @Test func `A dry run fails like the migration would`() throws {
    let library = try folder.library()
    let before = try folder.snapshot()
    #expect(try tracksMigrate(library, "--dry-run", "--strict").status == 65)
    #expect(try folder.snapshot() == before)
  }
}
