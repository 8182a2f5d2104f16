/// The built-in presets, one entry each; see "A preset" in CONTRIBUTING.md.
extension Preset {
  /// The presets of this program, in the order in which they are tried: the first that matches counts.
  ///
  /// Answers that are not about one track stand before those whose conditions they would meet too.
  package static let builtIn: [Preset] =
    otherAnswers + services + exports + moreServices + otherThings + generalShapes + lists

  /// The preset with a name.
  package static func named(_ name: String) -> Preset? { builtIn.first { $0.name == name } }

  /// Answers about one track, in the order that decides where several match.
  static let services = [
    musicbrainz, musicbrainzTrack, listenbrainz, deezer, itunes, applemusic, lastfm, lastfmLoved, lastfmName,
    soundcloud, netease,
    jellyfin, ytmusic, jamendo, ytmusicInnertube, spotify, jiosaavn, genius, shazam, tidal, tidalV2, opensubsonic, qq,
    audius, napster, vk, plex, qobuz, beatport, deezerGw, spotifyHistory, bandcamp, yandex, qianqian, namesOnly,
    discogs,
  ]

  private static let musicbrainz = Preset(
    "musicbrainz", "MusicBrainz: a recording", "https://musicbrainz.org/doc/MusicBrainz_API",
    ["$['artist-credit'][*].artist.id"], track: TrackPaths(title: ["title"]),
    artists: [
      Source(
        "$['artist-credit'][*]", name: "artist.name", credited: ["name"], id: ["artist.id"], joinPhrase: "joinphrase")
    ])

  private static let musicbrainzTrack = Preset(
    "musicbrainz-track", "MusicBrainz: a track of a release", "https://musicbrainz.org/doc/MusicBrainz_API",
    ids: "musicbrainz", ["$.recording['artist-credit'][*].artist.id"],
    track: TrackPaths(title: ["title", "recording.title"]),
    artists: [
      Source(
        "$.recording['artist-credit'][*]", name: "artist.name", credited: ["name"], id: ["artist.id"],
        joinPhrase: "joinphrase")
    ])

  private static let listenbrainz = Preset(
    "listenbrainz", "ListenBrainz: a listen", "https://listenbrainz.readthedocs.io/en/latest/users/json.html",
    ids: "musicbrainz", ["$.track_metadata.track_name"],
    track: TrackPaths(title: ["track_metadata.track_name"], played: ["listened_at"]),
    artists: [
      Source(
        "$.track_metadata.mbid_mapping.artists[*]", name: "artist_credit_name", id: ["artist_mbid"],
        joinPhrase: "join_phrase")
    ],
    otherwise: [
      Source("$.track_metadata", name: "artist_name", id: ["additional_info.artist_mbids[0]"]).with {
        $0.names = "additional_info.artist_names[0]"
      },
      Source("$.track_metadata.artist_name[*]", name: "@"),
    ])

  private static let deezer = Preset(
    "deezer", "Deezer: a track", "https://developers.deezer.com/api/track",
    ["$.type == 'track'", "$.artist.name", "$.duration", "$.rank"],
    track: TrackPaths(
      title: ["title"], played: ["timestamp"], image: ["album.cover_xl", "album.cover_big", "album.cover"]),
    artists: [
      Source(
        "$.contributors[*]", name: "name", id: ["id"],
        image: ["picture_xl", "picture_big", "picture_medium", "picture"], role: ["role"])
    ],
    otherwise: [
      Source(
        "$.artist", name: "name", id: ["id"], image: ["picture_xl", "picture_big", "picture_medium", "picture"])
    ]
  ).with { $0.images.ignored = ["/images/artist//"] }

  private static let itunes = Preset(
    "itunes", "iTunes Search API: a song",
    "https://developer.apple.com/library/archive/documentation/AudioVideo/Conceptual/iTuneSearchAPI/",
    ids: "apple", ["$.wrapperType == 'track'", "$.artistName"],
    track: TrackPaths(title: ["trackName"], image: ["artworkUrl100", "artworkUrl60"]),
    artists: [Source("$", name: "artistName", id: ["artistId"])])

  private static let applemusic = Preset(
    "applemusic", "Apple Music API: a song", "https://developer.apple.com/documentation/applemusicapi/songs",
    ids: "apple", ["$.attributes.artistName"],
    track: TrackPaths(title: ["attributes.name"], image: ["attributes.artwork.url"]),
    artists: [
      Source(
        "$", name: "attributes.artistName", id: ["relationships.artists.data[0].id"],
        image: ["relationships.artists.data[0].attributes.artwork.url"])
    ]
  ).with { $0.images.replacements = [.init("{h}", with: "600"), .init("{w}", with: "600")] }

