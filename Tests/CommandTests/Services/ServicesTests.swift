import Foundation
import JSONPresets
import TestSupport
import Testing

/// The answers in `SampleData/Services`, one of each service, named like the preset that they match.
@Suite("Services' answers")
struct ServicesTests {
  private static let samples = Checkout.root.appending(path: "SampleData/Services").path(percentEncoded: false)
  private static let names = ((try? Files.listing(samples)) ?? []).filter { $0.hasSuffix(".json") }.sorted()

  @Test func `There is an answer for each service`() {
    let presets = Set(Self.names.map { String($0.dropLast(5)) })
    for preset in Preset.builtIn where preset.kind == .track { #expect(presets.contains(preset.name)) }
  }

  @Test func `The presets find what each answer holds`() throws {
    let result = try CommandRunner(["presets", "test"] + Self.names + ["--format", "csv"], folder: Self.samples).run()
    #expect(result.status == 3)
    // To take over a change that is wanted, set it and look at the difference.
    if ProcessInfo.processInfo.environment["RECORD_TRANSCRIPTS"] != nil {
      try Files.write(result.stdout, to: "\(Self.samples)/artists.csv")
    }
    #expect(result.stdout == (try Files.text("\(Self.samples)/artists.csv")))
    for line in result.stdout.split(whereSeparator: \.isNewline).dropFirst() {
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      #expect(fields[0] == fields[1] + ".json")
    }
  }

  @Test(arguments: ["name", "id"])
  func `A library of all services is migrated, counted by service and verified`(identity: String) throws {
    let library = try Self.library(try Self.names.map { try Files.text("\(Self.samples)/\($0)") })
    try successfully("migrate", library.path, "--verify", "--identity", identity, "--quiet")
    try successfully("verify", library.path)
    let report = try report(library.path)
    let counts = try #require(report["documents_count_by_preset"] as? [String: Int])
    #expect(counts == Dictionary(uniqueKeysWithValues: Self.names.map { (String($0.dropLast(5)), 1) }))
    #expect(report["json"] as? String == "auto")
    let rows = try Files.text("\(Self.samples)/artists.csv").split(whereSeparator: \.isNewline).dropFirst()
      .map { $0.split(separator: ",", maxSplits: 7, omittingEmptySubsequences: false).map(String.init) }
    let roles = Dictionary(rows.filter { !$0[5].isEmpty }.map { ($0[5], 1) }, uniquingKeysWith: +)
    #expect(report["mentions_count_by_role"] as? [String: Int] == roles)
    let others = rows.count { !$0[7].isEmpty }
    #expect(report["fallback_tracks_count_by_reason"] as? [String: Int] == ["other_answer": others])
  }

  @Test func `Equal ids of two services are two artists, and one id written in two ways is one`() throws {
    let library = try Self.library([
      #"{"kind":"track","user":{"id":27,"username":"A"}}"#, #"{"performer":{"id":"27","name":"B"}}"#,
      #"{"kind":"track","user":{"id":"27","username":"C"}}"#, #"{"artists":[{"id":27,"name":"D"}]}"#,
    ])
    try successfully("migrate", library.path, "--identity", "id", "--verify", "--quiet")
    #expect(try Self.artists(library.path) == ["A|27|NULL", "B|27|NULL", "D|27|NULL"])
    let report = try report(library.path)
    #expect(report["id_conflicts_count"] as? Int == 1)
    #expect(report["name_conflicts_count"] as? Int == 0)
    try successfully("verify", library.path)
  }

  @Test func `Equal ids of two services are no conflict if names identify artists`() throws {
    let library = try Self.library([
      #"{"kind":"track","user":{"id":27,"username":"A"}}"#, #"{"performer":{"id":"27","name":"B"}}"#,
      #"{"performer":{"id":"28","name":"A"}}"#, #"{"performer":{"id":"27","name":"C"}}"#,
      #"{"kind":"track","user":{"id":29,"username":"A"}}"#,
    ])
    try successfully("migrate", library.path, "--verify", "--quiet")
    let report = try report(library.path)
    #expect(report["id_conflict_examples"] as? [String] == ["27: B, C"])
    #expect(report["name_conflict_examples"] as? [String] == ["A: 27, 29"])
  }

  @Test func `Only artists with wanted roles are taken`() throws {
    let deezer = try Files.text("\(Self.samples)/deezer.json")
    let featured = deezer.replacing("\"Main\"", with: "\"Featured\"")
    let library = try Self.library([deezer, featured, #"{"artists":["No Role"]}"#])
    try successfully("migrate", library.path, "--roles", "main,remixer", "--verify", "--quiet")
    #expect(try Self.artists(library.path).map { $0.prefix { $0 != "|" } } == ["Mira Sol", "Fallback", "No Role"])
    try successfully("verify", library.path)
    #expect(try report(library.path)["fallback_tracks_count_by_reason"] as? [String: Int] == ["other_roles": 1])
  }

  @Test func `Artists stand where options say`() throws {
    let library = try Self.library([
      #"{"song":{"by":[{"n":"A","k":1,"r":"MAIN"},{"n":"B","k":"","i":["u","v"]}]},"artists":["X"]}"#,
      #"{"song":{"by":[]}}"#,
    ])
    try successfully(
      "migrate", library.path, "--artists-path", "$.song.by[*]", "--name-path", "n", "--id-path", "x", "--id-path", "k",
      "--image-path", "i[-1]", "--role-path", "r", "--verify", "--quiet")
    #expect(try Self.artists(library.path) == ["A|1|NULL", "B|NULL|v", "Fallback|NULL|NULL"])
    try successfully("verify", library.path)
  }

  @Test func `A preset from a file is used, and kept in the statistics`() throws {
    let library = try Self.library([#"{"by":[{"n":"A"}]}"#, #"{"artists":["X"]}"#])
    let preset = library.folder.file("mine.json")
    try Files.write(
      #"{"name":"mine","detect":"$.by","artists":[{"path":"$.by[*]","name":"n"}]}"#, to: preset)
    try successfully("migrate", library.path, "--json", preset, "--verify", "--quiet")
    #expect(try Self.artists(library.path) == ["A|NULL|NULL", "Fallback|NULL|NULL"])
    Files.remove(preset)
    try successfully("verify", library.path)
    // Without statistics, the options must be given again.
    Files.remove(library.path + ".migration.json")
    let source = library.path + ".v1-backup"
    #expect(try CommandRunner(["verify", library.path, "--source", source]).run().status == 3)
    try successfully("verify", library.path, "--source", source, "--artists-path", "$.by[*]", "--name-path", "n")
  }

  @Test(arguments: [
    (#"{"track":\#(track)}"#, "A"), (#"{"results":[\#(track)]}"#, "A"), (#"{"data":\#(track)}"#, "A"),
    (#"{"subsonic-response":{"song":{"isDir":false,"title":"T","artist":"A"}}}"#, "A"),
    (#"{"results":[\#(track),\#(track)]}"#, "Fallback"), (#"{"response":{"song":\#(track)}}"#, "A"),
    (#"{"track":\#(track),"results":[1,2]}"#, "A"), (#"{"other":\#(track)}"#, "A"),
    (#"{"other":[\#(track),\#(track)]}"#, "Fallback"), (#"{"other":{"more":[\#(track)]},"title":"T"}"#, "Fallback"),
    (#"{"type":"album","artists":["X"],"track":\#(track)}"#, "Fallback"),
    (#"{"artists":{"items":[{"name":"X"}]}}"#, "Fallback"),
  ])
  func `A track inside an answer is found if it is the only one`(json: String, artist: String) throws {
    let library = try Self.library([json])
    try successfully("migrate", library.path, "--verify", "--quiet")
    #expect(try Self.artists(library.path).map { String($0.prefix { $0 != "|" }) } == [artist])
  }

  private static let track = #"{"kind":"track","user":{"username":"A"}}"#

  @Test func `What matched nothing is described with the options that read it`() throws {
    let json = #"{"song":{"title":"S","crew":[{"name":"P","id":7}],"albumName":"Q"}}"#
    let library = try Self.library([json, json, #"{"artists":["A"]}"#])
    let options = "--artists-path '$.song.crew[*]' --name-path 'name' --id-path 'id'"
    let info = try successfully("info", library.path).stdout
    #expect(info.contains("JSON of 3 tracks that were looked at:\n   1  v1 ("))
    #expect(info.contains("   2  without artists: no artists found in the JSON\n"))
    #expect(info.contains("in 2 of 2, such as 'P': \(options)\n"))
    let rehearsal = try successfully("migrate", library.path, "--dry-run").stdout
    #expect(rehearsal.contains("in 2 of 2, such as 'P': \(options)\n"))
    let again = try CommandRunner.shell("\"$TOOL\" migrate \"$1\" \(options) --quiet", library.path).run()
    #expect(again.status == 0)
    #expect(try Self.artists(library.path).first == "P|7|NULL")
  }

  @Test(arguments: [
    (["--json", "deezr"], "there is no preset and no file named 'deezr'. Did you mean 'deezer'?"),
    (["--json", "deezer", "--artists-path", "$.a[*]"], "'--json' and '--artists-path' cannot be used together."),
    (["--id-path", "id"], "'--id-path' requires '--artists-path', where the artists stand."),
    (["--artists-path", "$..a"], "the value of '--artists-path' is not a path: '..' would need the whole document"),
    (["--artists-path", "$.a[*]", "--name-path", "b[?@.c=='d']"], "'--name-path' must not have a filter"),
    (["--roles", "main,chef"], "'--roles' has the unknown role 'chef'. The roles are main, featured, remixer, other."),
  ])
  func `Options that cannot be used are refused`(options: [String], message: String) throws {
    let library = try Self.library(["{}"])
    let result = try CommandRunner(["migrate", library.path] + options).run()
    #expect(result.status == 64)
    #expect(result.stderr.contains(message), "\(result.stderr)")
    #expect(try library.folder.listing() == ["Library.sqlite"])
  }

  @Test func `A preset is shown as a file that reads the same`() throws {
    let folder = try TemporaryFolder()
    for name in ["deezer", "tidal-v2", "ytmusic-innertube"] {
      let text = try successfully("presets", "show", name).stdout
      try Files.write(text, to: folder.file("p.json"))
      let sample = "\(Self.samples)/\(name).json"
      let own = try successfully("presets", "test", sample, "--json", folder.file("p.json"), "--format", "csv").stdout
      #expect(own == (try successfully("presets", "test", sample, "--format", "csv").stdout))
    }
    #expect(try CommandRunner(["presets", "show", "nosuch"]).run().status == 64)
  }

  @Test func `The list of presets has all of them in order`() throws {
    let lines = try successfully("presets", "--format", "csv").stdout.split(whereSeparator: \.isNewline)
    #expect(lines.dropFirst().map { String($0.prefix { $0 != "," }) } == Preset.builtIn.map(\.name))
  }

  // MARK: - Libraries

  private struct Library {
    let folder: TemporaryFolder
    var path: String { folder.file("Library.sqlite") }
  }

  private static func library(_ documents: [String]) throws -> Library {
    let library = Library(folder: try TemporaryFolder())
    let rows = zip(Int64(1)..., documents).map { TestSupport.TrackRow($0, artistName: "Fallback", json: .text($1)) }
    try TrackLibraryBuilder(rows).write(to: library.path)
    return library
  }

  private static func artists(_ path: String) throws -> [String] {
    try Database.rows("SELECT ZNAME, ZID, ZIMAGEURL FROM ZARTIST ORDER BY Z_PK", in: path)
  }

  private func report(_ path: String) throws -> [String: Any] {
    let data = Data(try Files.bytes(path + ".migration.json"))
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }
}
