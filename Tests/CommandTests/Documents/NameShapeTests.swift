import Foundation
import TestSupport
import Testing

@Suite("Documents of any service")
struct NameShapeTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let titles = [
    "title", "name", "track", "song", "trackName", "track_name", "trackTitle", "track_title", "songName", "song_name",
    "songTitle", "song_title", "recording",
  ]
  private static let artists = [
    "artist", "artistName", "artist_name", "performer", "singer", "albumArtist", "album_artist", "artists",
  ]

  /// Every word for a title with every word for an artist; with an album and an id or without; as text, as objects and as
  /// lists; in the document itself or in a member.
  static let documents: [String] = {
    var documents: [String] = []
    for title in titles {
      let nested = ["track", "song", "recording"].contains(title) ? [#""T""#, #"{"name":"T"}"#] : [#""T""#]
      for artist in artists {
        let names = values(of: artist)
        for (text, name) in nested.flatMap({ text in names.map { (text, $0) } }) {
          for album in ["", #","album":"X""#, #","album":{"name":"X"}"#] {
            for id in ["", #","id":"7""#] {
              let document = #"{"\#(title)":\#(text),"\#(artist)":\#(name)\#(album)\#(id),"timestamp":1700000000}"#
              documents.append(document)
              if nested.count == 1 { documents.append(#"{"\#(title == "name" ? "item" : "track")":\#(document)}"#) }
            }
          }
        }
      }
    }
    return documents
  }()

  private static func values(of artist: String) -> [String] {
    let (text, object, list) = (#""Ann""#, #"{"name":"Ann"}"#, [#"["Ann"]"#, #"[{"name":"Ann"}]"#])
    return switch artist {
    case "artists": list
    case "artist": [text, object] + list
    case "performer": [text, object]
    case "artistName", "artist_name": [text, list[0]]
    default: [text]
    }
  }

  @Test func `Artists, titles and times of all shapes arrive in an import`() throws {
    let feed = try folder.write(Array(Self.documents.joined(separator: "\n").utf8), to: "feed.ndjson")
    let library = folder.file("New.sqlite")
    let result = try successfully("import", feed, library, "--strict", "--verify")
    #expect(!result.stderr.contains("warning"), "\(result.stderr)")
    let odd = try Database.rows(
      """
      SELECT Z_PK FROM ZTRACK WHERE ZTITLE IS NOT 'T' OR ZLASTPLAYEDAT IS NOT 1700000000 - 978307200
        OR Z_PK NOT IN (SELECT Z_2TRACKS FROM Z_1TRACKS)
      """, in: library)
    #expect(odd.isEmpty, "\(odd.compactMap { Int($0) }.map { Self.documents[$0 - 1] }.prefix(20))")
    #expect(try Database.rows("SELECT ZNAME FROM ZARTIST", in: library) == ["Ann"])
  }

  @Test func `Artists of all shapes arrive in a migration`() throws {
    let rows = Self.documents.map {
      TrackRow(title: .text("T"), artistName: .text("fallback"), json: .rawText(Array($0.utf8)))
    }
    let library = try folder.library("L.sqlite", rows)
    try successfully("migrate", library, "--strict", "--verify")
    #expect(try Database.rows("SELECT ZNAME FROM ZARTIST", in: library) == ["Ann"])
  }

  /// Values in place of a list of artists, or of their names.
  private static let unlisted =
    titles.filter { $0 != "name" }.map { #"{"\#($0)":"T","artists":"Ann","albumArtist":"Various","album":"X"}"# } + [
      #"{"title":"T","artists":[],"artist":"Ann","album":"X"}"#,
      #"{"title":"T","artists":null,"artist":{"name":"Ann"},"album":"X"}"#,
      #"{"title":"T","artists":"Ann","artist":"","x":3}"#, #"{"title":"T","artist":[{"artist":"Ann"}]}"#,
      #"{"title":"T","artist":[{"artist":{"name":"Ann"}}]}"#, #"{"title":"T","artist":[{"Name":"Ann"}]}"#,
      #"{"Title":"T","Artist":{"Name":"Ann"}}"#, #"{"Title":"T","Artist":[{"Name":"Ann"}]}"#,
      // A player's state, which looks like a track of Discogs.
      #"{"position":0,"title":"T","artist":"Ann","duration":200}"#,
      #"{"position":"A1","type_":"track","title":"T","duration":"3:20","artists":[{"name":"Ann"}]}"#,
    ]

  @Test func `Artists arrive as text, under other names and beside an empty list`() throws {
    let feed = try folder.write(Array(Self.unlisted.joined(separator: "\n").utf8), to: "feed.ndjson")
    let library = folder.file("New.sqlite")
    try successfully("import", feed, library, "--strict", "--verify")
    let odd = try Database.rows(
      "SELECT Z_PK FROM ZTRACK WHERE ZTITLE IS NOT 'T' OR Z_PK NOT IN (SELECT Z_2TRACKS FROM Z_1TRACKS)", in: library)
    #expect(odd.isEmpty, "\(odd.compactMap { Int($0) }.map { Self.unlisted[$0 - 1] })")
    #expect(try Database.rows("SELECT ZNAME FROM ZARTIST", in: library) == ["Ann"])
    let rows = Self.unlisted.map {
      TrackRow(title: .text("T"), artistName: .text("fallback"), json: .rawText(Array($0.utf8)))
    }
    let old = try folder.library("L.sqlite", rows)
    try successfully("migrate", old, "--strict", "--verify")
    #expect(try Database.rows("SELECT ZNAME FROM ZARTIST", in: old) == ["Ann"])
  }

  @Test func `The time of a play that holds its track arrives`() throws {
    let track = #"{"type":"track","name":"T","artists":[{"name":"Ann","uri":"u"}]}"#
    let lines = ["played_at", "timestamp", "time"].map { #"{"track":\#(track),"\#($0)":1700000000}"# }
    let feed = try folder.write(Array(lines.joined(separator: "\n").utf8), to: "feed.ndjson")
    try successfully("import", feed, folder.file("New.sqlite"), "--strict", "--verify")
    let played = "SELECT count(*) FROM ZTRACK WHERE ZLASTPLAYEDAT = 1700000000 - 978307200"
    #expect(try Database.value(played, in: folder.file("New.sqlite")) == "3")
  }

  @Test func `An id, or an image, of one of several artists is not given to their joined name`() throws {
    let line =
      #"{"track_metadata":{"track_name":"T","artist_name":"Aa & Bb","additional_info":{"artist_mbids":["a","b"]}}}"#
    let feed = try folder.write(Array(line.utf8), to: "feed.ndjson")
    try successfully("import", feed, folder.file("New.sqlite"), "--verify")
    #expect(try Database.rows("SELECT ZNAME, ZID FROM ZARTIST", in: folder.file("New.sqlite")) == ["Aa & Bb|NULL"])
  }

  @Test(arguments: [
    (#"["a","b"]"#, ["Aa|a", "Bb|b"]), (#"["a"]"#, ["Aa|NULL", "Bb|NULL"]),
    (#"["a","b","c"]"#, ["Aa|NULL", "Bb|NULL"]),
  ])
  func `A list of names wins over a joined one, with as many ids`(ids: String, artists: [String]) throws {
    let line =
      #"{"track_metadata":{"track_name":"T","artist_name":"Aa & Bb","additional_info":{"artist_names":["Aa","Bb"],"#
      + #""artist_mbids":\#(ids)}}}"#
    let feed = try folder.write(Array(line.utf8), to: "feed.ndjson")
    try successfully("import", feed, folder.file("New.sqlite"), "--verify")
    #expect(try Database.rows("SELECT ZNAME, ZID FROM ZARTIST ORDER BY 1", in: folder.file("New.sqlite")) == artists)
  }

  @Test(arguments: [
    #"{"artist":"Ann","album":"X"}"#, #"{"album":{"name":"X","artist":"Ann","tracks":{"track":[]}}}"#,
  ])
  func `An album without a title of a track is none`(document: String) throws {
    let feed = try folder.write(Array((document + "\n" + #"{"title":"T"}"#).utf8), to: "feed.ndjson")
    let result = try CommandRunner(["import", feed, folder.file("New.sqlite")]).run()
    #expect(result.status == 0 && result.stderr.contains("line 1: JSON about an album"), "\(result)")
  }

  @Test(arguments: [" & ", " • ", " · ", "、", "，", " × ", " + ", " with ", " vs ", " ; ", "/", #"\\"#, "\\u0000"])
  func `A joined name is split at any separator if there are as many ids`(separator: String) throws {
    let line =
      #"{"listened_at":1700000000,"track_metadata":{"track_name":"T","artist_name":"Aa\#(separator)Bb","#
      + #""additional_info":{"artist_mbids":["a","b"]}}}"#
    let feed = try folder.write(Array(line.utf8), to: "feed.ndjson")
    try successfully("import", feed, folder.file("New.sqlite"), "--split-by-ids", "--verify")
    let names = try Database.rows("SELECT ZNAME FROM ZARTIST ORDER BY ZNAME", in: folder.file("New.sqlite"))
    #expect(names == ["Aa", "Bb"])
  }

  @Test func `A name keeps a separator that is its own where the ids say so`() throws {
    let line =
      #"{"track_metadata":{"track_name":"T","artist_name":"AC/DC & Bb","additional_info":{"artist_mbids":["a","b"]}}}"#
    let feed = try folder.write(Array(line.utf8), to: "feed.ndjson")
    try successfully("import", feed, folder.file("New.sqlite"), "--split-by-ids", "--verify")
    let names = try Database.rows("SELECT ZNAME FROM ZARTIST ORDER BY ZNAME", in: folder.file("New.sqlite"))
    #expect(names == ["AC/DC", "Bb"])
  }

  /// What stands under words for a title and is none, and the title beside it.
  static let numbered: [(document: String, title: String)] = [
    (#"{"name":"Night","artist":"Ann","track":3}"#, "Night"),
    (#"{"Name":"Night","Artist":"Ann","Track":"3"}"#, "Night"),
    (#"{"track":"3/12","name":"Night","artist":"Ann"}"#, "Night"),
    (#"{"track":"3 of 12","name":"Night","artists":["Ann"]}"#, "Night"),
    (#"{"song":"7ba5a5f0-5a9c-4b6f-8d59-0c1d2e3f4a5b","name":"Night","artist":"Ann"}"#, "Night"),
    (#"{"recording":"https://example.com/r/1","name":"Night","artist":"Ann"}"#, "Night"),
    (#"{"track":"spotify:track:1","track_number":1,"name":"Night","artist":"Ann"}"#, "Night"),
    (#"{"track":1,"recording":{"title":"Night"},"artist":"Ann"}"#, "Night"),
    // What is a title for certain may be a number.
    (#"{"title":"1979","name":"Night","artist":"Ann"}"#, "1979"), (#"{"track":"1979","artist":"Ann"}"#, "1979"),
    (#"{"track":"7 Rings","name":"List","artist":"Ann"}"#, "7 Rings"),
  ]

  @Test func `A number, an id or an address is no title where there is another`() throws {
    let lines = Self.numbered.map(\.document)
    let feed = try folder.write(Array(lines.joined(separator: "\n").utf8), to: "feed.ndjson")
    let library = folder.file("New.sqlite")
    try successfully("import", feed, library, "--strict", "--verify")
    let titles = try Database.rows("SELECT ZTITLE FROM ZTRACK ORDER BY Z_PK", in: library)
    #expect(titles == Self.numbered.map(\.title))
  }

  @Test func `So it is with the columns of a table`() throws {
    let table = "Name,Artist,Album,Track\nNight,Ann,X,3\nDay,Ann,X,4/12\n"
    let feed = try folder.write(Array(table.utf8), to: "feed.csv")
    let library = folder.file("New.sqlite")
    try successfully("import", feed, library, "--strict", "--verify")
    #expect(try Database.rows("SELECT ZTITLE FROM ZTRACK ORDER BY Z_PK", in: library) == ["Night", "Day"])
  }

  @Test(arguments: [
    "watched_at", "watchedAt", "listenedAt", "played", "datetime", "dateTime", "date", "last_played_at", "startedAt",
  ])
  func `A time of any name arrives from beside the title`(word: String) throws {
    let lines = [#""artist":"Ann""#, #""artists":["Ann"]"#].flatMap { artist in
      [#""2023-11-14T22:13:20Z""#, #""2023-11-14 22:13:20 +0000""#, "1700000000"].map {
        #"{"title":"T",\#(artist),"time":"3:45","\#(word)":\#($0)}"#
      }
    }
    let feed = try folder.write(Array(lines.joined(separator: "\n").utf8), to: "feed.ndjson")
    let library = folder.file("New.sqlite")
    try successfully("import", feed, library, "--strict", "--verify")
    let played = "SELECT count(*) FROM ZTRACK WHERE ZLASTPLAYEDAT = 1700000000 - 978307200"
    #expect(try Database.value(played, in: library) == "\(lines.count)")
  }

  @Test func `The day of a release is no time of a service's track`() throws {
    let line = ##"{"artist":{"#text":"Ann"},"name":"T","date":"2020-01-01"}"##
    let feed = try folder.write(Array(line.utf8), to: "feed.ndjson")
    let library = folder.file("New.sqlite")
    try successfully("import", feed, library, "--strict", "--verify")
    #expect(try Database.value("SELECT count(ZLASTPLAYEDAT) FROM ZTRACK", in: library) == "0")
  }
}
