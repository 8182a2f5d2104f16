/// Services whose answers fewer people keep.
extension Preset {
  static let moreServices = [
    listenbrainzMetadata, listenbrainzRecording, audiodb, kkbox, kugou, kugouAuthors, migu, gaana, funkwhale, mixcloud,
    itunesFeed, appleFeed, acoustid, ytDlp, mediainfo, homeAssistant, roon, bbc, tiktok, ccmixter, alexa,
    youtubeLibrary, fip, nrk, aniSongDB, vagalume, cifraClub, lavalink, youtubeMusicDesktop, fiveSing, discord,
    joox, soundExchange, lanyard, webScrobbler, fipLive, bauer, wikidata, bandcampPage, beatSaber,
  ]

  private static let listenbrainzMetadata = Preset(
    "listenbrainz-metadata", "ListenBrainz: metadata of a recording", "https://listenbrainz.readthedocs.io",
    ids: "musicbrainz", ["$.artist.artists[*].artist_mbid", "$.recording"],
    track: TrackPaths(title: ["recording.name"]),
    artists: [
      Source("$.artist.artists[*]", name: "name", "artist_credit_name", id: ["artist_mbid"], joinPhrase: "join_phrase")
    ])

  private static let listenbrainzRecording = Preset(
    "listenbrainz-recording", "ListenBrainz: a recording of statistics, popularity or a look-up",
    "https://listenbrainz.readthedocs.io", ids: "musicbrainz",
    [
      "$.recording_mbid || $.recording_name || $.recording_msid", "$.artist_name || $.artist_credit_name",
      "$.track_name || $.recording_name",
    ],
    track: TrackPaths(title: ["track_name", "recording_name"]),
    artists: [
      Source("$.artists[*]", name: "artist_credit_name", id: ["artist_mbid"], joinPhrase: "join_phrase")
    ],
    otherwise: [
      Source("$", name: "artist_name", "artist_credit_name", id: ["artist_mbids[0]"]),
      Source("$.artist_name[*]", name: "@"),
    ]
  )

  private static let audiodb = Preset(
    "audiodb", "TheAudioDB: a track", "https://www.theaudiodb.com/free_music_api", ["$.strTrack", "$.strArtist"],
    track: TrackPaths(title: ["strTrack"], image: ["strTrackThumb"]),
    artists: [Source("$", name: "strArtist", id: ["idArtist"])])

  private static let kkbox = Preset(
    "kkbox", "KKBOX: a track", "https://docs-en.kkbox.codes",
    ["$.available_territories", "$.album.artist.name", "$.name"],
    track: TrackPaths(title: ["name"], image: ["album.images[0].url"]),
    artists: [Source("$.artist", name: "name", id: ["id"], image: ["images[0].url"])],
    otherwise: [Source("$.album.artist", name: "name", id: ["id"], image: ["images[0].url"])])

  private static let kugou = Preset(
    "kugou", "Kugou: a song", "https://github.com/MakcRe/KuGouMusicApi",
    [
      "$.SongName || $.songname || $.audio_name || $.OriSongName", "$.SingerName || $.singername || $.Singers[*]",
      "$.FileHash || $.hash || $.filename || $.FileName",
    ],
    track: TrackPaths(title: ["OriSongName", "SongName", "songname", "audio_name"]),
    artists: [Source("$.Singers[*]", name: "name", id: ["id"])],
    otherwise: [Source("$", name: "SingerName", "singername")])

  private static let kugouAuthors = Preset(
    "kugou-authors", "Kugou: a song with its authors", "https://github.com/MakcRe/KuGouMusicApi", ids: "kugou",
    ["$.authors[*].author_name", "$.author_name"], track: TrackPaths(title: ["song_name", "songname", "audio_name"]),
    artists: [Source("$.authors[*]", name: "author_name", id: ["author_id"], image: ["avatar"])])

  private static let migu = Preset(
    "migu", "Migu: a song", "https://github.com/jsososo/MiguMusicApi",
    [
      "$.singers[*].name || $.singerName", "$.songName || $.name || $.title",
      "$.copyrightId || $.contentId || $.cid || $.songId",
    ],
    track: TrackPaths(title: ["songName", "name", "title"]),
    artists: [Source("$.singers[*]", name: "name", id: ["id"])],
    otherwise: [Source("$", name: "singerName", "singer", id: ["singerId"])])

