import Foundation
import TestSupport
import Testing

@Suite("The artist command")
struct ArtistTests {
  @Test(arguments: [
    ("bj", "Björk"), ("Björk", "Björk"), ("bjork", "Björk"), ("sigur ros", "Sigur Rós"), ("robyn", "robyn"),
    ("ROBYN", "ROBYN"), ("t2", "Twin"),
  ])
  func `An artist is found by id, name and name without accents`(word: String, name: String) throws {
    let result = try successfully("artist", try MusicLibrary.path, word, "--format", "json")
    let artist = try #require(try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any])
    #expect(artist["name"] as? String == name)
  }

  @Test func `An artist is shown with tracks and companions`() throws {
    let result = try successfully("artist", try MusicLibrary.path, "bj")
    #expect(
      result.stdout == """
        ARTIST  ID  TRACKS  IMAGEURL
        Björk   bj       4  https://i.example/bj

        TRACK          ARTISTS           LASTPLAYEDAT
        Ágætis byrjun  Björk; Sigur Rós  2001-01-01T00:03:20Z
        Army of Me     Björk             2001-01-01T00:05:00Z
        Hyperballad    Björk             2001-01-01T00:01:40Z
        Jóga           Björk

        APPEARS WITH  TRACKS TOGETHER
        Sigur Rós                   1

        """)
  }

  @Test func `Companions are sorted by common tracks and then by name`() throws {
    let folder = try TemporaryFolder()
    let tracks = [["A", "D"], ["A", "C"], ["A", "B", "C"], ["B", "C"], ["A", "E", "B", "C"], ["D", "E"]].map { names in
      TrackRow(title: "T", json: .text(#"{"artists":["\#(names.joined(separator: #"",""#))"]}"#))
    }
    let library = try folder.library("Library.sqlite", tracks)
    try successfully(library)
    let result = try successfully("artist", library, "A", "--format", "json")
    let artist = try #require(try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any])
    let companions = try #require(artist["appearsWith"] as? [[String: Any]])
    #expect(
      companions.map { "\($0["name"] as? String ?? "") \($0["tracks"] as? Int ?? 0)" } == ["C 3", "B 2", "D 1", "E 1"])
  }

  @Test func `The JSON format contains the tracks and companions`() throws {
    let result = try successfully("artist", try MusicLibrary.path, "so", "--format", "json")
    let artist = try #require(try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any])
    #expect(artist["id"] as? String == "so")
    let tracks = try #require(artist["tracks"] as? [[String: Any]])
    #expect(tracks.map { $0["title"] as? String } == ["Ágætis byrjun"])
    #expect(tracks[0]["artists"] as? [String] == ["Björk", "Sigur Rós"])
    let companions = try #require(artist["appearsWith"] as? [[String: Any]])
    #expect(companions.count == 1)
    #expect(companions[0]["name"] as? String == "Björk")
    #expect(companions[0]["tracks"] as? Int == 1)
  }

  @Test(arguments: ["twin", "Twin", "TWIN", "Robyn"])
  func `An ambiguous name is reported with the artists' ids`(word: String) throws {
    let result = try tracksMigrate("artist", try MusicLibrary.path, word)
    #expect(result.status == 1)
    #expect(result.stdout == "")
    #expect(result.stderr.contains("several artists in '\(try MusicLibrary.path)' match '\(word)'"))
    #expect(result.stderr.contains(word == "Robyn" ? "ROBYN (upper), robyn (lower)" : "Twin (t1), Twin (t2)"))
  }

  @Test(arguments: ["Unknown", "", "Bj", "%", "bj ", "\u{1B}[2J"])
  func `An unknown artist is reported`(word: String) throws {
    let result = try tracksMigrate("artist", try MusicLibrary.path, word)
    #expect(result.status == 1)
    #expect(result.stdout == "")
    #expect(result.stderr.hasPrefix("tracks-migrate: error: no artist in '"))
    #expect(result.stderr.contains("Search with: tracks-migrate artists '"))
    #expect(!result.stderr.contains("\u{1B}"))
  }
}
