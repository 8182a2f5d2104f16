/// Shapes of no particular service, and the words that documents of any service use.
extension Preset {
  /// The words of documents of any service for a track's title, for the time when it was played, and for its artists.
  enum Word {
    static let titles: [JSONPath] = [
      "title", "trackName", "track_name", "trackTitle", "track_title", "track", "songName", "song_name", "songTitle",
      "song_title", "song", "recording_name", "recording", "name", "Title", "Track", "TrackName", "Song", "SongName",
      "Name",
      "['Track Name']", "['Song Name']", "['Track Title']", "['Song Title']", "trackname", "songname", "tracktitle",
    ]
    static let nestedTitles: [JSONPath] = [
      "track.name", "track.title", "song.name", "song.title", "recording.name", "recording.title", "media.title",
    ]
    /// The words for a title that some documents have for the number of the track, its id or its address.
    static let doubtfulTitles: Set<JSONPath> = ["track", "song", "recording", "Track", "Song"]
    static let times: [JSONPath] = [
      "lastPlayedAt", "playedAt", "played_at", "listened_at", "listenedAt", "scrobbled_at", "scrobbledAt", "endTime",
      "lastPlayed", "last_played", "last_played_at", "lastListenedAt", "last_listened_at", "datePlayed", "date_played",
      "timePlayed", "time_played", "playedOn", "played_on", "watched_at", "watchedAt", "viewed_at", "viewedAt",
      "lastViewedAt", "end_time", "endedAt", "ended_at", "startedAt", "started_at", "timestamp", "date.uts", "ts",
      "time", "playDate", "play_date", "creation_date", "UtcTimestamp", "['Last Played Date']", "['Last Played']",
      "['Played At']", "['Event Start Timestamp']", "['Play Date UTC']", "playedDate", "airdate",
    ]
    /// The same in documents of no known service; a service may mean something else, such as the day of a release.
    static let anyTimes: [JSONPath] =
      times + ["played", "listened", "scrobbled", "datetime", "dateTime", "date_time", "date"]
    static let artistNames: [JSONPath] = [
      "artist", "artistName", "artist_name", "primary_artists", "performer", "singer", "artist_credit_name",
      "Artist", "ArtistName", "['Artist Name']", "['Artist Name(s)']", "artistname", "singername", "singerName",
      "SingerName", "artists",
      "albumArtist", "album_artist", "AlbumArtist", "['Album Artist']",
    ]
  }

  /// Shapes that ask for little, and so stand behind all others.
  ///
  /// The first of them is about documents without a list of artists.
  static let generalShapes = [anyService, v1]

  private static let v1 = Preset(
    "v1", "This program's own shape: artists with id, name and imageURL", "docs/presets.md", ids: "",
    ["$.artists", "!$.artists.items", "!$.artists.data"],
    track: TrackPaths(title: Word.titles + Word.nestedTitles, played: Word.anyTimes, image: ["imageURL"]),
    artists: [Source("$.artists[*]", name: "name", "@", id: ["id"], image: ["imageURL"])]
  ).with { $0.keepsEmpty = true }

  private static let anyService = Preset(
    "any", "Any service: a title and the name of an artist", "docs/presets.md",
    [
      JSONCondition(anyOf: Word.artistNames), JSONCondition(anyOf: Word.titles + ["media.title"]), "!$.artists[*]",
      // A name alone may be that of anything that has artists.
      """
      !$.artists || $.title || $.trackName || $.track_name || $.trackTitle || $.track_title || $.track || \
      $.songName || $.song_name || $.songTitle || $.song_title || $.song || $.recording
      """,
      "!$.albums", "!$.tracklist", "!$.songs", "!$.items", "!$.results", "!$.data", "!$.venue",
    ],
    track: TrackPaths(
      title: Word.titles + Word.nestedTitles, played: Word.anyTimes, image: ["imageURL", "image_url", "image"]),
    artists: [
      // It has none, but says why.
      Source("$.artists[*]", name: "@"),
      Source(
        "$.artist[*]", name: "name", "@", "artist", "artist.name", "Name", id: ["id"],
        image: ["imageURL", "image_url", "image"]
      ).with { $0.isOnlyArray = true },
      Source("$.artist", name: "name", id: ["id"], image: ["imageURL", "image_url", "image"]),
    ],
    otherwise: [
      Source(
        "$", names: Word.artistNames + ["performer.name"], id: ["artistId", "artistID", "artist_id"]),
      Source("$.artistName[*]", name: "@"), Source("$.artist_name[*]", name: "@"),
      Source("$.Artist[*]", name: "@", "Name", "name"),
    ])
}