  private static let lastfm = Preset(
    "lastfm", "Last.fm: a scrobble", "https://www.last.fm/api/show/user.getRecentTracks", ids: "musicbrainz",
    ["$.artist['#text']"],
    track: TrackPaths(
      title: ["name", "track['#text']"], played: ["date.uts", "timestamp"], image: ["image[-1]['#text']"]),
    artists: [Source("$.artist", name: "['#text']", id: ["mbid"])]
  ).with { $0.images.ignored = [lastfmStar] }

  // It has the time at which a user began to love it.
  private static let lastfmLoved = Preset(
    "lastfm-loved", "Last.fm: a loved track", "https://www.last.fm/api/show/user.getLovedTracks", ids: "musicbrainz",
    ["$.artist.name", "$.artist.url", "$.url", "$.name", "$.date.uts", "!$.album", "!$.loved"],
    track: TrackPaths(title: ["name"], image: ["image[-1]['#text']"]),
    artists: [Source("$.artist", name: "name", id: ["mbid"])]
  ).with { $0.images.ignored = [lastfmStar] }

  private static let lastfmName = Preset(
    "lastfm-name", "Last.fm: a track", "https://www.last.fm/api/show/track.getInfo", ids: "musicbrainz",
    ["$.artist.name", "$.artist.url", "$.url", "$.name"],
    track: TrackPaths(
      title: ["name"], played: ["date.uts"], image: ["album.image[-1]['#text']", "image[-1]['#text']"]),
    artists: [Source("$.artist", name: "name", id: ["mbid"], image: ["image[-1]['#text']"])]
  ).with { $0.images.ignored = [lastfmStar] }

  /// The name of the picture of a star, which Last.fm has for all that it has no picture of.
  private static let lastfmStar = "2a96cbd8b46e442fc41c2b86b821562f"

  private static let soundcloud = Preset(
    "soundcloud", "SoundCloud: a track", "https://developers.soundcloud.com/docs/api/explorer/open-api",
    ["$.kind == 'track'", "$.user.username"], track: TrackPaths(title: ["title"], image: ["artwork_url"]),
    artists: [Source("$.user", name: "username", id: ["id"], image: ["avatar_url"])]
  ).with { $0.images.ignored = ["/images/default_avatar"] }

  private static let netease = Preset(
    "netease", "NetEase Cloud Music: a song", "https://github.com/Binaryify/NeteaseCloudMusicApi",
    ["$.ar[*].name", "$.al"], track: TrackPaths(title: ["name"], image: ["al.picUrl"]),
    artists: [Source("$.ar[*]", name: "name", id: ["id"], image: ["picUrl", "img1v1Url"])])

  private static let jellyfin = Preset(
    "jellyfin", "Jellyfin and Emby: an item", "https://api.jellyfin.org", ["$.Type == 'Audio'", "$.ArtistItems"],
    track: TrackPaths(title: ["Name"], played: ["UserData.LastPlayedDate"]),
    artists: [Source("$.ArtistItems[*]", name: "Name", id: ["Id"])])

  private static let ytmusic = Preset(
    "ytmusic", "YouTube Music: a track of ytmusicapi", "https://ytmusicapi.readthedocs.io", ids: "youtube",
    ["$.videoId", "$.artists"], track: TrackPaths(title: ["title"], image: ["thumbnails[-1].url"]),
    artists: [Source("$.artists[*]", name: "name", id: ["id"])]
  ).with { $0.trimsNames = true }

  private static let jamendo = Preset(
    "jamendo", "Jamendo: a track", "https://developer.jamendo.com/v3.0/tracks", ["$.artist_idstr"],
    track: TrackPaths(title: ["name"], image: ["image", "album_image"]),
    artists: [Source("$", name: "artist_name", id: ["artist_id"])])

  private static let ytmusicInnertube = Preset(
    "ytmusic-innertube", "YouTube Music: a raw list item", "https://github.com/sigma67/ytmusicapi", ids: "youtube",
    ["$.flexColumns"],
    artists: [
      Source(
        """
        $.flexColumns[*].musicResponsiveListItemFlexColumnRenderer.text.runs[?@.navigationEndpoint.browseEndpoint\
        .browseEndpointContextSupportedConfigs.browseEndpointContextMusicConfig.pageType == 'MUSIC_PAGE_TYPE_ARTIST']
        """,
        name: "text", id: ["navigationEndpoint.browseEndpoint.browseId"])
    ]
  ).with { $0.trimsNames = true }

