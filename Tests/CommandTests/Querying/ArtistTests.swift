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
        ARTIST  ID  TRACKS  IMAGE URL             KEY
        Björk   bj       4  https://i.example/bj    1

        TRACK          ARTISTS           LAST PLAYED
        Ágætis byrjun  Björk; Sigur Rós  2001-01-01T00:03:20Z
        Army of Me     Björk             2001-01-01T00:05:00Z
        Hyperballad    Björk             2001-01-01T00:01:40Z
        Jóga           Björk

        APPEARS WITH  TRACKS TOGETHER
        Sigur Rós                   1

        """)
  }

  @Test(arguments: [
    ("Bjrok", "'Björk'"), ("SIGUR ROSS", "'Sigur Rós'"), ("ful width", "'ｆｕｌｌｗｉｄｔｈ'"), ("AC-DC", "'AC/DC'"),
    ("tvin", "'Twin'"),
  ])
  func `The nearest name is suggested for an unknown one`(word: String, suggestion: String) throws {
    let result = try tracksMigrate("artist", try MusicLibrary.path, word)
    #expect(result.status == 1)
    #expect(result.stderr.contains("has the name or id '\(word)'. Did you mean \(suggestion)? Search with: "))
  }

  @Test func `Several names are suggested, nearest first, and also for letters that are not folded`() throws {
    let folder = try TemporaryFolder()
    let tracks = ["Łona", "Lorna", "Łódź", "Lana Bay"].map { TrackRow(title: "T", artistName: .text($0)) }
    let library = try folder.library("Library.sqlite", tracks)
    try successfully(library)
    #expect(try tracksMigrate("artist", library, "Lona").stderr.contains("Did you mean 'Łona', 'Lorna' or 'Łódź'? "))
    #expect(try tracksMigrate("artist", library, "Lodz").stderr.contains("Did you mean 'Łódź'"))
  }

  @Test func `--limit limits the tracks and the companions`() throws {
    let result = try successfully("artist", try MusicLibrary.path, "bj", "--format", "json", "--limit", "1")
    let artist = try #require(try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any])
    #expect(artist["key"] as? Int == 1)
    #expect((artist["tracks"] as? [[String: Any]])?.map { $0["title"] as? String } == ["Ágætis byrjun"])
    let none = try successfully("artist", try MusicLibrary.path, "bj", "--format", "json", "--limit", "0")
    #expect(none.stdout.contains(#""tracks":[],"appearsWith":[]"#))
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
