import Foundation
import TestSupport
import Testing

/// A track inside of names that no preset knows, in documents that could take much time or memory.
@Suite("Tracks inside of unknown documents")
struct EnvelopeTests {
  /// A document, and the artist that it gives.
  struct Document: Sendable, CustomTestStringConvertible {
    let about, json: String
    var artist: String?
    var testDescription: String { about }
  }

  private static let track = #"{"title":"T","artist":"A","duration":1,"album":"B"}"#

  /// A value inside of arrays or objects.
  private static func nested(_ value: String, _ depth: Int, _ start: String, _ end: String) -> String {
    String(repeating: start, count: depth) + value + String(repeating: end, count: depth)
  }

  private static let documents = [
    Document(about: "in 15 objects", json: nested(track, 15, #"{"k":"#, "}"), artist: "A"),
    Document(about: "in 17 objects", json: nested(track, 17, #"{"k":"#, "}")),
    Document(about: "in an object and 15 arrays", json: #"{"k":"# + nested(track, 15, "[", "]") + "}", artist: "A"),
    Document(about: "in an object and 16 arrays", json: #"{"k":"# + nested(track, 16, "[", "]") + "}"),
    Document(about: "60,000 arrays", json: #"{"k":"# + nested("", 60_000, "[", "]") + "}"),
    Document(about: "20,000 objects", json: nested("1", 20_000, #"{"k":"#, "}")),
    Document(
      about: "3,000 tracks, each a member",
      json: "{" + (1...3000).map { "\"k\($0)\":\(track)" }.joined(separator: ",") + "}"),
    Document(
      about: "several tracks in an album that a preset knows",
      json: #"{"k":{"type":"album","title":"B","artist":"A","x":[\#(track)],"y":\#(track)}}"#),
    Document(
      about: "in a document of more than 1 MiB",
      json: #"{"k":\#(track),"pad":"\#(String(repeating: "x", count: 1 << 20))"}"#),
    Document(
      about: "in a document of nearly 1 MiB",
      json: #"{"k":\#(track),"pad":"\#(String(repeating: "x", count: 1 << 20 - 1000))"}"#, artist: "A"),
    Document(about: "the same member twice", json: #"{"k":\#(track),"k":7}"#, artist: "A"),
  ]

  @Test(arguments: documents)
  func `It is found or left alone on every road, and verified`(document: Document) throws {
    let folder = try TemporaryFolder()
    let library = try folder.library(
      "L.sqlite",
      [TrackRow(title: .text("T"), artistName: .text("fallback"), json: .rawText(Array(document.json.utf8)))])
    let json = try #require(String(data: JSONEncoder().encode(document.json), encoding: .utf8))
    let lines = [document.json, #"{"title":"T","json":\#(document.json)}"#, #"{"title":"T","json":\#(json)}"#]
    try successfully(library, "--verify")
    #expect(try artists(library) == [document.artist ?? "fallback"])
    for (number, line) in lines.enumerated() {
      // Another line, because a feed without any track is refused.
      let feed = try folder.write(Array((line + "\n{\"title\":\"other\"}\n").utf8), to: "feed-\(number).ndjson")
      let imported = folder.file("\(number).sqlite")
      try successfully("import", feed, imported, "--format", "ndjson", "--verify")
      #expect(try artists(imported) == (document.artist.map { [$0] } ?? []), "line \(number)")
    }
  }

  /// A person's preset that matches a line with an artist alone keeps what it finds.
  @Test func `A preset of one's own reads a line that has only an artist`() throws {
    let folder = try TemporaryFolder()
    let preset = """
      {"name":"mine","detect":["$.artist.url"],"artists":[{"path":"$.artist","name":["alias"]}],"trackTitle":["$.artist.song"]}
      """
    try folder.write(Array(preset.utf8), to: "mine.json")
    let line = #"{"artist":{"name":"N","alias":"A","song":"S","url":"u"}}"#
    try folder.write(Array(line.utf8), to: "feed.ndjson")
    let words = ["import", "feed.ndjson", "New.sqlite", "--json", "mine.json", "--verify"]
    let result = try CommandRunner(words, folder: folder.path).run()
    #expect(result.status == 0, "\(result)")
    #expect(try artists(folder.file("New.sqlite")) == ["A"])
  }

  private func artists(_ path: String) throws -> [String] { try Database.rows("SELECT ZNAME FROM ZARTIST", in: path) }
}
