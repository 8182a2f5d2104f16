import Foundation
import TestSupport
import Testing

@Suite("The doctor command")
struct DoctorTests {
  private let folder: TemporaryFolder
  private let library: String

  init() throws {
    folder = try TemporaryFolder()
    library = try folder.migratedSample()
  }

  private static let checks =
    "header, journal and log; pages and indexes; metadata; copy of the model; tables, columns, indexes, triggers and "
    + "Z_PRIMARYKEY; entities of rows; required, unique and limited values and their storage classes; links; text; "
    + "external data files; persistent history"

  @Test func `A library without findings is said to have none, and what was checked`() throws {
    let before = try folder.snapshot()
    let result = try tracksMigrate("doctor", library)
    #expect(result.status == 0 && result.stderr == "", "\(result)")
    #expect(
      result.stdout == """
        '\(library)' has no findings.

        Checked: \(Self.checks) (with the model 'track library v2').

        """)
    #expect(try folder.snapshot() == before)
  }

  @Test func `Findings are told with what they mean and what to do`() throws {
    try Database.run(
      """
      UPDATE Z_PRIMARYKEY SET Z_MAX = 1; UPDATE ZTRACK SET ZTITLE = CAST(x'FF' AS TEXT) WHERE Z_PK < 8
      """, in: library)
    let result = try tracksMigrate("doctor", library)
    #expect(result.status == 3 && result.stderr == "", "\(result)")
    let artists = try #require(try Database.value("SELECT max(Z_PK) FROM ZARTIST", in: library))
    #expect(
      result.stdout == """
        '\(library)' has 3 findings.

        greatest-key
          Its table 'Z_PRIMARYKEY' gives 1 as the greatest key of 'Artist', and there is a row \(artists), so new rows would get keys that are taken.
          Its table 'Z_PRIMARYKEY' gives 1 as the greatest key of 'Track', and there is a row 20, so new rows would get keys that are taken.
          For the app: New instances get keys that are taken, so saving fails.
          To do: tracks-migrate doctor '\(library)' --repair

        invalid-text
          'Track.title' has text that is not valid UTF-8.
            7 rows: 1, 2, 3, 4, 5, …
          For the app: The app may read other characters, or no text.
          To do: nothing

        Checked: \(Self.checks) (with the model 'track library v2').

        """)
  }

  @Test(arguments: [
    ["migrate", "L"], ["info", "L"], ["query", "L", "Track"], ["export", "L"], ["doctor", "L", "--repair"],
    ["redact", "L", "--output", "New.sqlite"],
  ])
  func `No command opens a library with a damaged journal`(words: [String]) throws {
    try Files.write(Array("garbage".utf8), to: library + "-journal")
    let before = try folder.snapshot()
    let result = try CommandRunner(words.map { $0 == "L" ? library : $0 }, folder: folder.path).run()
    #expect(result.status == 65 && result.stderr.contains("journal"), "\(result)")
    #expect(result.stderr.contains("tracks-migrate salvage"), "\(result)")
    #expect(try folder.snapshot() == before)
  }

  @Test func `Findings are told to programs with their codes`() throws {
    try Database.run("UPDATE ZTRACK SET ZTITLE = CAST(x'FF' AS TEXT) WHERE Z_PK = 8", in: library)
    let result = try tracksMigrate("doctor", library, "--format", "json")
    #expect(result.status == 3, "\(result)")
    let document = try #require(JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any])
    #expect(document["format_version"] as? Int == 1)
    #expect(document["store"] as? String == library)
    #expect(document["findings_count"] as? Int == 1)
    let finding = try #require((document["findings"] as? [[String: Any]])?.first)
    #expect(finding["code"] as? String == "invalid-text")
    #expect(finding["check"] as? String == "text")
    #expect(finding["entity"] as? String == "Track" && finding["property"] as? String == "title")
    #expect(finding["rows"] as? [String] == ["8"] && finding["count"] as? Int == 1)
    #expect(finding["remedy"] as? String == "nothing")
    let checks = try #require(document["checks"] as? [[String: Any]])
    #expect(checks.count == 11 && checks.allSatisfy { $0["made"] as? Bool == true })
    #expect(document["repaired"] == nil)
  }

  @Test func `A repaired library is whole, can be verified, and is restored as it was`() throws {
    let bytes = try Files.bytes(library)
    try Database.run("DROP INDEX Z_1TRACKS_Z_2TRACKS_INDEX; UPDATE Z_PRIMARYKEY SET Z_MAX = 1", in: library)
    let damaged = try Files.bytes(library)
    let result = try tracksMigrate("doctor", library, "--repair")
    #expect(result.status == 0 && result.stderr == "", "\(result)")
    #expect(
      result.stdout.hasPrefix(
        """
        Repaired '\(library)':
          set the greatest key (Z_MAX) of 'ZARTIST'
          set the greatest key (Z_MAX) of 'ZTRACK'
          made the index 'Z_1TRACKS_Z_2TRACKS_INDEX' of 'Z_1TRACKS'
        The store as it was: \(library).unrepaired-backup

        '\(library)' has no other findings.
        """), "\(result)")
    #expect(try Files.bytes(library + ".unrepaired-backup") == damaged)
    try successfully("doctor", library)
    try successfully("restore", library)
    #expect(try Files.bytes(library) == damaged)
    #expect(damaged != bytes)
  }

  @Test func `A repair that leaves findings says so, and one that can do nothing changes nothing`() throws {
    let change = "UPDATE ZTRACK SET ZTITLE = CAST(x'FF' AS TEXT) WHERE Z_PK = 8; UPDATE Z_PRIMARYKEY SET Z_MAX = 1"
    try Database.run(change, in: library)
    let first = try tracksMigrate("doctor", library, "--repair", "--format", "json")
    #expect(first.status == 3, "\(first)")
    let document = try #require(JSONSerialization.jsonObject(with: Data(first.output)) as? [String: Any])
    #expect((document["repaired"] as? [String])?.count == 2)
    #expect(document["backup"] as? String == library + ".unrepaired-backup")
    #expect((document["findings"] as? [[String: Any]])?.compactMap { $0["code"] as? String } == ["invalid-text"])
    let before = try folder.snapshot()
    let second = try tracksMigrate("doctor", library, "--repair")
    #expect(second.status == 3, "\(second)")
    #expect(second.stdout.hasPrefix("Nothing was changed: there is nothing that can be repaired without a loss.\n"))
    #expect(try folder.snapshot() == before)
  }

  private static let uniqueModel = """
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0"><entity name="Tag">
    <attribute name="name" optional="YES" attributeType="String"/><uniquenessConstraints><uniquenessConstraint>
    <constraint value="name"/></uniquenessConstraint></uniquenessConstraints></entity></model>
    """

  @Test func `Numbers of findings and rows read as what they are`() throws {
    let damage = "UPDATE ZTRACK SET ZTITLE = CAST(x'FF' AS TEXT) WHERE Z_PK = 8; UPDATE Z_PRIMARYKEY SET Z_MAX = 1"
    try Database.run(damage, in: library)
    let repair = try tracksMigrate("doctor", library, "--repair")
    #expect(repair.stdout.contains("' has 1 finding that remains.\n"), "\(repair)")
    let (store, model) = (folder.file("App.sqlite"), try folder.makeFolder("M.xcdatamodel"))
    try Files.write(Array(Self.uniqueModel.utf8), to: model + "/contents")
    try successfully("fixture", "new", "--model", model, "--rows", "9", store)
    try Database.run("DROP INDEX Z_Tag_UNIQUE_name; UPDATE ZTAG SET ZNAME = 'same' WHERE Z_PK < 6", in: store)
    let result = try tracksMigrate("doctor", store, "--model", model)
    #expect(result.stdout.contains("    two rows with each value: 1, 5\n"), "\(result)")
  }

  @Test func `A library whose pages are damaged is not repaired`() throws {
    let root = try #require(try Database.value("SELECT rootpage FROM sqlite_schema WHERE name = 'ZTRACK'", in: library))
    var bytes = try Files.bytes(library)
    let page = (Int(root) ?? 1) - 1
    bytes.replaceSubrange(page * 4096..<(page + 1) * 4096, with: [UInt8](repeating: 0, count: 4096))
    try Files.write(bytes, to: library)
    let before = try folder.snapshot()
    let found = try tracksMigrate("doctor", library)
    #expect(found.status == 3, "\(found)")
    #expect(found.stdout.contains("pages\n  Its pages do not fit together, so rows may be missing: "), "\(found)")
    #expect(found.stdout.contains("tracks-migrate salvage '\(library)' --output NEW"), "\(found)")
    #expect(found.stdout.contains("Not checked: metadata; copy of the model; "), "\(found)")
    let refused = try tracksMigrate("doctor", library, "--repair")
    #expect(refused.status == 65 && refused.stdout == "", "\(refused)")
    #expect(refused.stderr.contains("Nothing was changed, because a repair could lose rows."), "\(refused)")
    #expect(try folder.snapshot() == before)
  }

  @Test func `The store of an app is compared with the app's model`() throws {
    let store = try SampleStore("Notes")
    let unknown = try tracksMigrate("doctor", store.path)
    #expect(unknown.status == 0, "\(unknown)")
    #expect(
      unknown.stdout.contains(
        "because no known model has the store's version hashes. Name the app's model with --model."))
    let named = try tracksMigrate("doctor", store.path, "--model", store.model)
    #expect(named.status == 0 && named.stdout.contains("(with the model 'Notes')"), "\(named)")
    #expect(!named.stdout.contains("Not checked"))
    try Database.run("DROP TABLE Z_MODELCACHE; UPDATE ZNOTE SET ZTITLE = x'41' WHERE Z_PK = 1", in: store.path)
    let damaged = try tracksMigrate("doctor", store.path, "--model", store.model)
    #expect(damaged.status == 3 && damaged.stdout.contains("storage-class"), "\(damaged)")
    #expect(damaged.stdout.contains(" (1550).\n    1 row: 1\n"), "\(damaged)")
  }

  @Test(arguments: [
    "Books/library-v1", "Notes/library-v1", "Notes/library-v2", "Tracks/library-v1", "Tracks/library-v1-wal",
  ])
  func `The sample stores have no findings, except text that is not UTF-8 on purpose`(name: String) throws {
    for suffix in ["", "-wal"] where Files.exists(SampleStore.data("\(name).sqlite\(suffix)")) {
      try Files.copy(SampleStore.data("\(name).sqlite\(suffix)"), to: folder.file("S.sqlite\(suffix)"))
    }
    let example = name.prefix { $0 != "/" }
    let result = try tracksMigrate(
      "doctor", folder.file("S.sqlite"), "--model", SampleStore.data("\(example)/\(example).xcdatamodeld"))
    let isOdd = name == "Tracks/library-v1"
    #expect(result.status == (isOdd ? 3 : 0), "\(result)")
    #expect(result.stdout.contains(isOdd ? "has 1 finding.\n\ninvalid-text\n" : "has no findings"), "\(result)")
  }

  @Test func `The odd documents of a sample are data, except text that is not UTF-8`() throws {
    let odd = folder.file("Odd.sqlite")
    try successfully("sample", "60", odd, "--odd")
    let result = try tracksMigrate("doctor", odd)
    #expect(result.status == 3 && result.stdout.contains("has 1 finding."), "\(result)")
    #expect(result.stdout.contains("invalid-text\n  'Track.json' has text that is not valid UTF-8."), "\(result)")
  }

  @Test(arguments: ["missing", "folder", "text", "database"]) func `What is no store is an error`(kind: String) throws {
    let path = folder.file("F.sqlite")
    switch kind {
    case "folder": _ = try folder.makeFolder("F.sqlite")
    case "text": try Files.write("SQLite format 2", to: path)
    case "database": try Database.run("CREATE TABLE a (b)", in: path)
    default: break
    }
    for words in [["doctor", path], ["doctor", path, "--repair"]] {
      let result = try CommandRunner(words).run()
      #expect(result.status == (["missing", "folder"].contains(kind) ? 66 : 65), "\(result)")
      #expect(result.stdout == "")
    }
  }
}

