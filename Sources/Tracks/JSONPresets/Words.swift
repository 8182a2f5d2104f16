/// The words that documents of any service use for what they say of a track.
extension Preset {
  enum Word {
    /// The words for a title that only a track has.
    static let trackTitles: [JSONPath] = [
      "trackName", "track_name", "trackTitle", "track_title", "track", "songName", "song_name", "songTitle",
      "song_title", "song", "recording_name", "recording",
    ]
    /// The words for a title of anything, in the languages of exports.
    static let anyTitles: [JSONPath] = [
      "title", "Title", "TITLE", "['Song title']", "Titel", "titel", "Titre", "titre", "Titolo", "titolo", "['Título']",
      "titulo", "['título']",
    ]
    static let titles: [JSONPath] =
      ["title"] + trackTitles + ["name", "Title", "Track", "TrackName", "Song", "SongName", "Name"]
      + moreTrackTitles + anyTitles.dropFirst(2) + ["NAME"]
    private static let moreTrackTitles: [JSONPath] = [
      "['Track Name']", "['Song Name']", "['Track Title']", "['Song Title']", "trackname", "songname", "tracktitle",
      "['Track name']", "['track-name']", "['track-title']", "TRACKNAME", "SONGNAME", "SONG_NAME", "TRACK_NAME",
      "['@Name']", "['@TITLE']", "['xesam:title']", "media_title", "nowPlayingTrack", "cue_title", "item_title",
      "kMRMediaRemoteNowPlayingInfoTitle", "SongTitle",
    ]
    static let nestedTitles: [JSONPath] = [
      "track.name", "track.title", "song.name", "song.title", "recording.name", "recording.title", "media.title",
      "title[0]", "TITLE[0]",
    ]
    /// The words for a title that some documents have for the number of the track, its id or its address.
    static let doubtfulTitles: Set<JSONPath> = ["track", "song", "recording", "Track", "Song"]
    static let times: [JSONPath] = [
      "lastPlayedAt", "playedAt", "played_at", "listened_at", "listenedAt", "scrobbled_at", "scrobbledAt",
      "lastPlayed", "last_played", "last_played_at", "lastListenedAt", "last_listened_at", "datePlayed", "date_played",
      "timePlayed", "time_played", "playedOn", "played_on", "watched_at", "watchedAt", "viewed_at", "viewedAt",
      "lastViewedAt", "startedAt", "started_at", "timestamp", "ts",
      "time", "playDate", "play_date", "creation_date", "UtcTimestamp", "['Last Played Date']", "['Last Played']",
      "['Played At']", "['Event Start Timestamp']", "['Play Date UTC']", "playedDate", "airdate", "PlayedAt",
      "playedTime", "played_time", "['Played On']", "['played-at']", "nowPlayingTime", "timeMs", "uts",
      "startdatetime", "startTime", "start_time", "starts", "start", "startTimestamp", "metadata.startTimestamp",
      "starttimeutc", "timestamps.start", "airtime", "metadata.timestamp_utc",
      "cue_time_start", "Start", "lastplayed", "lastPlayedDate", "submission_time", "TIMESTAMP", "LAST_PLAYED",
      "['Start Time']", "['last-played']", "['Last played']", "['~#lastplayed']", "lastplaytime", "timeLastPlayed",
      // A track that is playing ends in the future.
      "TagTime", "endTime", "end_time", "endedAt", "ended_at",
    ]
    /// The same in documents of no known service; a service may mean something else, such as the day of a release.
    static let anyTimes: [JSONPath] =
      times + ["played", "listened", "scrobbled", "datetime", "dateTime", "date_time", "date", "Date", "entry_date"]
    static let images: [JSONPath] = [
      "imageURL", "image_url", "image", "imageUrl", "imageUri", "image_uri", "imageSrc", "artwork", "artworkUrl",
      "artworkURL", "artwork_url", "artworkUrl100", "artwork.url", "albumArt", "album_art", "albumArtUrl",
      "album_art_url", "albumart", "albumart_url", "albumImage", "album_image", "cover", "coverUrl", "coverURL",
      "cover_url", "coverImage", "thumbnail", "thumbnailUrl", "thumbnail_url", "thumbnailM", "thumb", "thumb_url",
      "picUrl", "pic",
      "art", "artUrl", "art_url", "icon", "track_cover_url", "item_art_url", "image_url_200x200", "nowPlayingImage",
      "['mpris:artUrl']", "images[0].url", "album.cover_xl", "album.cover", "album.image", "album.imageUrl",
      "album.image_url", "album.images[0].url", "album.coverUrl", "album.picUrl", "albums[0].image",
      "albumOfTrack.coverArt.sources[0].url", "ALBUMIMG", "imageurl",
    ]
    /// The words for the name of an artist; those for the artist of an album come last.
    static let artistNames: [JSONPath] = [
      "artist", "artistName", "artist_name", "primary_artists", "performer", "singer", "artist_credit_name",
      "Artist", "ArtistName", "['Artist Name']", "['Artist Name(s)']", "artistname", "singername", "singerName",
      "SingerName", "artists", "trackArtist", "track_artist", "track_artist_name", "['Track Artist']",
      "['Artist name']", "['Artist Names']", "['artist-name']", "['@Artist']", "['@ARTIST']", "['xesam:artist']",
      "singer_name", "ARTIST", "ARTIST_NAME", "ARTISTNAME", "artistDisplayName", "displayArtist", "display_artist",
      "artist_credit", "artistCredit", "artistsNames", "media_artist", "nowPlayingArtist", "songArtist",
      "song_artist", "songAuthorName", "band_name", "byArtist", "Performer", "ARTISTS",
      "Artists", "interpret", "interpreter", "Interpret", "Artista", "artista", "Artiste", "artiste",
      "kMRMediaRemoteNowPlayingInfoArtist", "artist_names", "['artist(s)_name']", "DisplayArtist", "singers",
      "artistsText",
      "albumArtist", "album_artist", "AlbumArtist", "['Album Artist']",
    ]
    /// The members that hold a list of the track's artists, or its only one.
    static let artistLists: [JSONPath] = [
      "$.artists.items[*]", "$.artists.edges[*].node", "$.artists.nodes[*]", "$.firstArtist.items[*]",
      "$.otherArtists.items[*]", "$.mainArtists[*]", "$.mainArtist[*]", "$.main_artists[*]", "$.artistList[*]",
      "$.artist_list[*]", "$.ARTISTLIST[*]", "$.Artists[*]", "$.singers[*]", "$.singer[*]", "$.artists.primary[*]",
      "$.byArtist[*]",
      "$.beArtist[*]", "$.trackArtists[*]", "$.artistNames[*]", "$.artist_names[*]", "$['xesam:artist'][*]",
      "$.artist_credit[*]", "$['artist-credit'][*]", "$.artist.entry[*]",
    ]
    /// The members of an artist that hold the name, the id and the picture.
    static let names: [JSONPath] = [
      "name", "@", "artistName", "artist_name", "artist", "artist.name", "Name", "title", "profile.name",
      "displayName", "artist_nm", "ARTISTNAME",
    ]
    static let ids: [JSONPath] = ["id", "artistId", "artist_id", "artist.id", "Id", "ID", "ARTISTID", "artistMbId"]
    static let artistImages: [JSONPath] = ["imageURL", "image_url", "image", "imageUrl"]

