import Foundation
import TestSupport
import Testing

/// Documents of services and exports that are not about one track.
@Suite("Documents of other things")
struct OtherThingsTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let documents = [
    #"{"id":"1","name":"X","artists":[{"name":"A"}],"release_date":"2020","total_tracks":10}"#,
    #"{"id":"1","name":"X","type":"album","artists":[{"name":"A"}]}"#,
    #"{"id":1,"title":"X","upc":"1","artist":{"name":"A"},"nb_tracks":3,"type":"album"}"#,
    #"{"idAlbum":"1","strAlbum":"X","strArtist":"A","intYearReleased":"2000"}"#,
    #"{"idArtist":"1","strArtist":"A","strBiographyEN":"x"}"#,
    #"{"name":"P","artists":[{"name":"A"}],"venue":{"name":"V"},"date":"2024-01-01"}"#,
    #"""
    {"type":"Concert","displayName":"A at V","performance":[{"artist":{"displayName":"A"}}],"venue":{"displayName":"V"}}
    """#,
    #"{"id":"s","eventDate":"01-01-2020","artist":{"name":"A","mbid":"m"},"venue":{"name":"V"},"sets":{"set":[]}}"#,
    #"{"endTime":"2021-04-21 05:30","podcastName":"P","episodeName":"E","msPlayed":1000}"#,
    #"{"title":"E","artist":"Host","podcast":"P","enclosure":{"url":"u"}}"#,
    #"{"playlist_name":"P","user":{"handle":"h","name":"A"},"is_album":false,"id":"x"}"#,
    #"{"id":1,"kind":"playlist","title":"P","user":{"username":"u"}}"#,
    #"""
    {"artist":{"name":"A","mbid":"","url":"https://www.last.fm/music/A"},"image":[{"#text":"i"}],"mbid":"","url":"u","playcount":"3","name":"X"}
    """#,
    #"{"id":1,"name":"X","artists":[{"name":"A"}],"remixers":[],"label":{"name":"L"},"track_count":4}"#,
    #"{"id":1,"name":"Chart","artist":{"name":"A"},"track_count":10,"genres":[]}"#,
    #"{"id":"1","parent":"2","isDir":true,"title":"X","artist":"A","album":"X"}"#,
    #"{"id":"1","name":"X","artist":"A","songCount":10,"duration":100,"created":"2020"}"#,
    #"""
    {"browseId":"b","title":"X","type":"Album","artists":[{"name":"A","id":"1"}],"thumbnails":[],"resultType":"album"}
    """#,
    #"{"_type":"album","name":"X","artist":{"name":"A"},"url":"u"}"#,
    #"""
    {"name":"X","id":1,"artist":{"name":"A"},"artists":[{"name":"A"}],"size":10,"publishTime":1,"company":"c","picUrl":"p"}
    """#,
    #"{"mid":"m","name":"X","singer":[{"mid":"s","name":"A"}],"pub_time":"2020","song_count":3}"#,
    #"{"id":1,"owner_id":-1,"type":0,"title":"P","count":3,"followers":3,"main_artists":[{"name":"A"}]}"#,
    #"{"id":1,"instance_id":2,"basic_information":{"title":"X","artists":[{"name":"A"}]},"rating":0}"#,
    #"{"kind":"youtube#video","id":"v","snippet":{"title":"V","channelTitle":"C","channelId":"U","categoryId":"22"}}"#,
    #"{"id":"1","name":"A","type":"artist","followers":{"total":3},"genres":[]}"#,
    #"{"name":"L","artists":[{"name":"A"}],"sublabels":[]}"#,
    #"{"wrapperType":"track","kind":"podcast","artistName":"A","trackName":"P","collectionName":"P"}"#,
    #"{"im:name":{"label":"X"},"im:artist":{"label":"A"},"im:contentType":{"attributes":{"term":"Album"}}}"#,
    #"{"artistName":"A","id":"1","name":"X","kind":"albums"}"#,
    #"{"username":"u","followers":3,"playlists":[],"country":"X","name":"N","artist":"fav"}"#,
    #"{"name":"A","id":3,"nb_album":3,"nb_fan":33,"artist":"A"}"#,
    #"""
    {"title":"P","description":"d","tracks":[{"title":"T","artist":"A"},{"title":"T2","artist":"B"}],"artist":"Someone"}
    """#,
    #"""
    {"header":"YouTube","title":"Watched V","titleUrl":"u","subtitles":[{"name":"C"}],"time":"2023-01-01T00:00:00Z"}
    """#,
    #"{"episode":"E","show":"S","title":"T","artist":"A"}"#,
    #"{"title":"T","artist":"A","season":1,"episode_number":2}"#,
    #"{"title":"T","artist":"A","mediaType":"podcast"}"#, #"{"title":"T","artist":"A","mediaType":"video"}"#,
    #"{"title":"T","artist":"A","media_type":"audiobook"}"#, #"{"title":"T","artists":["A"],"contentType":"Episode"}"#,
    #"{"name":"A","artist":"A","followers":100}"#, #"{"name":"A","artists":["A"],"followersCount":1}"#,
    #"{"title":"Gig","artist":"A","tickets":"u","date":"2024-01-01"}"#, #"{"title":"F","artist":"A","festival":"F"}"#,
    #"{"title":"X","artist":"A","catno":"X1","year":1999}"#, #"{"name":"L","artist":"A","releases":["a"]}"#,
    #"{"title":"X","artist":"A","tracks":12}"#, #"{"title":"X","artist":"A","trackCount":12}"#,
    #"{"title":"X","artists":["A"],"tracks":[{"title":"T","artist":"A"},{"title":"U"}],"duration":2400}"#,
    #"{"name":"X","artist":"A","track":[{"name":"T"},{"name":"U"}],"trackCount":2,"year":1999}"#,
    #"""
    {"id":"x","name":"X","available_territories":["TW"],"artist":{"id":"5","name":"A"},"release_date":"2000","images":[]}
    """#,
    #"""
    {"name":"X","artist":"A","url":"https://www.last.fm/music/A/X","image":[{"#text":"i"}],"streamable":"0","mbid":""}
    """#,
    #"{"name":"X","artists":["A"],"date":"2024-03-01T20:00:00Z","price":1000}"#,
    #"{"albumid":1,"label":"X","title":"X","artist":["A"],"artistid":[5],"year":2000}"#,
    #"{"musicvideoid":1,"label":"V","title":"V","artist":["A"],"album":"X","runtime":200}"#,
    #"{"id":"1","name":"X","artist":{"id":"5","name":"A"},"songcount":9,"year":2000,"time":2000,"art":"a"}"#,
    #"{"wrapperType":"software","kind":"software","artistName":"A","trackName":"X"}"#,
    #"""
    {"id":"x","title":"X","status":"Official","barcode":"1","artist-credit":[{"name":"A","artist":{"id":"m","name":"A"}}]}
    """#,
    #"{"id":"1","name":"X","releasedate":"2000","artist_id":"5","artist_name":"A","image":"i","zip":"z"}"#,
    #"{"id":1,"name":"X","full_title":"X by A","cover_art_url":"c","artist":{"id":5,"name":"A"}}"#,
    #"{"id":1,"title":"X","artists":[{"name":"A","id":5}],"formats":[{"name":"CD"}],"labels":[{"name":"L"}]}"#,
    #"{"id":"1","type":"music-videos","attributes":{"name":"V","artistName":"A"}}"#,
    #"{"id":1,"title":"V","type":"Music Video","duration":200,"artists":[{"id":5,"name":"A"}]}"#,
    #"{"id":1,"title":"X","artist":"A","date":"1890","medium":"oil"}"#,
    #"{"Title":"X","Artist":"A","Medium":"oil","Year":"1890"}"#,
    #"{"sku":"1","title":"X LP","artist":"A","format":"LP","price":20,"stock":3}"#,
  ]

  /// Tracks that also say how many their albums have.
  private static let counted = [
    #"{"title":"T","artist":"A","totalTracks":12,"position":3}"#,
    #"{"title":"T","artist":"A","trackCount":12,"duration":200}"#,
    #"{"title":"T","artist":"A","tracks":12,"position":3}"#,
    #"{"title":"T","artists":["A"],"trackCount":12,"duration":200}"#,
    #"{"title":"T","artists":["A"],"numberOfTracks":12,"trackNumber":2}"#,
    #"{"trackName":"T","artistName":"A","trackCount":12,"trackNumber":2}"#,
    #"{"name":"T","artist":"A","track":3,"total_tracks":12}"#, #"{"track":"T","artist":"A","upc":"123"}"#,
    #"{"title":"T","artist":{"name":"A"},"tracks_count":12,"track_number":3}"#,
    #"{"title":"T","artist":"A","track_count":12,"track_number":3,"genres":["x"]}"#,
    #"{"title":"T","artist":"A","tracks":12,"played_at":1700000000}"#,
    #"{"title":"T","artist":"A","catalogNumber":"X","duration":200}"#,
    #"{"title":"T","artists":["A"],"followers":3,"duration_ms":200000}"#,
    #"{"title":"T","artist":"A","price":1,"date":"2024-01-01","duration":200}"#,
    #"{"title":"T","artist":"A","price":1,"date":"2024-01-01","album":"X"}"#,
    #"{"title":"T","artist":"A","medium":"CD","album":"X"}"#, #"{"title":"T","artist":"A","price":1}"#,
    #"{"name":"T","artist":["A"],"albumid":1,"songid":2}"#,
    #"{"name":"T","artist":"A","streamable":"0","listeners":"9"}"#,
  ]

  @Test func `What has a position, a length or a time of its own is a track`() throws {
    let feed = try folder.write(Array(Self.counted.joined(separator: "\n").utf8), to: "feed.ndjson")
    try successfully("import", feed, folder.file("New.sqlite"), "--strict", "--verify")
    let titles = """
      SELECT DISTINCT t.ZTITLE, a.ZNAME FROM ZTRACK t LEFT JOIN Z_1TRACKS l ON l.Z_2TRACKS = t.Z_PK
      LEFT JOIN ZARTIST a ON a.Z_PK = l.Z_1ARTISTS
      """
    #expect(try Database.rows(titles, in: folder.file("New.sqlite")) == ["T|A"])
    let rows = Self.counted.map {
      TrackRow(title: .text("T"), artistName: .text("fallback"), json: .rawText(Array($0.utf8)))
    }
    let library = try folder.library("L.sqlite", rows)
    try successfully("migrate", library, "--strict", "--verify")
    #expect(try Database.rows("SELECT ZNAME FROM ZARTIST", in: library) == ["A"])
  }

  @Test func `They give no artists to a migration, and are named`() throws {
    let rows = Self.documents.map {
      TrackRow(title: .text("T"), artistName: .text("fallback"), json: .rawText(Array($0.utf8)))
    }
    let library = try folder.library("L.sqlite", rows)
    try successfully("migrate", library, "--verify")
    #expect(try Database.rows("SELECT ZNAME FROM ZARTIST", in: library) == ["fallback"])
    let data = Data(try Files.bytes(library + ".migration.json"))
    let report = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(report["fallback_tracks_count_by_reason"] as? [String: Int] == ["other_answer": Self.documents.count])
  }

  @Test func `They are rejects of an import`() throws {
    let lines = Self.documents + [#"{"title":"T"}"#]
    let feed = try folder.write(Array(lines.joined(separator: "\n").utf8), to: "feed.ndjson")
    let library = folder.file("New.sqlite")
    let result = try CommandRunner(["import", feed, library, "--verify"]).run()
    #expect(result.status == 0, "\(result)")
    #expect(try Database.rows("SELECT ZTITLE FROM ZTRACK", in: library) == ["T"])
    #expect(try Database.value("SELECT count(*) FROM ZARTIST", in: library) == "0")
  }
}
