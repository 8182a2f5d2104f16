import Foundation
import TestSupport
import Testing

@Suite("Forms of a feed")
struct FeedFormTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let tracks = (1...300).map { number in
    #"{"title":"T \#(number)","artistName":"A\#(number % 7)","lastPlayedAt":\#(1_600_000_000 + number)}"#
  }

  private func write(_ form: String) throws -> String {
    let text =
      switch form {
      case "json": "[\n" + Self.tracks.joined(separator: ",\n  ") + "]\n"
      case "wrapped.json": #"{"page":{"total":300,"items":["# + Self.tracks.joined(separator: ",") + "]}}"
      case "csv":
        "Song;Artist;Timestamp\n" + (1...300).map { "T \($0);A\($0 % 7);\(1_600_000_000 + $0)\n" }.joined()
      default: Self.tracks.joined(separator: "\n")
      }
    return try folder.write(Array(text.utf8), to: "feed.\(form)")
  }

  private func tracks(_ feed: String, _ options: [String] = []) throws -> String {
    for name in try folder.listing() where name.hasPrefix("New.sqlite") { Files.remove(folder.file(name)) }
    let made = try CommandRunner(["import", feed, "New.sqlite", "--verify"] + options, folder: folder.path).run()
    #expect(made.status == 0, "\(made)")
    let named = options.map { $0.replacing("--format", with: "--feed-format") }
    let verified = try CommandRunner(["verify", "New.sqlite", "--feed", feed] + named, folder: folder.path).run()
    #expect(verified.status == 0, "\(verified)")
    return try CommandRunner(["export", "New.sqlite"], folder: folder.path).run().stdout
  }

  @Test(arguments: ["json", "wrapped.json", "csv"])
  func `The same tracks make the same library`(form: String) throws {
    let expected = try tracks(write("ndjson"))
    #expect(expected.split(separator: "\n").count == 300)
    #expect(try tracks(write(form)) == expected)
    // From a pipe, and in a shard for a cluster.
    var importing = CommandRunner(["import", "-", "Piped.sqlite"], folder: folder.path)
    importing.input = try Files.bytes(folder.file("feed.\(form)"))
    let piped = try importing.run()
    #expect(piped.status == 0, "\(piped)")
    #expect(try CommandRunner(["export", "Piped.sqlite"], folder: folder.path).run().stdout == expected)
    let shards = try ["feed.ndjson", "feed.\(form)"].map {
      try CommandRunner(["extract", $0], folder: folder.path).run().stdout.split(separator: "\n").dropLast()
    }
    #expect(shards[0] == shards[1])
  }

  /// More than what is read at a time.
  @Test(arguments: ["json", "wrapped.json", "csv"])
  func `A long feed is read to its end`(form: String) throws {
    let count = 40_000
    let rows = (1...count).map { #"{"title":"T\#($0)","artistName":"A\#($0 % 99)"}"# }
    let text =
      switch form {
      case "json": "[" + rows.joined(separator: ",\n") + "]"
      case "csv": "title,artist\n" + (1...count).map { "T\($0),A\($0 % 99)\n" }.joined()
      default: #"{"items":["# + rows.joined(separator: ",") + "]}"
      }
    let feed = try folder.write(Array(text.utf8), to: "feed.\(form)")
    let result = try CommandRunner(["import", feed, "Long.sqlite", "--verify"], folder: folder.path).run()
    #expect(result.status == 0, "\(result)")
    #expect(try Database.value("SELECT count(*) FROM ZTRACK", in: folder.file("Long.sqlite")) == "\(count)")
  }

  @Test func `Paths name the columns of a table`() throws {
    let feed = try folder.write(Array("Lied,Gruppe,Wann\nT,\"A, B\",2024-01-02\n".utf8), to: "feed.csv")
    let refused = try CommandRunner(["import", feed, "New.sqlite", "--format", "csv"], folder: folder.path).run()
    #expect(refused.status == 65)
    #expect(refused.stderr.contains("'Lied', 'Gruppe', 'Wann'"), "\(refused)")
    let paths = [
      "--format", "csv", "--title-path", "$['Lied']", "--artists-path", "$['Gruppe']", "--played-path", "$.Wann",
    ]
    #expect(try tracks("feed.csv", paths).contains(#""name":"A, B""#))
    #expect(try folder.listing().contains("New.sqlite.rejects.ndjson") == false)
  }

  @Test func `A list that is cut off makes no library`() throws {
    let feed = try folder.write(Array("[\(Self.tracks.joined(separator: ","))".utf8), to: "feed.json")
    let result = try CommandRunner(["import", feed, "New.sqlite"], folder: folder.path).run()
    #expect(result.status == 65)
    #expect(result.stderr.contains("its JSON ends in the middle, after 300 tracks"), "\(result)")
    #expect(try folder.listing() == ["feed.json"])
  }

  @Test func `What a list has besides is said`() throws {
    let lists = #"{"albums":[{"name":"X"}],"tracks":[\#(Self.tracks[0]),\#(Self.tracks[1])]}"#
    let feed = try folder.write(Array(lists.utf8), to: "feed.json")
    let result = try CommandRunner(["import", feed, "New.sqlite"], folder: folder.path).run()
    #expect(result.stderr.contains("its list 'tracks'; passed over: 'albums'."), "\(result)")
  }
}
