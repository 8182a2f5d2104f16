import Foundation
import TestSupport
import Testing

@Suite("Unusual JSON documents")
struct OddDocumentTests {
  /// A migrated library with all of the documents.
  private static let migrated = Result { () throws -> TemporaryFolder in
    let folder = try TemporaryFolder()
    try successfully(try folder.library("Odd.sqlite", tracks))
    return folder
  }

  private static let tracks = OddDocument.all.map {
    TrackRow(title: .text($0.title), artistName: "Fallback", json: $0.json.value)
  }

  @Test(arguments: OddDocument.all.indices)
  func `Every track has the expected artists`(index: Int) throws {
    let folder = try Self.migrated.get()
    let names = try Database.rows(
      """
      SELECT a.ZNAME FROM Z_1TRACKS l JOIN ZARTIST a ON a.Z_PK = l.Z_1ARTISTS WHERE l.Z_2TRACKS = \(index + 1)
      ORDER BY a.Z_PK
      """, in: folder.file("Odd.sqlite"))
    let document = OddDocument.all[index]
    #expect(names.map { Array($0.utf8) } == document.artists.map { Array($0.utf8) }, "\(document.title)")
  }

  @Test func `Every artist appears once, in the order of first mention`() throws {
    let folder = try Self.migrated.get()
    var expected: [[UInt8]] = []
    for name in OddDocument.all.flatMap(\.artists).map({ Array($0.utf8) }) where !expected.contains(name) {
      expected.append(name)
    }
    let names = try Database.rows("SELECT ZNAME FROM ZARTIST ORDER BY Z_PK", in: folder.file("Odd.sqlite"))
    #expect(names.map { Array($0.utf8) } == expected)
    #expect(
      try Database.rows(
        "SELECT ZID FROM ZARTIST WHERE ZNAME IN ('One', '1975', 'Three')", in: folder.file("Odd.sqlite"))
        == ["1", "NULL", "7"])
  }

  @Test func `Fallbacks are counted by reason`() throws {
    let folder = try Self.migrated.get()
    let json = try JSONSerialization.jsonObject(with: Data(Files.bytes(folder.file("Odd.sqlite.migration.json"))))
    let report = try #require(json as? [String: Any])
    let expected = Dictionary(grouping: OddDocument.all.compactMap(\.reason), by: \.self).mapValues(\.count)
    #expect(report["fallback_tracks_count_by_reason"] as? [String: Int] == expected)
    #expect(report["fallback_tracks_count"] as? Int == OddDocument.all.count { $0.reason != nil })
    #expect(
      report["nameless_artists_count"] as? Int == OddDocument.all.reduce(0) { $0 + $1.namelessArtistCount })
    #expect(report["duplicate_keys_count"] as? Int == 2)
    #expect(report["rejects_count"] as? Int == OddDocument.all.count(where: \.isRejected))
  }

  @Test func `Unreadable JSON is kept byte for byte with its reason and place`() throws {
    let folder = try Self.migrated.get()
    let lines = try Files.text(folder.file("Odd.sqlite.rejects.ndjson")).split(separator: "\n")
    let rejected = OddDocument.all.indices.filter { OddDocument.all[$0].isRejected }
    #expect(lines.count == rejected.count)
    for (line, index) in zip(lines, rejected) {
      let document = OddDocument.all[index]
      let comment = Comment(rawValue: document.title)
      let json = try JSONSerialization.jsonObject(with: Data(line.utf8))
      let reject = try #require(json as? [String: Any], comment)
      #expect(reject["primaryKey"] as? Int == index + 1, comment)
      #expect(reject["title"] as? String == document.title, comment)
      #expect(reject["reason"] as? String == document.reason ?? "nameless_artists", comment)
      if let byteOffset = document.byteOffset { #expect(reject["byteOffset"] as? Int == byteOffset, comment) }
      let raw = (reject["json"] as? String).map { Array($0.utf8) }
      let encoded = (reject["jsonBase64"] as? String).flatMap { Data(base64Encoded: $0) }.map { Array($0) }
      #expect(raw ?? encoded == document.json.bytes, comment)
      #expect((raw == nil) == (document.reason == "json_invalid_utf8"), comment)
    }
  }

  @Test func `A strict run fails, gives the reason and leaves the folder unchanged`() throws {
    let folder = try TemporaryFolder()
    let library = try folder.library("Odd.sqlite", Self.tracks)
    let before = try folder.snapshot()
    for more in [[], ["--output", folder.file("New.sqlite")], ["--stats", folder.file("s.json")]] {
      let result = try CommandRunner([library, "--strict"] + more).run()
      #expect(result.status == 65)
      #expect(result.stderr.hasPrefix("tracks-migrate: error: '\(library)' was not migrated, because of --strict: "))
      #expect(result.stderr.contains("1 × no JSON, 2 × empty JSON, "))
      #expect(
        result.stderr.hasSuffix("Nothing was changed. Run without --strict to migrate anyway and have this reported.\n")
      )
      #expect(try folder.snapshot() == before)
    }
  }

  @Test func `A strict run accepts a library of well-formed tracks`() throws {
    let folder = try TemporaryFolder()
    let library = try folder.library("Plain.sqlite", .many(50))
    try successfully(library, "--strict")
    #expect(try folder.listing() == ["Plain.sqlite", "Plain.sqlite.migration.json", "Plain.sqlite.v1-backup"])
  }

  @Test func `A track without JSON or a name has no artist and is counted`() throws {
    let folder = try TemporaryFolder()
    let library = try folder.library("Nobody.sqlite", [TrackRow(title: nil), TrackRow(title: "x", artistName: "")])
    let result = try successfully(library)
    #expect(result.stderr.contains("  no artist                  2  tracks without an artistName either\n"))
    #expect(try Rows.migrated(library) == [])
    #expect(try Files.text(library + ".migration.json").contains(#""tracks_without_artist_count" : 2"#))
  }
}