    /// Words that say that a document is about a track: where it stands, how long it is, when it was played, or what
    /// only a track has.
    static let places: [JSONPath] = [
      "position", "trackNumber", "track_number", "tracknumber", "trackNo", "track_no", "trackIndex", "track_index",
      "trackPosition", "track_position", "discNumber", "disc_number", "diskNumber", "disk_number", "playedAt",
      "played_at", "listened_at", "scrobbled_at", "endTime",
    ]
    static let lengths: [JSONPath] = [
      "duration", "duration_ms", "durationMs", "durationMillis", "duration_seconds", "durationSeconds", "lengthSeconds",
      "length", "length_ms", "lengthMs",
      "msPlayed", "ms_played", "milliseconds", "trackTimeMillis",
    ]
    static let belongings: [JSONPath] =
      trackTitles.filter { $0 != "track" } + moreTrackTitles + [
        "album", "Album", "albumName", "album_name", "albumTitle", "album_title", "isrc", "ISRC", "bpm", "BPM",
        "trackId", "track_id", "songId", "song_id", "lyrics", "tracknum", "Duration", "Length",
      ]
    /// The same in a document that has little else, where a word may be less clear.
    static let evidence: [JSONPath] =
      places + lengths + belongings + [
        "track", "Track", "TrackName", "Song", "SongName", "AlbumTitle", "['Album Title']", "AlbumName", "ALBUM",
        "ALBUMNAME", "albumname", "['Álbum']", "albumId", "albumID", "album_id", "albumid", "release_name",
        "releaseName", "albumArt", "album_art", "albumart", "TrackNumber", "TRACKNUM", "TRACKNUMBER",
        "['Track Number']", "track_num", "trackNum", "Pos", "cue", "offset", "deck", "deckNumber", "durMs",
        "playbackDuration", "songlength", "songLength", "songDuration", "playTime", "play_time", "playtime",
        "PLAYTIME", "total_time", "totalTime", "['Total Time']", "Time", "seconds", "secs", "len", "LENGTH",
        "DURATION", "lengthText", "durationText", "['Duration (ms)']", "track_duration",
        "trackDuration", "trackLength", "totlen", "dt", "interval",
        "trackID", "TrackKey", "songid", "songID", "songmid", "rid", "musicrid", "videoId", "mediaid", "song_link",
        "track_uri", "trackUri", "recording_mbid", "recording_id", "acrid", "peakPos", "weeksOnChart", "weeks_on_chart",
        "streams", "playcount",
        "playCount", "play_count", "plays", "Plays", "['Play Count']", "playedCount", "timesplayed", "listeners",
        "streamable", "preview", "previewUrl", "preview_url", "bitrate", "filename", "file", "filepath", "path",
        "tempo", "explicit", "isPlaying", "isPlayingNow", "is_playing", "playing", "progress", "elapsed",
        "['start time']",
        "fingerprint", "timecode", "syncedLyrics", "audio", "hasLyrics", "lastPlayedAt",
        "lastPlayed", "last_played", "['Last Played']", "listenedAt", "scrobbledAt", "timestamp", "ts", "played",
        "listened", "scrobbled", "airdate", "playDate", "playedDate", "started_at", "startedAt", "Interpret",
        "interpret", "interpreter", "composer", "lyricist", "titreAlbum",
      ]
    /// Words of documents about other things, which those about tracks rarely have without any of ``evidence``.
    static let otherDetails: [JSONPath] = [
      "type", "kind", "category", "Category", "year", "Year", "description", "label", "Label", "genre", "Genre",
      "genres", "country", "releaseDate", "release_date", "['Release Date']", "released", "score", "rating", "Rating",
      "votes", "quantity", "currency", "status", "size", "location", "author", "authors", "members",
      "founded", "instrument", "interviewer", "illustrator", "width", "height", "catalog", "catalog_number",
      "catalogue_number", "catnumber", "formats", "metascore", "userScore", "criticScore", "review", "user", "fee",
      "agent", "order_id", "total", "discs", "object_number", "credit_line", "['Inventory number']",
      "['Media Type']", "about", "bio", "text", "body", "content", "summary", "['Content Type']", "songsnb",
      "start_date", "end_date", "quote", "artistRole", "collection", "department", "condition",
    ]
  }
}
