import Foundation
import TestSupport
import Testing

@Suite("Options of a migration")
struct ChoiceTests {
  let folder: TemporaryFolder
  let library: String

  init() throws {
    folder = try TemporaryFolder()
    library = try folder.library()
  }

  @Test(arguments: ["--quiet", "-q"])
  func `A quiet run prints nothing`(flag: String) throws {
    let result = try successfully(library, flag)
    #expect(result.stdout == "")
    #expect(result.stderr == "")
  }

  @Test func `A quiet run still prints errors`() throws {
    let result = try tracksMigrate(folder.file("none.sqlite"), "--quiet")
    #expect(result.status == 66)
    #expect(result.stderr.contains("there is no file"))
  }

  @Test(arguments: ["--verbose", "-v"])
  func `A verbose run prints the wanted and found versions, the plan and examples`(flag: String) throws {
    let result = try successfully(library, flag)
    #expect(result.stdout == "")
    for line in [
      "Wanted: v2", "  Artist \(try #require(LibraryBuilder.v2Hashes["Artist"]))", "Found: v1",
      "  Track \(try #require(LibraryBuilder.v1Hashes["Track"]))",
      "Plan: v1 to v2, with the policy TrackToTrackMigrationPolicy", "Examples (JSON ends too early):",
      "  track 5 'Tha'",
      "Examples (no JSON):", "  track 4 'Xtal'",
    ] {
      #expect(result.stderr.contains(line + "\n"))
    }
  }

  @Test func `The statistics are written to the named file`() throws {
    let elsewhere = try folder.makeFolder("elsewhere")
    let result = try successfully(library, "--stats", "\(elsewhere)/what was done.json")
    #expect(result.stderr.contains("Statistics: \(elsewhere)/what was done.json\n"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere) == ["what was done.json"])
    #expect(try !folder.listing().contains("Library.sqlite.migration.json"))
    #expect(try Files.text("\(elsewhere)/what was done.json").contains(#""tracks_count" : 5"#))
  }

  @Test func `A relative statistics path is relative to the working folder`() throws {
    let elsewhere = try folder.makeFolder("elsewhere")
    #expect(try tracksMigrate(library, "--stats", "s.json", in: elsewhere).status == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere) == ["s.json"])
  }

  @Test func `Old statistics are replaced`() throws {
    try folder.write(Array("old".utf8), to: "Library.sqlite.migration.json")
    try successfully(library)
    #expect(try Files.text(library + ".migration.json").hasPrefix("{"))
  }

  @Test func `A pipe can receive the statistics and stays a pipe`() throws {
    // Not /dev/null: root can replace it with a file, which a bug might do.
    let pipe = folder.file("pipe")
    mkfifo(pipe, 0o600)
    let descriptor = open(pipe, O_RDWR | O_NONBLOCK)
    defer { close(descriptor) }
    try successfully(library, "--stats", pipe)
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(descriptor, &buffer, buffer.count)
    #expect(String(decoding: buffer.prefix(max(0, count)), as: UTF8.self).contains(#""tracks_count" : 5"#))
    #expect(try !folder.listing().contains { $0.hasPrefix(".") })
    #expect(try Rows.migrated(library) == [TrackRow].fewMigrated)
  }

  @Test func `A link to a statistics file stays a link`() throws {
    try folder.write([], to: "real.json")
    try FileManager.default.createSymbolicLink(atPath: folder.file("link.json"), withDestinationPath: "real.json")
    try successfully(library, "--stats", folder.file("link.json"))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.file("link.json")) == "real.json")
    #expect(try Files.text(folder.file("real.json")).hasPrefix("{"))
  }

  @Test(arguments: [
    "Library.sqlite", "./Library.sqlite", "Linked.sqlite", "Library.sqlite-wal", "Library.sqlite-journal",
  ])
  func `The statistics cannot replace the library`(name: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("Linked.sqlite"), withDestinationPath: "Library.sqlite")
    let before = try folder.snapshot()
    for more in [[], ["--output", "New.sqlite"], ["--no-backup"]] {
      let result = try CommandRunner(["Library.sqlite", "--stats", name] + more, folder: folder.path).run()
      #expect(result.status == 73, "\(result)")
      #expect(try folder.snapshot() == before)
    }
  }

  @Test func `The statistics cannot replace the result`() throws {
    let before = try folder.snapshot()
    let result = try tracksMigrate(library, "--output", "New.sqlite", "--stats", "New.sqlite", in: folder.path)
    #expect(result.status == 73)
    #expect(try folder.snapshot() == before)
  }

  @Test(arguments: ["nowhere/s.json", ".", "Library.sqlite/s.json"])
  func `Statistics that cannot be written are reported before any work`(name: String) throws {
    let before = try folder.snapshot()
    let result = try tracksMigrate(library, "--stats", name, in: folder.path)
    #expect(result.status == 73)
    #expect(result.stderr.contains("'\(name)'"))
    #expect(try folder.snapshot() == before)
  }

  @Test(arguments: ["name", "id"])
  func `The identity option decides which mentions are the same artist`(identity: String) throws {
    let tracks = [
      TrackRow(title: "A", json: #"{"artists":[{"id":"1","name":"One"}]}"#),
      TrackRow(title: "B", json: #"{"artists":[{"id":"1","name":"Uno"}]}"#),
      TrackRow(title: "C", json: #"{"artists":[{"id":"2","name":"One"}]}"#),
      TrackRow(title: "D", json: #"{"artists":[{"name":"One"}]}"#),
      TrackRow(title: "E", json: #"{"artists":[{"id":"3","name":"Three"}]}"#),
    ]
    let library = try folder.library("Ids.sqlite", tracks)
    try successfully(library, "--identity", identity)
    let names = try Database.rows("SELECT coalesce(ZID, '-') || ' ' || ZNAME FROM ZARTIST ORDER BY Z_PK", in: library)
    #expect(names == (identity == "name" ? ["1 One", "1 Uno", "3 Three"] : ["1 One", "2 One", "- One", "3 Three"]))
    let report = try Files.text(library + ".migration.json")
    #expect(report.contains(#""identity" : "\#(identity)""#))
    if identity == "name" { #expect(report.contains(#""name_conflicts_count" : 1"#)) }
    #expect(report.contains(#""id_conflicts_count" : 1"#))
  }
}
