import Foundation
import TestSupport
import Testing

@Suite("Paths and presets that a person has chosen")
struct ChosenPathTests {
  private let folder: TemporaryFolder
  private var library: String { folder.file("L.sqlite") }

  init() throws {
    folder = try TemporaryFolder()
    try make()
  }

  private func make() throws {
    for name in try folder.listing() where name.hasPrefix("L.sqlite") { Files.remove(folder.file(name)) }
    try successfully("sample", "40", library)
  }

  /// Options that lose what the built-in presets find, and what is said of them.
  struct Choice: Sendable, CustomTestStringConvertible {
    let options: [String]
    let findings: [String]
    /// Whether a feed loses artists, too: a line that is no known answer is read by the names of its members.
    var isLossInFeed = true

    var testDescription: String { options.joined(separator: " ") }
  }

  static let choices = [
    Choice(
      options: ["--artists-path", "$.performers[*]"],
      findings: ["--artists-path '$.performers[*]' never found anything; the documents have 'album', 'artists',"],
      isLossInFeed: false),
    Choice(
      options: ["--artists-path", "$.explicit"], findings: ["--artists-path '$.explicit' found a boolean"]),
    Choice(
      options: ["--artists-path", "$.available_markets[*]", "--name-path", "name"],
      findings: ["40 of 40 JSON documents have"]),
    Choice(
      options: ["--artists-path", "$.artists[*]", "--id-path", "ID"],
      findings: [
        "none of the artists got an id, although the built-in presets find some in 40 of 40 JSON documents",
        "--id-path 'ID' never found anything; the artists have 'id', 'imageURL', 'name'",
      ]),
    Choice(
      options: ["--artists-path", "$.artists[*]", "--image-path", "picture"],
      findings: ["none of the artists got an image", "--image-path 'picture' never found anything"]),
    Choice(
      options: ["--artists-path", "$.artists[*]", "--name-path", "nam"],
      findings: ["--name-path 'nam' never found anything; the artists have 'id', 'imageURL', 'name'"]),
    Choice(options: ["--json", "mine.json"], findings: ["'id' of the preset 'mine' ('mbid') never found anything"]),
    Choice(options: ["--json", "deezer"], findings: ["40 of 40 JSON documents have"], isLossInFeed: false),
  ]

  private func command(_ words: [String]) throws -> CommandResult {
    let preset = #"{"name":"mine","detect":"$.artists","artists":[{"path":"$.artists[*]","name":"name","id":"mbid"}]}"#
    _ = try folder.write(Array(preset.utf8), to: "mine.json")
    return try CommandRunner(words, folder: folder.path).run()
  }

  @Test(arguments: [("$.artists", "artists"), ("artists[*]", "artists"), ("title", "title")])
  func `A path means the elements of an array, or the artist of a text`(path: String, member: String) throws {
    let copy = folder.file("Copy.sqlite")
    try Files.copy(library, to: copy)
    let chosen = try command(["migrate", library, "--verify", "--strict", "--artists-path", path])
    #expect(chosen.status == (member == "title" ? 65 : 0), "\(chosen)")
    guard member == "title" else {
      try successfully("migrate", copy)
      #expect(try artists(library) == artists(copy))
      return
    }
    // Their ids and images are lost, which is said.
    let kept = try command(["migrate", library, "--verify", "--artists-path", path])
    #expect(kept.status == 0, "\(kept)")
    #expect(try artists(library).count > 20)
  }

