/// Services whose answers fewer people keep.
extension Preset {
  static let moreServices = [
    listenbrainzMetadata, listenbrainzRecording, audiodb, kkbox, kugou, kugouAuthors, migu, gaana, funkwhale, mixcloud,
    itunesFeed, appleFeed,
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
    artists: [Source("$.album.artist", name: "name", id: ["id"], image: ["images[0].url"])])

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
}