/// A store that has the version hashes of the current version, and not all of its tables, columns and indexes.
@Suite("Stores that are current by their hashes only")
struct DriftTests {
  private static let changes = [
    ("DROP TABLE ZARTIST", "it has no table 'ZARTIST'"),
    ("DROP TABLE Z_1TRACKS", "it has no table such as 'Z_1TRACKS'"),
    ("ALTER TABLE ZTRACK DROP COLUMN ZTITLE", "no column 'ZTITLE'"),
    ("DROP INDEX Z_1TRACKS_Z_2TRACKS_INDEX", "it lacks the index 'Z_1TRACKS_Z_2TRACKS_INDEX'"),
    ("UPDATE Z_PRIMARYKEY SET Z_MAX = 0", "gives 0 as the greatest key of 'Artist'"),
  ]

  @Test(
    arguments: [
      ["L.sqlite"], ["L.sqlite", "--dry-run"], ["L.sqlite", "--model", "M", "--to", "Tracks 2"],
      ["L.sqlite", "--model", "M", "--to", "Tracks 2", "--dry-run"], ["models", "explain", "L.sqlite", "M:Tracks 2"],
    ], changes)
  func `A store without what its version asks for is named, and never current`(
    command: [String], change: (sql: String, fact: String)
  ) throws {
    let folder = try TemporaryFolder()
    let library = try folder.migratedSample(trackCount: 5)
    try Database.run(change.sql, in: library)
    let model = SampleStore.data("Tracks/Tracks.xcdatamodeld")
    let words = command.map { word in
      word == "L.sqlite" ? library : word.hasPrefix("M") ? model + word.dropFirst() : word
    }
    let before = try folder.snapshot()
    let result = try CommandRunner(words).run()
    #expect(result.status == 65, "\(result)")
    #expect(result.stderr.contains("'\(library)' is damaged: ") && result.stderr.contains(change.fact), "\(result)")
    #expect(result.stderr.contains("tracks-migrate doctor '\(library)'"), "\(result)")
    #expect(!result.stderr.contains("nothing to do") && !result.stdout.contains("nothing to do"))
    #expect(try folder.snapshot() == before)
  }