  private static let gaana = Preset(
    "gaana", "Gaana: a track", "https://gaana.com", ["$.track_title", "$.artist[*].name"],
    track: TrackPaths(title: ["track_title"], image: ["artwork_large", "artwork"]),
    artists: [Source("$.artist[*]", name: "name", id: ["artist_id"]).with { $0.isOnlyArray = true }])

  private static let funkwhale = Preset(
    "funkwhale", "Funkwhale: a track", "https://docs.funkwhale.audio",
    ["$.fid", "$.title", "$.artist_credit[*].artist.name"],
    track: TrackPaths(title: ["title"]),
    artists: [
      Source(
        "$.artist_credit[*]", name: "artist.name", credited: ["credit"], id: ["artist.id"], joinPhrase: "joinphrase")
    ])

  private static let mixcloud = Preset(
    "mixcloud", "Mixcloud: a cloudcast", "https://www.mixcloud.com/developers/",
    ["$.audio_length", "$.user.username", "$.name"],
    track: TrackPaths(title: ["name"], image: ["pictures.extra_large", "pictures.large"]),
    artists: [
      Source("$.user", name: "name", "username", id: ["username"], image: ["pictures.extra_large", "pictures.large"])
    ])

  private static let itunesFeed = Preset(
    "itunes-feed", "iTunes: a song of an RSS feed", "https://rss.itunes.apple.com", ids: "apple",
    ["$['im:artist'].label", "$['im:name'].label"],
    track: TrackPaths(title: ["['im:name'].label"], image: ["['im:image'][-1].label"]),
    artists: [Source("$", name: "['im:artist'].label")])

  private static let appleFeed = Preset(
    "apple-feed", "Apple: a song of an RSS feed", "https://rss.applemarketingtools.com", ids: "apple",
    ["$.kind == 'songs'", "$.artistName", "$.name"], track: TrackPaths(title: ["name"], image: ["artworkUrl100"]),
    artists: [Source("$", name: "artistName", id: ["artistId"])])

  private static let acoustid = Preset(
    "acoustid", "AcoustID: a look-up", "https://acoustid.org/webservice", ids: "musicbrainz",
    ["$.results[0].recordings[0].artists[*].name"],
    track: TrackPaths(title: ["results[0].recordings[0].title"]),
    artists: [Source("$.results[0].recordings[0].artists[*]", name: "name", id: ["id"], joinPhrase: "joinphrase")])

  // Without both it is any video.
  private static let ytDlp = Preset(
    "yt-dlp", "yt-dlp: a file of a song", "https://github.com/yt-dlp/yt-dlp", ids: "",
    ["$.extractor", "$.track", "$.artist || $.artists[*]"],
    track: TrackPaths(title: ["track"], image: ["thumbnail"]), artists: [Source("$.artists[*]", name: "@")],
    otherwise: [Source("$", name: "artist")])

  private static let mediainfo = Preset(
    "mediainfo", "MediaInfo: a file", "https://mediaarea.net/MediaInfo", ids: "",
    ["$.media.track[0].Performer", "$.media.track[0].Title || $.media.track[0].Track"],
    track: TrackPaths(title: ["media.track[0].Title", "media.track[0].Track"]),
    artists: [Source("$.media.track[0]", name: "Performer")])

  private static let homeAssistant = Preset(
    "home-assistant", "Home Assistant: a media player", "https://www.home-assistant.io/integrations/media_player/",
    ids: "", ["$.attributes.media_title", "$.attributes.media_artist"],
    track: TrackPaths(title: ["attributes.media_title"], played: ["last_changed"]),
    artists: [Source("$.attributes", name: "media_artist")])

  private static let roon = Preset(
    "roon", "Roon: what a zone plays", "https://github.com/RoonLabs/node-roon-api", ids: "",
    ["$.three_line.line1", "$.three_line.line2"], track: TrackPaths(title: ["three_line.line1"]),
    artists: [Source("$.artists[*]", name: "@")], otherwise: [Source("$.three_line", name: "line2")])

  private static let bbc = Preset(
    "bbc", "BBC: a piece of music of a programme", "https://www.bbc.co.uk/sounds", ids: "",
    ["$.segment_type == 'music'", "$.titles.primary", "$.titles.secondary"],
    track: TrackPaths(title: ["titles.secondary"], image: ["image_url"]),
    artists: [Source("$.titles", name: "primary")]
  ).with { $0.images.replacements = [.init("{recipe}", with: "640x640")] }