  private static let spotify = Preset(
    "spotify", "Spotify Web API: a track", "https://developer.spotify.com/documentation/web-api/reference/get-track",
    ["$.type == 'track'", "$.artists[*].uri"], track: TrackPaths(title: ["name"], image: ["album.images[0].url"]),
    artists: [Source("$.artists[*]", name: "name", id: ["id"], image: ["images[0].url"])])

  private static let jiosaavn = Preset(
    "jiosaavn", "JioSaavn: a song", "https://github.com/sumitkolhe/jiosaavn-api", ["$.more_info.artistMap"],
    track: TrackPaths(title: ["title"], image: ["image"]),
    artists: [
      Source("$.more_info.artistMap.primary_artists[*]", name: "name", id: ["id"], image: ["image"], role: ["role"]),
      Source(
        "$.more_info.artistMap.featured_artists[*]", name: "name", id: ["id"], image: ["image"], role: ["role"],
        fixedRole: .featured),
    ]
  ).with {
    $0.hasEntities = true
    $0.trimsNames = true
    $0.images.ignored = ["/artist-default-", "/share-image"]
  }

  private static let genius = Preset(
    "genius", "Genius: a song", "https://docs.genius.com", ["$.primary_artist.name"],
    track: TrackPaths(title: ["title"], image: ["song_art_image_url"]),
    artists: [
      Source("$.primary_artist", name: "name", id: ["id"], image: ["image_url"], fixedRole: .main),
      Source("$.featured_artists[*]", name: "name", id: ["id"], image: ["image_url"], fixedRole: .featured),
    ]
  ).with {
    $0.trimsNames = true
    $0.images.ignored = ["/default_avatar_"]
  }

  private static let shazam = Preset(
    "shazam", "Shazam: a match", "https://github.com/shazamio/ShazamIO", ids: "apple",
    ["$.type == 'MUSIC'", "$.subtitle"], track: TrackPaths(title: ["title"], image: ["images.coverart"]),
    artists: [Source("$", name: "subtitle", id: ["artists[0].adamid"], image: ["images.background"])])

  private static let tidal = Preset(
    "tidal", "TIDAL: a track of the first API", "https://tidalapi.netlify.app",
    ["$.audioQuality", "$.artists[*].name"], track: TrackPaths(title: ["title"], image: ["album.cover"]),
    artists: [Source("$.artists[*]", name: "name", id: ["id"], image: ["picture"], role: ["type"])]
  ).with {
    $0.images.format = "https://resources.tidal.com/images/{}/750x750.jpg"
    $0.images.replacements = [.init("-", with: "/")]
  }

  private static let tidalV2 = Preset(
    "tidal-v2", "TIDAL: a track of the JSON:API", "https://developer.tidal.com/documentation/api", ids: "tidal",
    ["$.data.type == 'tracks'", "$.data.relationships.artists.data[*].id"],
    track: TrackPaths(title: ["data.attributes.title"]),
    artists: [Source("$.included[?@.type == 'artists']", name: "attributes.name", id: ["id"])])

  private static let opensubsonic = Preset(
    "opensubsonic", "Subsonic and OpenSubsonic: a child", "https://opensubsonic.netlify.app/docs/responses/child/",
    ["$.isDir", "$.title"], track: TrackPaths(title: ["title"], played: ["played"]),
    artists: [Source("$.artists[*]", name: "name", id: ["id"])],
    otherwise: [Source("$", name: "artist", "displayArtist", id: ["artistId"])])

  private static let qq = Preset(
    "qq", "QQ Music: a song", "https://github.com/jsososo/QQMusicApi", ["$.singer[*].mid"],
    track: TrackPaths(title: ["name", "title", "songname"]),
    artists: [Source("$.singer[*]", name: "name", "title", id: ["mid"])])

  private static let audius = Preset(
    "audius", "Audius: a track", "https://docs.audius.org/developers/api",
    ["$.user.handle", "!$.playlist_name", "!$.playlist_contents"],
    track: TrackPaths(title: ["title"], image: ["artwork['1000x1000']", "artwork['480x480']"]),
    artists: [
      Source(
        "$.user", name: "name", id: ["id"],
        image: ["profile_picture['1000x1000']", "profile_picture['480x480']", "profile_picture['150x150']"])
    ])

  private static let napster = Preset(
    "napster", "Napster: a track", "https://developer.prod.napster.com/api/v2.2",
    ["$.type == 'track'", "$.artistName", "$.contributors.primaryArtist"], track: TrackPaths(title: ["name"]),
    artists: [Source("$", name: "artistName", id: ["artistId"])])