  @Test(arguments: ["DROP TABLE ZARTIST", "DROP TABLE Z_1TRACKS", "ALTER TABLE ZTRACK DROP COLUMN ZTITLE"])
  func `A library that lacks a table or column is shown with a warning, and its rows with an error`(sql: String) throws
  {
    let folder = try TemporaryFolder()
    let library = try folder.migratedSample(trackCount: 5)
    try Database.run(sql, in: library)
    let info = try successfully("info", library)
    #expect(info.stdout.contains("\nversion          v2\n"), "\(info)")
    #expect(info.stderr.contains("warning: '\(library)' is damaged: it"), "\(info)")
    let commands = [
      ["stats", library], ["query", library, "Track"], ["artists", library], ["tracks", library], ["export", library],
      ["diff", library, library], ["report", library, "--output", folder.file("r.html")],
    ]
    for words in commands + [["batch", library]] {
      let result = try CommandRunner(words).run()
      #expect(result.status == (words[0] == "batch" ? 1 : 65), "\(result)")
      #expect((result.stdout + result.stderr).contains("tracks-migrate doctor "), "\(words) \(result)")
    }
  }

  @Test func `A library that lacks what its source lacks too is not verified`() throws {
    let folder = try TemporaryFolder()
    let library = try folder.migratedSample(trackCount: 5)
    try Database.run("DROP INDEX Z_1TRACKS_Z_2TRACKS_INDEX", in: library)
    let feed = try folder.write(Array((#"{"title":"New","artists":["Ann"]}"# + "\n").utf8), to: "feed.ndjson")
    try successfully("import", feed, library)
    let result = try tracksMigrate("verify", library, "--feed", feed, "--source", library + ".v2-backup")
    #expect(result.status == 65, "\(result)")
    #expect(result.stderr.contains("it lacks the index 'Z_1TRACKS_Z_2TRACKS_INDEX'"), "\(result)")
    #expect(!result.stderr.contains("matches"))
  }

  @Test func `What is named is repaired`() throws {
    let folder = try TemporaryFolder()
    let library = try folder.migratedSample(trackCount: 5)
    try Database.run("DROP INDEX Z_1TRACKS_Z_2TRACKS_INDEX; UPDATE Z_PRIMARYKEY SET Z_MAX = 0", in: library)
    #expect(try tracksMigrate(library).status == 65)
    try successfully("doctor", library, "--repair")
    #expect(try successfully(library).stderr.contains("nothing to do"))
  }
}

@Suite("A repair stopped by a signal", .enabled(if: FaultInjector.shared != nil, "needs a C compiler"))
struct StoppedRepairTests {
  @Test(arguments: [SIGINT, SIGTERM, SIGHUP], [("write", 2), ("sync", 1)])
  func `A stopped repair changes nothing, and can be run again`(
    signal: Int32, instant: (kind: String, call: Int)
  ) throws {
    let folder = try TemporaryFolder()
    let library = try folder.migratedSample()
    try Database.run("DROP INDEX Z_1TRACKS_Z_2TRACKS_INDEX", in: library)
    let before = try folder.snapshot()
    let command = try CommandRunner(["doctor", library, "--repair"]).startAndStop(
      at: instant.call, of: instant.kind, in: folder, try #require(FaultInjector.shared))
    #expect(try folder.snapshot() != before)
    for number in [signal, SIGCONT] { command.send(number) }
    let result = try command.finish()
    #expect(result.end == .signalled(signal), "\(result)")
    #expect(result.stdout == "")
    #expect(result.stderr == "tracks-migrate: error: interrupted. Nothing was changed. Run this again.\n")
    #expect(try folder.snapshot() == before)
    try successfully("doctor", library, "--repair")
    try successfully("doctor", library)
  }
}