  private static let tiktok = Preset(
    "tiktok", "TikTok: the music of a video", "https://developers.tiktok.com", ids: "",
    ["$.authorName", "$.title", "$.playUrl"],
    track: TrackPaths(title: ["title"], image: ["coverLarge", "coverMedium"]),
    artists: [Source("$", name: "authorName")])

  private static let ccmixter = Preset(
    "ccmixter", "ccMixter: an upload", "http://ccmixter.org/query-api",
    ["$.upload_id", "$.upload_name", "$.user_name"],
    track: TrackPaths(title: ["upload_name"]),
    artists: [Source("$", name: "user_real_name", "user_name", id: ["user_name"])])

  private static let alexa = Preset(
    "alexa", "Alexa: what a device plays", "https://github.com/alandtse/alexa_media_player", ids: "",
    ["$.playerInfo.infoText.title", "$.playerInfo.infoText.subText1"],
    track: TrackPaths(title: ["playerInfo.infoText.title"], image: ["playerInfo.mainArt.url"]),
    artists: [Source("$.playerInfo.infoText", name: "subText1")])

  private static let youtubeLibrary = Preset(
    "youtube-library", "YouTube Music: a song of the library, of Google Takeout", "https://takeout.google.com",
    ids: "youtube", ["$['Song Title']", "$['Artist Name 1']"], track: TrackPaths(title: ["['Song Title']"]),
    artists: (1...6).map { Source("$", names: [JSONPath(steps: [.member("Artist Name \($0)")])]) })

  private static let fip = Preset(
    "fip", "FIP: a song of a station of Radio France", "https://www.radiofrance.fr/fip", ids: "",
    ["$.embedType == 'song'", "$.authors", "$.title"],
    track: TrackPaths(title: ["title"], played: ["start"], image: ["visual"]), artists: [Source("$", name: "authors")])

  private static let nrk = Preset(
    "nrk", "NRK: music on the air", "https://psapi.nrk.no", ids: "",
    ["$.type == 'Music'", "$.title", "$.description"],
    track: TrackPaths(title: ["title"], played: ["startTime"], image: ["imageUrl"]),
    artists: [Source("$", name: "description")])

  // Its `artists` are people with all their names.
  private static let aniSongDB = Preset(
    "anisongdb", "AniSongDB: a song of an anime", "https://anisongdb.com", ids: "",
    ["$.songName", "$.songArtist", "$.annId || $.annSongId || $.animeENName || $.animeJPName"],
    track: TrackPaths(title: ["songName"]), artists: [Source("$", name: "songArtist")])

  private static let vagalume = Preset(
    "vagalume", "Vagalume: the words of a song", "https://api.vagalume.com.br", ["$.art.name", "$.mus[*].name"],
    track: TrackPaths(title: ["mus[0].name"]), artists: [Source("$.art", name: "name", id: ["id"])])

  private static let cifraClub = Preset(
    "cifraclub", "Cifra Club: the chords of a song", "https://www.cifraclub.com.br", ids: "",
    ["$.cifraclub_url", "$.name", "$.artist"], track: TrackPaths(title: ["name"]),
    artists: [Source("$", name: "artist")])

  private static let lavalink = Preset(
    "lavalink", "Lavalink: a track", "https://lavalink.dev/api/rest", ids: "",
    ["$.author", "$.title", "$.identifier", "$.isStream || $.isSeekable"],
    track: TrackPaths(title: ["title"], image: ["artworkUrl"]), artists: [Source("$", name: "author")]
  ).with { $0.nameFormats = ["{} - Topic"] }

  private static let youtubeMusicDesktop = Preset(
    "youtube-music-desktop", "YouTube Music Desktop: what it plays", "https://github.com/ytmdesktop/ytmdesktop",
    ids: "youtube", ["$.video.author", "$.video.title", "$.player"],
    track: TrackPaths(title: ["video.title"], image: ["video.thumbnails[-1].url"]),
    artists: [Source("$.video", name: "author", id: ["channelId"])]
  ).with { $0.nameFormats = ["{} - Topic"] }

