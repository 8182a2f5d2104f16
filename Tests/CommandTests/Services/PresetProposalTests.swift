import TestSupport
import Testing

@Suite("Presets for documents of an unknown shape")
struct PresetProposalTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func write(_ text: String, to name: String) throws -> String { try folder.write(Array(text.utf8), to: name) }

  @Test(arguments: ["feed.ndjson", "list.json"])
  func `A proposal finds the artists of the feed that it was made from`(name: String) throws {
    let lines = [
      #"{"x":{"performer_list":["Ann","Bob"]},"title":"One"}"#, #"{"x":{"performer_list":["Cy"]},"title":"Two"}"#,
    ]
    let isList = name.hasSuffix(".json")
    let feed = try write(
      isList ? "[\(lines.joined(separator: ","))]" : lines.joined(separator: "\n"), to: name)
    let result = try successfully("presets", "new", feed)
    #expect(result.stderr.contains("Artists: $.x.performer_list[*], in 2 of 2, such as 'Ann'."), "\(result)")
    let preset = try write(result.stdout, to: "mine.json")
    let tested = try successfully("presets", "test", feed, "--json", preset, "--format", "csv")
    #expect(tested.lines.dropFirst() == ["\(feed),mine,,,,,,,2", "\(feed),(tracks),,,,,,,2"])
    let library = folder.file("L.sqlite")
    try successfully("import", feed, library, "--json", preset, "--strict", "--verify")
    #expect(try Database.rows("SELECT ZNAME FROM ZARTIST", in: library) == ["Ann", "Bob", "Cy"])
  }

  @Test func `Without a likely place there is no proposal`() throws {
    for (text, words) in [(#"{"a":1}"#, "No likely place of artists was found in 1 document"), ("", "None of it")] {
      let result = try CommandRunner(["presets", "new", try write(text, to: "d.json")]).run()
      #expect(result.status == 3 && result.stdout.isEmpty && result.stderr.contains(words), "\(result)")
    }
  }

  @Test func `Documents of a library are counted as a migration counts them, which changes nothing`() throws {
    let library = try folder.library()
    let before = try folder.snapshot()
    let result = try CommandRunner(["presets", "test", library, "--format", "csv"]).run()
    #expect(result.stdout.contains("\(library),v1,,,,,,,"), "\(result)")
    #expect(try folder.snapshot() == before)
  }

  @Test func `A track without artists is a problem`() throws {
    let feed = try write("{\"title\":\"A\",\"artists\":[\"X\"]}\n{\"title\":\"B\"}", to: "f.ndjson")
    let result = try CommandRunner(["presets", "test", feed, "--format", "csv"]).run()
    #expect(result.status == 3 && result.stdout.contains("no artist and no artistName,1"), "\(result)")
  }

  @Test func `A mistake in a path is shown in lines of its own`() throws {
    let document = try write("{}", to: "d.json")
    for path in [#"$.a b"#, #"$.a\nb"#] {
      let preset = try write(
        #"{"name":"m","detect":"\#(path)","artists":[{"path":"$.a","name":"name"}]}"#, to: "p.json")
      let result = try CommandRunner(["presets", "test", document, "--json", preset]).run()
      #expect(result.status == 64 && !result.stderr.contains(#"\n"#), "\(result)")
      #expect(result.stderr.contains("\n  $.a b\n      ^\n"), "\(result)")
    }
  }

  @Test func `A proposal names nested people, their roles, and the track's title and time`() throws {
    let lines = (1...3).map {
      #"{"work":{"heading":"T\#($0)"},"composer":{"name":"Bach"},"playedOn":{"time":"2024-05-0\#($0)T10:00:00Z"},"#
        + #""performers":[{"person":{"label":"Ann"},"role":"main"},{"person":{"label":"Bob"},"role":"featured"}]}"#
    }
    let feed = try write(lines.joined(separator: "\n"), to: "feed.ndjson")
    let result = try successfully("presets", "new", feed)
    #expect(result.stderr.contains("Artists: $.performers[*], in 3 of 3, such as 'Ann'."), "\(result)")
    #expect(
      result.stderr.contains("titles from 'work.heading', times from 'playedOn.time', roles from 'role'"), "\(result)")
    #expect(!result.stdout.contains("composer"), "\(result)")
    let preset = try write(result.stdout, to: "mine.json")
    try successfully(
      "import", feed, folder.file("L.sqlite"), "--json", preset, "--roles", "featured", "--strict", "--verify")
    #expect(try Database.rows("SELECT ZNAME FROM ZARTIST", in: folder.file("L.sqlite")) == ["Bob"])
    let tracks = "SELECT count(ZTITLE), count(ZLASTPLAYEDAT) FROM ZTRACK"
    #expect(try Database.rows(tracks, in: folder.file("L.sqlite")) == ["3|3"])
  }

  @Test func `A proposal for a name in the document itself does not match every document`() throws {
    let document = try write(#"{"title":"T","lead_singer_name":"Ann","length":1}"#, to: "d.json")
    let result = try successfully("presets", "new", document)
    #expect(result.stdout.contains(#""$.lead_singer_name""#), "\(result)")
    #expect(result.stderr.contains("every document with $.lead_singer_name."), "\(result)")
  }
}
