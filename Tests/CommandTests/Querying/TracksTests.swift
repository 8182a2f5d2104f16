import Foundation
import TestSupport
import Testing

@Suite("The tracks command")
struct TracksTests {
  private func titles(_ options: [String]) throws -> [String] {
    let result = try CommandRunner(["tracks", try MusicLibrary.path, "--format", "json"] + options).run()
    #expect(result.status == 0, "\(result)")
    let rows = try #require(try JSONSerialization.jsonObject(with: Data(result.output)) as? [[String: Any]])
    return rows.map { $0["title"] as? String ?? "-" }
  }

  @Test(arguments: [
    (["--artist", "bjork"], ["Ágætis byrjun", "Army of Me", "Hyperballad", "Jóga"]),
    (["--artist", "BJÖRK", "--title", "a"], ["Ágætis byrjun", "Army of Me", "Hyperballad", "Jóga"]),
    (["--title", "joga"], ["Jóga"]),
    (["--title", "wide"], ["wide"]),
    (["--title", "me", "--artist", "björk"], ["Army of Me"]),
    (["--artist", "nobody's"], []),
    (["--sort", "played", "--limit", "5"], ["Army of Me", "Ágætis byrjun", "Hyperballad", "Thunderstruck", "Jóga"]),
    (["--sort", "+lastPlayedAt", "--limit", "2"], ["Thunderstruck", "Hyperballad"]),
    (["--sort", "-key", "--limit", "2"], ["Orphan", "-"]),
    (["--sort", "artists,-title", "--limit", "3"], ["Thunderstruck", "Quoted", "Jóga"]),
    (["--sort", "-artistIDs,key", "--limit", "2"], ["Caps", "Two"]),
    (["--limit", "1", "--artist", "twin"], ["One"]),
    (["--title", "orphan"], ["Orphan"]),
  ])
  func `Each filter finds its tracks`(options: [String], expected: [String]) throws {
    #expect(try titles(options) == expected)
  }

  @Test(arguments: [
    (-2.0, "2000-12-31T23:59:58Z"), (-0.5, "2000-12-31T23:59:59Z"), (-86_400, "2000-12-31T00:00:00Z"),
    (-978_307_200, "1970-01-01T00:00:00Z"), (-978_307_201, "1969-12-31T23:59:59Z"),
    (-63_113_904_000, "0001-01-01T00:00:00Z"), (-63_113_904_001, "-63113904001.0"),
    (-31_622_401, "1999-12-31T23:59:59Z"), (-26_438_401, "2000-02-29T23:59:59Z"),
  ])
  func `Dates before 2001 are shown`(seconds: Double, date: String) throws {
    let folder = try TemporaryFolder()
    let tracks = [TrackRow(title: "Old", artistName: "A", lastPlayedAt: .real(seconds))]
    let library = try folder.library("Library.sqlite", tracks)
    try successfully(library)
    let result = try successfully("tracks", library, "--format", "json")
    let rows = try JSONSerialization.jsonObject(with: Data(result.output)) as? [[String: Any]]
    #expect(rows?.first?["lastPlayedAt"] as? String == date)
  }

  @Test func `A track has its key and the ids of its artists, empty for those without`() throws {
    let options = ["--fields", "key,artistIDs,artists", "--format", "ndjson", "--sort", "key"]
    let result = try CommandRunner(["tracks", try MusicLibrary.path] + options).run()
    #expect(result.lines[3] == #"{"key":4,"artistIDs":["bj","so"],"artists":["Björk","Sigur Rós"]}"#)
    #expect(result.lines[5] == #"{"key":6,"artistIDs":[""],"artists":["ｆｕｌｌｗｉｄｔｈ"]}"#)
    #expect(result.lines[13] == #"{"key":14,"artistIDs":[],"artists":[]}"#)
  }

  @Test func `Each track is listed once`() throws {
    #expect(try titles([]).count == 14)
  }

  @Test func `The CSV format has the artists in one field`() throws {
    let result = try successfully("tracks", try MusicLibrary.path, "--title", "agætis", "--format", "csv")
    let lines = result.stdout.replacingOccurrences(of: "\r\n", with: "\n").split(separator: "\n")
    #expect(lines[0] == "title,artists,lastPlayedAt,imageURL,artistIDs,key")
    #expect(lines[1].hasSuffix(",bj; so,4"))
    #expect(lines[1].hasPrefix("Ágætis byrjun,"))
    #expect(lines[1].contains("Björk") && lines[1].contains("Sigur Rós") && lines[1].contains("2001-01-01T00:03:20Z"))
  }
}

@Suite("Queries of a library that is not migrated")
struct UnmigratedTests {
  @Test(arguments: [["artists"], ["tracks"], ["artist", "Björk"]])
  func `Queries are refused with advice to migrate first`(question: [String]) throws {
    let folder = try TemporaryFolder()
    let library = try folder.library()
    let before = try folder.snapshot()
    let result = try CommandRunner([question[0], library] + question.dropFirst()).run()
    #expect(result.status == 65)
    #expect(result.stdout == "")
    #expect(
      result.stderr == "tracks-migrate: error: '\(library)' is still a v1 library. "
        + "Migrate it first, with: tracks-migrate '\(library)'\n")
    #expect(try folder.snapshot() == before)
  }
}
