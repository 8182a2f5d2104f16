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
}