  private static let vk = Preset(
    "vk", "VK: an audio", "https://dev.vk.com/en/reference/objects/audio", ["$.owner_id", "$.artist", "$.title"],
    track: TrackPaths(title: ["title"]),
    artists: [
      Source("$.main_artists[*]", name: "name", id: ["id"], fixedRole: .main),
      Source("$.featured_artists[*]", name: "name", id: ["id"], fixedRole: .featured),
    ],
    otherwise: [Source("$", name: "artist")])

  private static let plex = Preset(
    "plex", "Plex: a track", "https://developer.plex.tv/pms/", ["$.type == 'track'", "$.grandparentTitle"],
    track: TrackPaths(title: ["title"], played: ["lastViewedAt", "viewedAt"]),
    artists: [Source("$", name: "originalTitle", "grandparentTitle", image: ["grandparentThumb"])])

  private static let qobuz = Preset(
    "qobuz", "Qobuz: a track", "https://github.com/Qobuz/api-documentation", ["$.performer.name", "!$['@type']"],
    track: TrackPaths(
      title: Word.titles + Word.nestedTitles, played: Word.times, image: ["album.image.large"]),
    artists: [Source("$.performer", name: "name", id: ["id"])])

  private static let beatport = Preset(
    "beatport", "Beatport: a track", "https://api.beatport.com/v4/docs/", ["$.artists[*].name", "$.remixers"],
    track: TrackPaths(title: ["name"]),
    artists: [
      Source("$.artists[*]", name: "name", id: ["id"], image: ["image.uri"], fixedRole: .main),
      Source("$.remixers[*]", name: "name", id: ["id"], image: ["image.uri"], fixedRole: .remixer),
    ])

  private static let deezerGw = Preset(
    "deezer-gw", "Deezer: a song of the private API", "https://github.com/An0nimia/deezloader", ids: "deezer",
    ["$.SNG_ID", "$.ART_NAME"], track: TrackPaths(title: ["SNG_TITLE"]),
    artists: [
      Source("$.ARTISTS[*]", name: "ART_NAME", id: ["ART_ID"], image: ["ART_PICTURE"], role: ["ROLE_ID"])
    ],
    otherwise: [Source("$", name: "ART_NAME", id: ["ART_ID"], image: ["ART_PICTURE"])]
  ).with {
    $0.roles = ["0": .main, "5": .featured]
    $0.images.format = "https://e-cdns-images.dzcdn.net/images/artist/{}/1000x1000-000000-80-0-0.jpg"
  }

  private static let spotifyHistory = Preset(
    "spotify-history", "Spotify: extended streaming history",
    "https://support.spotify.com/article/understanding-my-data/", ids: "spotify",
    ["$.master_metadata_track_name"], track: TrackPaths(title: ["master_metadata_track_name"], played: ["ts"]),
    artists: [Source("$", name: "master_metadata_album_artist_name")])

  private static let bandcamp = Preset(
    "bandcamp", "Bandcamp: a track", "https://bandcamp.com/developer", ["$.artist.name", "$.streaming_url"],
    track: TrackPaths(title: ["title"]),
    artists: [Source("$.artist", name: "name", id: ["id"], image: ["image_url"])])

  private static let yandex = Preset(
    "yandex", "Yandex Music: a track", "https://yandex-music.readthedocs.io",
    ["$.artists[*].name", "$.albums", "$.title"], track: TrackPaths(title: ["title"], image: ["coverUri"]),
    artists: [Source("$.artists[*]", name: "name", id: ["id"], image: ["cover.uri"])]
  ).with {
    $0.images.format = "https://{}"
    $0.images.replacements = [.init("%%", with: "400x400")]
  }

  private static let qianqian = Preset(
    "qianqian", "Qianqian Music: a song", "https://music.91q.com", ["$.ting_uid", "$.author"],
    track: TrackPaths(title: ["title"]),
    artists: [Source("$", name: "author", id: ["artist_id"])])

  private static let namesOnly = Preset(
    "names-only", "A list of names", "https://github.com/topics/now-playing", ["$.artistNames"],
    track: TrackPaths(title: Word.titles, played: Word.times, image: Word.images),
    artists: [Source("$.artistNames[*]", name: "@")])

  private static let discogs = Preset(
    "discogs", "Discogs: a track of a release", "https://www.discogs.com/developers",
    [
      "$.position", "$.duration", "$.title", "$.type_ || $.artists[*].name", "!$.artist", "!$.type", "!$.rank", "!$.id",
    ], track: TrackPaths(title: ["title"]),
    artists: [Source("$.artists[*]", name: "name", credited: ["anv"], id: ["id"], image: ["thumbnail_url"])])
}
