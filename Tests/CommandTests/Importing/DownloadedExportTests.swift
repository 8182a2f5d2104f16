import Foundation
import TestSupport
import Testing

/// The files that people download from services and programs; docs/exports.md describes each.
@Suite("Exports that people have")
struct DownloadedExportTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A file, and the tracks that an import makes of it.
  struct Export: Sendable, CustomTestStringConvertible {
    let file: String
    let text: String
    /// Title, artists and time of each track.
    let tracks: [String]
    /// The number of lines that are no tracks.
    var rejected = 0

    var testDescription: String { file }
  }

  /// The sample of a preset, with more members in front of its own.
  private static func sample(_ name: String, _ members: String = "") -> String {
    let path = Checkout.root.appending(path: "SampleData/Services/\(name).json").path(percentEncoded: false)
    let text = (try? Files.text(path)) ?? ""
    return members.isEmpty ? text : "{\(members),\(text.dropFirst())"
  }

  private static let tide = "Low Tide,Mira Sol,2024-03-02T18:20:00Z"
  private static let tideOfTwo = "Low Tide,Mira Sol; Tarn,2024-03-02T18:20:00Z"
  private static let train = "Night Train,Mira Sol,2024-03-02T18:20:00Z"

  // MARK: - JSON

  /// A list of the same track twice, since exports with one track are rare.
  private static func list(_ before: String, _ sample: String, _ after: String) -> String {
    "\(before)[\(sample),\(sample)]\(after)"
  }

  static let lists = [
    Export(
      file: "StreamingHistory_music_0.json", text: list("", sample("spotify-account"), ""), tracks: [tide, tide]),
    // One track of a playlist, as `jq` takes it out of the list.
    Export(
      file: "Playlist1-track.json",
      text: #"{"trackName":"Low Tide","artistName":"Mira Sol","albumName":"Harbour","trackUri":"spotify:track:t27"}"#,
      tracks: ["Low Tide,Mira Sol,"]),
    Export(
      file: "Streaming_History_Audio_2024_0.json",
      text: """
        [\(sample("spotify-history")),
         {"ts":"2024-03-02T19:20:00Z","master_metadata_track_name":null,"master_metadata_album_artist_name":null,
          "episode_name":"One","episode_show_name":"Tides"}]
        """, tracks: ["Night Train,Mira Sol,2026-01-02T03:04:05Z"], rejected: 1),
    Export(
      file: "Apple Music Library Tracks.json", text: list("", sample("apple-library"), ""), tracks: [tide, tide]),
    Export(
      file: "watch-history.json", text: "[" + watched.joined(separator: ",") + "]", tracks: [tide, tide, tide],
      rejected: 2),
    Export(
      file: "recenttracks.json",
      text: list(#"{"recenttracks":{"track":"#, sample("lastfm", #""date":{"uts":"1709403600"}"#), "}}"),
      tracks: [train, train]),
    Export(
      file: "lastfmstats.json", text: list(#"{"username":"u","scrobbles":"#, sample("lastfm-stats"), "}"),
      tracks: [tide, tide]),
    Export(
      file: "maloja_export.json", text: list(#"{"maloja":{},"scrobbles":"#, sample("maloja"), "}"),
      tracks: [tideOfTwo, tideOfTwo]),
    Export(
      file: "koito_export.json", text: list(#"{"version":"1","listens":"#, sample("koito"), "}"), tracks: [tide, tide]),
    Export(file: "gethistory.json", text: list("", sample("your-spotify"), ""), tracks: [tideOfTwo, tideOfTwo]),
    Export(file: "plays.json", text: list("", sample("multi-scrobbler"), ""), tracks: [tideOfTwo, tideOfTwo]),
    Export(file: "song.json", text: list("", sample("navidrome"), ""), tracks: [tideOfTwo, tideOfTwo]),
    Export(
      file: "get_history.json", text: list(#"{"response":{"data":{"data":"#, sample("tautulli"), "}}}"),
      tracks: [tide, tide]),
    Export(
      file: "history-all.json",
      text: list(#"{"MediaContainer":{"Metadata":"#, sample("plex", #""viewedAt":1709403600"#), "}}"),
      tracks: [train, train]),
    Export(
      file: "Items.json",
      text: list(
        #"{"Items":"#, sample("jellyfin", #""UserData":{"LastPlayedDate":"2024-03-02T18:20:00.0000000Z"}"#), "}"),
      tracks: [train, train]),
    Export(
      file: "user-tracks.json", text: list(#"{"data":"#, sample("deezer"), #","total":2}"#),
      tracks: ["Night Train,Mira Sol; Tarn,", "Night Train,Mira Sol; Tarn,"]),
    Export(
      file: "favorites-tracks.json",
      text: list(#"{"limit":2,"items":"#, #"{"created":"2024-01-02","item":\#(sample("tidal"))}"#, "}"),
      tracks: ["Night Train,Mira Sol; Tarn,", "Night Train,Mira Sol; Tarn,"]),
    Export(
      file: "getUserFavorites.json", text: list(#"{"tracks":{"items":"#, sample("qobuz"), "}}"),
      tracks: ["Night Train,Mira Sol,", "Night Train,Mira Sol,"]),
  ]

  /// Plays in three languages, one of a video that was removed, and a video that is no music.
  private static let watched: [String] = {
    let play = sample("youtube-takeout")
    return [
      play, play.replacing("Watched Low Tide", with: "Low Tide angesehen"),
      play.replacing("Watched Low Tide", with: "Vous avez regardé Low Tide"),
      play.replacing("titleUrl", with: "x").replacing("Low Tide", with: "a video that has been removed"),
      play.replacing(#""header": "YouTube Music""#, with: #""header": "YouTube""#),
    ]
  }()

  // MARK: - Tables

  static let tables = [
    Export(
      file: "Apple Music Play Activity.csv",
      text: """
        Album Name,Container Artist Name,Event End Timestamp,Event Type,Play Duration Milliseconds,Song Name
        Harbour,Mira Sol,2024-03-02T18:20:00.000Z,PLAY_END,201000,Low Tide
        ,,2024-03-02T18:30:00Z,PLAY_END,3000,

        """, tracks: [tide], rejected: 1),
    Export(
      file: "Apple Music Play Activity (2019).csv",
      text: """
        Artist Name,Content Name,Event End Timestamp,Event Start Timestamp
        Mira Sol,Low Tide,2024-03-02T18:20:00Z,2024-03-02T18:17:00Z

        """, tracks: [tide]),
    Export(
      file: "music library songs.csv",
      text: "Video ID,Song Title,Album Title,Artist Name 1,Artist Name 2\nx27,Low Tide,Harbour,Mira Sol,Tarn\n",
      tracks: ["Low Tide,Mira Sol,"]),
    Export(
      file: "scrobbles.csv",
      text: """
        uts,utc_time,artist,artist_mbid,album,album_mbid,track,track_mbid
        "1709403600","02 Mar 2024, 18:20","Mira Sol","","Harbour","","Low Tide",""

        """, tracks: [tide]),
    Export(
      file: "lastfmstats.csv",
      text: "Artist;Album;AlbumId;Track;Date#user\n\"Mira Sol\";\"Harbour\";\"\";\"Low Tide\";\"1709403600000\"\n",
      tracks: [tide]),
    // An album has the name of a column.
    Export(
      file: "lastfm-to-csv.csv",
      text: "Tarn,Time,Now,\nMira Sol,Harbour,Low Tide,02 Mar 2024 18:20\n", tracks: ["Now,Tarn,", tide]),
    Export(
      file: "lastexport.txt",
      text: "1709403600\tLow Tide\tMira Sol\tHarbour\t\t\t\n1709403600\tNight Train\tMira Sol\tRails\tm\t\t\n",
      tracks: [tide, train]),
    Export(
      file: "TuneMyMusic.csv",
      text: """
        Track name,Artist name,Album,Playlist name,Type,ISRC,Spotify - id
        Low Tide,Mira Sol,Harbour,Mine,Favorite,QZZZZ0000001,t27
        ,Tarn,,Mine,Artist,,a28
        ,Tarn,Rails,Mine,Album,,l28

        """, tracks: ["Low Tide,Mira Sol,"], rejected: 2),
    Export(
      file: "Soundiiz.csv", text: "title;artist;album;isrc\n\"Low Tide\";\"Mira Sol\";\"Harbour\";\"QZZZZ0000001\"\n",
      tracks: ["Low Tide,Mira Sol,"]),
    // The lengths are no times, and the musical keys no keys of tracks.
    Export(
      file: "rekordbox.txt",
      text: "#\tTrack Title\tArtist\tBPM\tTime\tKey\n1\tLow Tide\tMira Sol\t120.00\t03:21\tAm\n"
        + "2\tNow\tTarn\t99\t201\t5\n",
      tracks: ["Low Tide,Mira Sol,", "Now,Tarn,"]),
    Export(
      file: "deezer-data.csv",
      text: "Song Title,Artist,ISRC,Listening Time,Date\nLow Tide,Mira Sol,QZZZZ0000001,201,2024-03-02 18:20:00\n",
      tracks: [tide]),
  ]

  @Test(arguments: lists + tables)
  func `The tracks of an export have their titles, artists and times`(export: Export) throws {
    _ = try folder.write(Array(export.text.utf8), to: export.file)
    let made = try CommandRunner(["import", export.file, "L.sqlite", "--verify"], folder: folder.path).run()
    try #require(made.status == 0, "\(made)")
    #expect(!made.stderr.contains("warning"), "\(made)")
    #expect(try tracks() == export.tracks)
    let rejects = folder.file("L.sqlite.rejects.ndjson")
    let rejected = Files.exists(rejects) ? try Files.text(rejects).split(separator: "\n").count : 0
    #expect(rejected == export.rejected, "\(made)")
  }

  private func tracks() throws -> [String] {
    let words = ["tracks", "L.sqlite", "--fields", "title,artists,lastPlayedAt", "--sort", "key", "--format", "csv"]
    let text = try CommandRunner(words, folder: folder.path).run().stdout
    return text.split(whereSeparator: \.isNewline).dropFirst().map(String.init)
  }

  @Test(
    arguments: [
      (
        "collection.csv", "Catalog#,Artist,Title,Label,Format,Released,release_id\nH 1,Mira Sol,Harbour,H,LP,2024,27\n",
        "its rows are releases, as Discogs exports a collection, and not tracks."
      ),
      (
        "Play History Daily Tracks.csv", "Date Played,Track Description\n20240302,Mira Sol - Low Tide\n",
        "none of its columns, 'Date Played', 'Track Description', is known for a track's title and artist."
      ),
      (
        "plain.csv", "Mira Sol,Low Tide\nTarn,Night Train",
        "none of its columns, 'Mira Sol', 'Low Tide', is known for a track's title and artist."
      ),
      (
        "rekordbox.xml", "<?xml version=\"1.0\"?>\n<DJ_PLAYLISTS Version=\"1.0.0\">",
        "it is a Rekordbox collection, which is XML."
      ),
      ("collection.nml", "<?xml version=\"1.0\"?>\n<NML VERSION=\"19\">", "it is a Traktor collection, which is XML."),
    ])
  func `A file without titles and artists is refused, and makes no library`(
    file: String, text: String, problem: String
  ) throws {
    _ = try folder.write(Array(text.utf8), to: file)
    let result = try CommandRunner(["import", file, "L.sqlite"], folder: folder.path).run()
    #expect(result.status == 65)
    #expect(result.stderr.contains("'\(file)' cannot be imported: \(problem) Nothing was changed."), "\(result)")
    #expect(try folder.listing() == [file])
  }

  @Test func `Paths take the columns of a table that is otherwise refused`() throws {
    let text = "Catalog#,Artist,Title,release_id\nH 1,Mira Sol,Harbour,27\n"
    _ = try folder.write(Array(text.utf8), to: "collection.csv")
    let paths = ["--title-path", "$.Title", "--artists-path", "$.Artist"]
    let made = try CommandRunner(["import", "collection.csv", "L.sqlite"] + paths, folder: folder.path).run()
    #expect(made.status == 0, "\(made)")
    #expect(try tracks() == ["Harbour,Mira Sol,"])
  }

  // MARK: - Archives

  @Test func `Members of an archive are added one by one`() throws {
    let listen = Self.sample("listenbrainz").filter { !$0.isNewline }
    let archive = Self.archive([
      ("user.json", "{}"), ("listens/2023/11.jsonl", "\(listen)\n"),
      ("listens/2024/3.jsonl", listen.replacing("1700000000", with: "1709403600")),
    ])
    _ = try folder.write(archive, to: "listenbrainz.zip")
    let unnamed = try CommandRunner(["import", "listenbrainz.zip", "L.sqlite"], folder: folder.path).run()
    #expect(unnamed.status == 65 && unnamed.stderr.contains("'listens/2024/3.jsonl'"), "\(unnamed)")
    for member in ["listens/2023/11.jsonl", "listens/2024/3.jsonl"] {
      let made = try CommandRunner(
        ["import", "listenbrainz.zip", "L.sqlite", "--member", member, "--verify"], folder: folder.path
      ).run()
      #expect(made.status == 0, "\(made)")
    }
    let expected = ["2023-11-14T22:13:20Z", "2024-03-02T18:20:00Z"].map { "Night Train,Mira Sol; Tarn,\($0)" }
    #expect(try tracks() == expected)
  }

  @Test func `A workbook is named as one`() throws {
    _ = try folder.write(Self.archive([("[Content_Types].xml", "<x/>"), ("xl/workbook.xml", "<x/>")]), to: "data.xlsx")
    let result = try CommandRunner(["import", "data.xlsx", "L.sqlite"], folder: folder.path).run()
    #expect(result.status == 65 && result.stderr.contains("it is a document of an office program."), "\(result)")
    #expect(result.stderr.contains("Save the sheet with the tracks as CSV."), "\(result)")
  }

  /// Makes a zip archive whose members are not compressed.
  private static func archive(_ members: [(name: String, text: String)]) -> [UInt8] {
    var (files, list): ([UInt8], [UInt8]) = ([], [])
    for (name, text) in members {
      let content = Array(text.utf8)
      let sizes = [
        number(Int(checksum(content)), 4), number(content.count, 4), number(content.count, 4),
        number(name.utf8.count, 2),
      ].flatMap { $0 }
      let start = files.count
      files += [Array("PK\u{3}\u{4}".utf8), number(20, 2), number(0, 8), sizes, number(0, 2)].flatMap { $0 }
      files += Array(name.utf8) + content
      list += [Array("PK\u{1}\u{2}".utf8), number(20, 2), number(20, 2), number(0, 8), sizes].flatMap { $0 }
      list += number(0, 12) + number(start, 4) + Array(name.utf8)
    }
    let end = [
      Array("PK\u{5}\u{6}".utf8), number(0, 4), number(members.count, 2), number(members.count, 2),
      number(list.count, 4), number(files.count, 4), number(0, 2),
    ]
    return files + list + end.flatMap { $0 }
  }

  /// The bytes of a number, the least significant one first.
  private static func number(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// The CRC-32 of bytes.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var sum = UInt32.max
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 0 ? sum >> 1 : (sum >> 1) ^ 0xEDB8_8320 }
    }
    return ~sum
  }
}