  /// What only some documents lose is lost too.
  @Test(
    arguments: [
      (
        "json_object('data', json_object('artists', json_extract(ZJSON, '$.artists')))", "Z_PK % 4 = 0", [],
        "10 of 40 JSON documents have artists that the built-in presets find"
      ),
      (
        "json_set(ZJSON, '$.artists[0].nope', 'z')", "Z_PK = 7", ["--id-path", "nope"],
        "the artists of 39 of 40 JSON documents got no id"
      ),
      (
        "json_set(ZJSON, '$.artists[0].nope', 'z')", "Z_PK = 7", ["--image-path", "nope"],
        "the artists of 39 of 40 JSON documents got no image"
      ),
    ] as [(String, String, [String], String)])
  func `A loss in some documents is a loss`(
    change: String, rows: String, options: [String], finding: String
  ) throws {
    try Database.run("UPDATE ZTRACK SET ZJSON = \(change) WHERE \(rows)", in: library)
    let before = try Rows.original(library)
    for option in ["--no-backup", "--strict"] {
      let refused = try command(["migrate", library, option, "--artists-path", "$.artists[*]"] + options)
      #expect(refused.status == 65, "\(refused)")
      if option == "--no-backup" { #expect(refused.stderr.contains(finding), "\(refused)") }
      #expect(try Rows.original(library) == before)
    }
    let forced = try command(
      ["migrate", library, "--no-backup", "--force", "--artists-path", "$.artists[*]"] + options)
    #expect(forced.status == 0 && forced.stderr.contains(finding), "\(forced)")
  }

  @Test func `Presets of one's own go together with the built-in ones, in their order`() throws {
    _ = try command([])
    _ = try folder.write(
      Array(#"{"name":"second","detect":"$.who","artists":[{"path":"$.who[*]","name":"@"}]}"#.utf8), to: "second.json")
    try Database.run(
      "UPDATE ZTRACK SET ZJSON = json_object('who', json_array('W' || Z_PK)) WHERE Z_PK % 4 = 0", in: library)
    for name in ["One.sqlite", "Two.sqlite"] { try Files.copy(library, to: folder.file(name)) }
    let alone = try command(["migrate", "One.sqlite", "--json", "second.json"])
    #expect(alone.stderr.contains("30 of 40 JSON documents have"), "\(alone)")
    let options = ["--json", "mine.json", "--json", "second.json", "--json", "auto"]
    let together = try command(["migrate", "Two.sqlite", "--strict", "--verify"] + options)
    // The first that matches counts, and 'mine' finds no ids.
    #expect(together.status == 65 && together.stderr.contains("'id' of the preset 'mine'"), "\(together)")
    let made = try command(["migrate", "Two.sqlite", "--verify", "--identity", "id"] + options)
    #expect(made.status == 0, "\(made)")
    #expect(try artists(folder.file("Two.sqlite")).contains("W4"))
    // What the statistics say is enough to verify it once more.
    let verified = try command(["verify", "Two.sqlite"])
    #expect(verified.status == 0, "\(verified)")
    let twice = try command(["migrate", "Two.sqlite", "--json", "auto", "--json", "auto"])
    #expect(twice.status == 64 && twice.stderr.contains("'--json auto' is given twice"), "\(twice)")
  }

  private func artists(_ path: String) throws -> [String] {
    try Database.rows("SELECT ZNAME FROM ZARTIST ORDER BY Z_PK", in: path)
  }

  @Test(arguments: choices)
  func `A migration without a backup refuses to lose what the presets find`(choice: Choice) throws {
    let rows = try Rows.original(library)
    for option in ["--no-backup", "--strict"] {
      let refused = try command(["migrate", library, option] + choice.options)
      #expect(refused.status == 65, "\(refused)")
      #expect(try Rows.original(library) == rows)
      if option == "--no-backup" {
        for finding in choice.findings { #expect(refused.stderr.contains(finding), "\(refused)") }
      }
    }
    let batch = try command(["batch", library, "--no-backup"] + choice.options)
    #expect(batch.status == 1, "\(batch)")
    #expect(try Rows.original(library) == rows)
    let forced = try command(["migrate", library, "--no-backup", "--force"] + choice.options)
    #expect(forced.status == 0, "\(forced)")
    for finding in choice.findings { #expect(forced.stderr.contains(finding), "\(forced)") }
    try make()
    let kept = try command(["migrate", library, "--verify"] + choice.options)
    #expect(kept.status == 0 && kept.stderr.contains("warning: "), "\(kept)")
  }

  @Test(arguments: choices)
  func `An import and an extraction say it, and a strict import refuses it`(choice: Choice) throws {
    let documents = try Database.rows("SELECT ZJSON FROM ZTRACK", in: library)
    let feed = try folder.write(Array(documents.joined(separator: "\n").utf8), to: "feed.ndjson")
    let refused = try command(["import", feed, "New.sqlite", "--strict"] + choice.options)
    #expect(refused.status == (choice.isLossInFeed ? 65 : 0), "\(refused)")
    let imported = try command(["import", feed, "Newer.sqlite", "--stats", "stats.json"] + choice.options)
    #expect(imported.status == 0, "\(imported)")
    #expect(try Files.text(folder.file("stats.json")).contains(#""missed_artists" : ["#) == choice.isLossInFeed)
    // Built-in presets that do not match are not a person's mistake.
    let isSaid = choice.isLossInFeed || choice.options.first != "--json"
    for finding in choice.findings { #expect(imported.stderr.contains(finding) == isSaid, "\(imported)") }
    for shard in isSaid ? [feed, library] : [library] {
      let extracted = try command(["extract", shard, "--output", "out.ndjson"] + choice.options)
      #expect(extracted.status == 0, "\(extracted)")
      for finding in choice.findings { #expect(extracted.stderr.contains(finding), "\(extracted)") }
    }
  }

  @Test func `A path that finds nothing where nothing is lost is only reported`() throws {
    let options = ["--artists-path", "$.artists[*]", "--role-path", "task"]
    let result = try command(["migrate", library, "--no-backup", "--strict"] + options)
    #expect(result.status == 0, "\(result)")
    #expect(result.stderr.contains("--role-path 'task' never found anything; the artists have 'id'"), "\(result)")
  }

  @Test func `Ids and images have default paths, unless others are given`() throws {
    let result = try command(["migrate", library, "--artists-path", "$.artists[*]"])
    #expect(result.status == 0 && !result.stderr.contains("warning"), "\(result)")
    #expect(try Database.value("SELECT count(*) FROM ZARTIST WHERE ZID IS NULL", in: library) == "0")
    #expect(try Database.value("SELECT count(ZIMAGEURL) > 0 FROM ZARTIST", in: library) == "1")
  }

  @Test func `Documents without artists are no loss`() throws {
    try Database.run(#"UPDATE ZTRACK SET ZJSON = '{"title":"T","artists":[]}'"#, in: library)
    let result = try command(["migrate", library, "--no-backup", "--artists-path", "$.artists[*]"])
    #expect(result.status == 0, "\(result)")
  }
}
