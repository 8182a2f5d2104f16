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
    let count = Rounds.areMany ? 40_000 : 12_000
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

  private func rows(_ feed: String, _ text: [UInt8], _ fields: String) throws -> (CommandResult, rows: [String]) {
    _ = try folder.write(text, to: feed)
    let made = try CommandRunner(["import", feed, "Rows.sqlite", "--verify"], folder: folder.path).run()
    #expect(made.status == 0, "\(made)")
    let words = ["tracks", "Rows.sqlite", "--fields", fields, "--sort", "key", "--format", "csv"]
    let listed = try CommandRunner(words, folder: folder.path).run().stdout
    return (made, listed.split(whereSeparator: \.isNewline).dropFirst().map(String.init))
  }

  /// A number is a time only where there is no doubt.
  private static let times: [(value: String, time: String)] = [
    ("1618982400", "2021-04-21T05:20:00Z"), ("1618982400000", "2021-04-21T05:20:00Z"),
    ("1618982400000000", "2021-04-21T05:20:00Z"), ("20210421", "2021-04-21T00:00:00Z"), ("2021", ""), ("20211321", ""),
    ("0", ""), ("44307", ""), ("-1", ""), ("5000000000", ""), ("1.61898E+12", ""),
  ]

  @Test(arguments: ["csv", "ndjson"])
  func `A number that is no time is counted, and the track has none`(form: String) throws {
    let text =
      form == "csv"
      ? "Title,Artist,Date\n" + Self.times.map { "\($0.value),X,\($0.value)\n" }.joined()
      : Self.times.map { #"{"title":"\#($0.value)","artistName":"X","lastPlayedAt":\#($0.value)}"# + "\n" }.joined()
    let (made, rows) = try rows("feed.\(form)", Array(text.utf8), "title,lastPlayedAt")
    #expect(rows == Self.times.map { "\($0.value),\($0.time)" })
    #expect(made.stderr.contains("warning: 7 times cannot be read as dates, such as in "), "\(made)")
    let verified = try CommandRunner(["verify", "Rows.sqlite", "--feed", "feed.\(form)"], folder: folder.path).run()
    #expect(verified.status == 0, "\(verified)")
    let strict = ["import", "feed.\(form)", "Strict.sqlite", "--strict"]
    #expect(try CommandRunner(strict, folder: folder.path).run().status == 65)
  }

  @Test func `Rows of a table that are no tracks are rejected as such`() throws {
    let text = "Title,Artist,Type\nA,X,Track\nB,X,Album\nC,X,artists\nD,X,Podcast\nE,X,Playlist\nF,X,Music Video\n"
    let (_, rows) = try rows("feed.csv", Array(text.utf8), "title")
    #expect(rows == ["A"])
    let rejects = try Files.text(folder.file("Rows.sqlite.rejects.ndjson")).split(separator: "\n")
    #expect(rejects.count == 5 && rejects.allSatisfy { $0.contains(#""reason":"other_answer""#) }, "\(rejects)")
  }

  @Test func `A list in a table names several artists`() throws {
    let text = "Title,Artists\nA,\"[\"\"Ann\"\",\"\"Bob\"\"]\"\nB,\"['Ann', 'Cy']\"\n"
    let (_, rows) = try rows("feed.csv", Array(text.utf8), "title,artists")
    #expect(rows == ["A,Ann; Bob", "B,Ann; Cy"])
  }

  @Test(.enabled(if: Program.find("iconv") != nil))
  func `The program that a table in Latin-1 needs makes a feed of it`() throws {
    let text = Array("Title,Artist\nCaf".utf8) + [0xE9] + Array(",X\n".utf8)
    _ = try folder.write(text, to: "it's.csv")
    let refused = try CommandRunner(["import", "it's.csv", "New.sqlite"], folder: folder.path).run()
    #expect(refused.status == 65, "\(refused)")
    let advice = try #require(refused.stderr.split(separator: "standard input: ").last)
    let program = try #require(advice.split(separator: ", with '-'").first)
    let script = "\(program) | '\(Tool.path)' import - New.sqlite"
    #expect(try CommandRunner.shell(script, in: folder.path).run().status == 0)
    #expect(try Database.rows("SELECT ZTITLE FROM ZTRACK", in: folder.file("New.sqlite")) == ["Café"])
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
