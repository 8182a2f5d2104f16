import TestSupport
import Testing

@Suite("Reproducible output")
struct DeterminismTests {
  @Test(arguments: ["name", "id"])
  func `Two runs write the same library, rejects and statistics except for measurements`(identity: String) throws {
    var results: [[UInt8]] = []
    let documents = OddDocument.all.map {
      TrackRow(title: .text($0.title), artistName: "Fallback", json: $0.json.value)
    }
    let builder = LibraryBuilder(tracks: documents + .many(3000), plist: try LibraryBuilder().makePlist())
    for _ in 0..<3 {
      let folder = try TemporaryFolder()
      let library = try folder.library("Library.sqlite", builder)
      try successfully(library, "--identity", identity)
      let report = try Files.text(library + ".migration.json").split(separator: "\n")
        .filter { line in
          !["elapsed", "finished_at", "library_path", "memory", "per_second", "\"seconds\"", "\"bytes\""].contains {
            line.contains($0)
          }
        }
      results.append(
        try Files.bytes(library) + Files.rejects(library + ".rejects.ndjson").utf8 + report.joined(separator: "\n").utf8
      )
    }
    #expect(results[0] == results[1])
    #expect(results[1] == results[2])
  }

  @Test func `Migrating in place and to a new file gives the same bytes`() throws {
    let folder = try TemporaryFolder()
    let library = try folder.library("Library.sqlite", .many(3000))
    try successfully(library, "--output", folder.file("New.sqlite"))
    try successfully(library)
    #expect(try Files.bytes(library) == Files.bytes(folder.file("New.sqlite")))
  }

  @Test func `The bytes are the same whether the last tracks are in a write-ahead log or not`() throws {
    let folder = try TemporaryFolder()
    var builder = LibraryBuilder(tracks: .many(500), plist: try LibraryBuilder().makePlist())
    let plain = try folder.library("Plain.sqlite", builder)
    builder.writeAheadLogStart = 250
    let live = try folder.library("Live.sqlite", builder)
    try successfully(plain)
    try successfully(live)
    #expect(try Files.bytes(plain) == Files.bytes(live))
  }
}
