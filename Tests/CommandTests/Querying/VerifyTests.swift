import Foundation
import TestSupport
import Testing

@Suite("The verify command")
struct VerifyTests {
  let folder: TemporaryFolder
  let library: String

  init() throws {
    folder = try TemporaryFolder()
    library = try folder.library()
  }

  @Test func `A migration that verified itself is confirmed`() throws {
    let migration = try successfully(library, "--verify")
    #expect(migration.stderr.hasSuffix("Verified: every track, artist and link is as expected.\n"))
    let before = try folder.snapshot()
    let result = try successfully("verify", library)
    #expect(result.stdout == "")
    #expect(
      result.stderr
        == "'\(library)' matches '\(library).v1-backup': 5 tracks, 3 artists, 6 links.\n")
    #expect(try folder.snapshot() == before)
    #expect(try successfully("verify", library, "--quiet", "--format", "json").output == Array("[]\n".utf8))
  }

  @Test func `finds every byte of the rejects where the migration has put it`() throws {
    let controls = String(String.UnicodeScalarView((1...0x9F).compactMap(Unicode.Scalar.init))) + "\u{2028}\u{FEFF}é🎵"
    let rejected: [CellValue] =
      [.text("{" + controls), .text(#"{"\u12"#), .text("[\\\"\n"), .rawText([0x7B, 0x00, 0x5C, 0x22])]
      + (1...7).map { .blob([UInt8]((0..<$0).map { UInt8(0xF9 &+ $0) })) }
      + (0..<16).map { row in .blob((0..<16).map { UInt8(row * 16 + $0) } + [0xFF]) }
    let titles = [controls, "a \"title\"", "null", ""]
    let tracks = rejected.enumerated().map { index, json in
      TrackRow(title: index % 5 == 4 ? nil : .text(titles[index % 5 % 4]), artistName: "A", json: json)
    }
    let library = try folder.library("Rejected.sqlite", tracks)
    #expect(try successfully(library, "--verify").stderr.contains("(raw JSON, tracks: \(rejected.count))"))
    try successfully("verify", library)
  }

  @Test func `Each difference is listed, and the exit status is 3`() throws {
    let new = folder.file("New.sqlite")
    try successfully(library, "--output", new)
    try Database.run(
      "DELETE FROM Z_1TRACKS WHERE Z_2TRACKS = 3; UPDATE ZTRACK SET ZTITLE = 'It''s' WHERE Z_PK = 4", in: new)
    let result = try tracksMigrate("verify", new, "--source", library)
    #expect(result.status == 3)
    #expect(
      result.lines == [
        "KIND          ENTITY  ROW  PROPERTY  EXPECTED          FOUND   DETAIL",
        "missing-link  Track     3  artists   artist 1 'Björk'",
        "value         Track     4  title     'Xtal'            'It's'  from byte 0 on: 5874616c / 49742773",
      ])
    #expect(
      result.stderr
        == "'\(new)' does not match '\(library)': 2 differences (1 missing-link, 1 value).\n")
    let limited = try tracksMigrate("verify", new, "--source", library, "--limit", "1", "--format", "ndjson")
    #expect(limited.status == 3 && limited.lines.count == 1)
    #expect(limited.stderr.hasPrefix("… and 1 more\n"))
    let object = try #require(try JSONSerialization.jsonObject(with: Data(limited.output)) as? [String: Any])
    #expect(object["kind"] as? String == "missing-link" && object["row"] as? Int == 3)
    let quiet = try tracksMigrate("verify", new, "--source", library, "--quiet", "--limit", "0")
    #expect(quiet.status == 3 && quiet.stdout == "" && quiet.stderr == "")
  }

  @Test func `A single difference also gives exit status 3`() throws {
    try successfully(library)
    try Database.run("UPDATE ZTRACK SET ZTITLE = 'It''s' WHERE Z_PK = 4", in: library)
    let result = try tracksMigrate("verify", library)
    #expect(result.status == 3)
    #expect(result.lines.count == 2)
    #expect(result.stderr.hasSuffix(": 1 difference (1 value).\n"))
  }

  @Test func `A planted trigger and a planted entity are found`() throws {
    try successfully(library, "--verify")
    try Database.run(
      """
      CREATE TRIGGER planted AFTER INSERT ON ZTRACK BEGIN DELETE FROM ZARTIST; END;
      INSERT INTO Z_PRIMARYKEY VALUES (7, 'Ghost', 0, 0)
      """, in: library)
    let result = try tracksMigrate("verify", library, "--format", "csv")
    #expect(result.status == 3)
    #expect(result.stdout.contains("schema,planted,,,,CREATE TRIGGER planted AFTER INSERT"))
    #expect(result.stdout.contains("primary-key,Ghost,,,,a row with the number 7,"))
  }

  @Test func `A missing migration or source is reported`() throws {
    let unmigrated = try tracksMigrate("verify", library, "--source", library)
    #expect(unmigrated.status == 65 && unmigrated.stderr.contains("is still a v1 library"))
    let new = folder.file("New.sqlite")
    try successfully(library, "--output", new)
    let noSource = try tracksMigrate("verify", new)
    #expect(noSource.status == 64 && noSource.stderr.contains("no backup was kept. Name the old library"))
    #expect(try tracksMigrate("verify", new, "--source", folder.file("none")).status == 66)
    try FileManager.default.removeItem(atPath: new + ".migration.json")
    let unknown = try tracksMigrate("verify", new)
    #expect(unknown.status == 64, "\(unknown)")
    #expect(unknown.stderr.contains("New.sqlite' cannot be compared with an old library: it has no statistics"))
    #expect(
      unknown.stderr.contains(
        "If it was imported, name the feed with --feed; otherwise the old library with --source."))
    #expect(try tracksMigrate("verify", new, "--source", library, "--limit", "-1").status == 64)
    let app = try tracksMigrate("verify", library, "--model", "App.momd")
    #expect(
      app.status == 66 && app.stderr.contains("there is no backup of '\(library)' beside it. Name the old store with"))
    let identity = try tracksMigrate("verify", new, "--source", library, "--model", "App.momd", "--identity", "id")
    #expect(identity.status == 64 && identity.stderr.contains("'--identity' works with track libraries only"))
  }

  @Test func `says of an app's store that its model is needed`() throws {
    let store = try SampleStore("Notes")
    let before = try store.folder.snapshot()
    for arguments in [[], ["--source", library]] {
      let result = try CommandRunner(["verify", store.path] + arguments).run()
      #expect(result.status == 65)
      #expect(
        result.stderr
          == "tracks-migrate: error: '\(store.path)' is not a track library (its entities are Note). Name the "
          + "app's model with --model and the old store with --source; see what this one holds with: tracks-migrate info "
          + "'\(store.path)'\n")
    }
    #expect(try store.folder.snapshot() == before)
  }

  @Test func `A count of one takes the singular`() throws {
    let library = try folder.library("One.sqlite", [TrackRow(title: "1", json: #"{"artists":["A"]}"#)])
    try Database.run("CREATE TABLE own (a); INSERT INTO own VALUES (1)", in: library)
    #expect(try successfully(library).stderr.contains(" own: 1 row\n"))
    #expect(try successfully("verify", library).stderr.hasSuffix(": 1 track, 1 artist, 1 link.\n"))
    try Database.run("DROP TABLE own", in: library)
    #expect(try tracksMigrate("verify", library, "--format", "csv").stdout.contains("table,own,,,1 row,,"))
    let sample = try successfully("sample", "1", folder.file("Sample.sqlite"))
    #expect(sample.stderr.hasSuffix(" with 1 track.\n"))
  }

  @Test func `Unreadable statistics are reported and the libraries are still compared`() throws {
    try successfully(library)
    let statistics = library + ".migration.json"
    let text = try Files.text(statistics)
    for broken in [
      "{", "", text.replacing("\"identity\" : \"name\"", with: "\"identity\" : \"zzz\""),
      text.replacing("\"tracks_count\"", with: "\"tracks\""),
      text.replacing("\"rejects_count\" : ", with: "\"rejects_count\" : \"x"),
      text.replacing("\"format_version\" : 1", with: "\"format_version\" : 2"),
    ] {
      try Files.write(Array(broken.utf8), to: statistics)
      // The backup has its usual name.
      for arguments in [[], ["--source", library + ".v1-backup"]] {
        let result = try CommandRunner(["verify", library] + arguments).run()
        #expect(result.status == 65)
        #expect(result.stderr.contains("error: the statistics of '\(library)' cannot be read"))
        #expect(result.stderr.contains("only the libraries were compared"))
        #expect(result.stderr.contains("5 tracks, 3 artists, 6 links"))
      }
    }
    Files.remove(statistics)
    try FileManager.default.createDirectory(atPath: statistics, withIntermediateDirectories: false)
    #expect(try tracksMigrate("verify", library).status == 66)
    try Database.run("DELETE FROM Z_1TRACKS WHERE Z_2TRACKS = 3", in: library)
    #expect(try tracksMigrate("verify", library).status == 3)
    Files.remove(library + ".v1-backup")
    let nowhere = try tracksMigrate("verify", library)
    #expect(nowhere.status == 66 && nowhere.stderr.contains("name the old library with --source"))
  }
}