  private static let joox = Preset(
    "joox", "JOOX: a song", "https://www.joox.com", ["$.msong", "$.msinger"],
    track: TrackPaths(title: ["msong"], image: ["imgSrc"]), artists: [Source("$", name: "msinger", id: ["msingerid"])])

  private static let soundExchange = Preset(
    "soundexchange", "SoundExchange and The MLC: a recording", "https://isrc.soundexchange.com", ids: "",
    ["$.recordingTitle", "$.recordingArtistName || $.recordingDisplayArtistName"],
    track: TrackPaths(title: ["recordingTitle"]),
    artists: [Source("$", name: "recordingArtistName", "recordingDisplayArtistName")])

  private static let lanyard = Preset(
    "lanyard", "Lanyard: what Spotify plays for a member of Discord", "https://github.com/Phineas/lanyard",
    ids: "", ["$.data.spotify.song", "$.data.spotify.artist"],
    track: TrackPaths(
      title: ["data.spotify.song"], played: ["data.spotify.timestamps.start"], image: ["data.spotify.album_art_url"]),
    artists: [Source("$.data.spotify", name: "artist")])

  private static let webScrobbler = Preset(
    "web-scrobbler", "Web Scrobbler: a notification", "https://github.com/web-scrobbler/web-scrobbler", ids: "",
    ["$.eventName", "$.data.songs[0].parsed.artist || $.data.song.parsed.artist"],
    track: TrackPaths(
      title: [
        "data.songs[0].processed.track", "data.song.processed.track", "data.songs[0].parsed.track",
        "data.song.parsed.track",
      ], played: ["data.songs[0].metadata.startTimestamp", "data.song.metadata.startTimestamp", "time"]),
    artists: [
      Source("$.data.songs[0].processed", name: "artist"), Source("$.data.song.processed", name: "artist"),
    ],
    otherwise: [Source("$.data.songs[0].parsed", name: "artist"), Source("$.data.song.parsed", name: "artist")])

  private static let fipLive = Preset(
    "fip-live", "FIP: what is on the air", "https://www.radiofrance.fr/fip", ids: "",
    ["$.firstLine.title", "$.secondLine.title"],
    track: TrackPaths(title: ["firstLine.title"], played: ["startTime"]),
    artists: [Source("$.secondLine", name: "title")])

  private static let bauer = Preset(
    "bauer", "Bauer Media: a song on the air", "https://listenapi.planetradio.co.uk", ids: "",
    ["$.TrackTitle", "$.ArtistName", "$.EventStart || $.EventTimestamp || $.TrackDuration"],
    track: TrackPaths(title: ["TrackTitle"], played: ["EventTimestamp", "EventStart"], image: ["ImageUrl"]),
    artists: [Source("$", name: "ArtistName")])

  private static let wikidata = Preset(
    "wikidata", "Wikidata: a song of a query", "https://query.wikidata.org", ids: "",
    ["$.performerLabel.value || $.artistLabel.value", "$.itemLabel.value || $.songLabel.value || $.titleLabel.value"],
    track: TrackPaths(title: ["itemLabel.value", "songLabel.value", "titleLabel.value"]),
    artists: [Source("$", name: "performerLabel.value", "artistLabel.value")])

  private static let bandcampPage = Preset(
    "bandcamp-page", "Bandcamp: the page of a track", "https://bandcamp.com", ids: "",
    ["$.current.type == 'track'", "$.current.title", "$.artist"],
    track: TrackPaths(title: ["current.title"]), artists: [Source("$", name: "artist")])

  private static let beatSaber = Preset(
    "beat-saber", "Beat Saber: a song of a level", "https://bsmg.wiki/mapping/map-format/info.html", ids: "",
    ["$._songName", "$._songAuthorName"], track: TrackPaths(title: ["_songName"]),
    artists: [Source("$", name: "_songAuthorName")])

  private static let fiveSing = Preset(
    "5sing", "5sing: a song", "http://5sing.kugou.com", ["$.SN", "$.SW", "$.SK"],
    track: TrackPaths(title: ["SN"]), artists: [Source("$", name: "SW")])

  private static let discord = Preset(
    "discord", "Discord: what Spotify plays for a member", "https://discord.com/developers/docs/events/gateway-events",
    ids: "", ["$.sync_id", "$.details", "$.state"],
    track: TrackPaths(title: ["details"], played: ["timestamps.start"]), artists: [Source("$", name: "state")])
}
