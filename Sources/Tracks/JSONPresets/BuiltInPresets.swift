extension Preset {
  /// The presets of this program, in the order in which they are tried: the first that matches counts.
  ///
  /// Answers that are not about one track stand before those whose conditions they would meet too.
  package static let builtIn: [Preset] = otherAnswers + tracks.map(\.withTrackPaths) + lists

  /// The preset with a name.
  package static func named(_ name: String) -> Preset? { builtIn.first { $0.name == name } }

  private static let tracks: [Preset] = [
    Preset(
      "musicbrainz", "MusicBrainz: a recording", "https://musicbrainz.org/doc/MusicBrainz_API",
      ["$['artist-credit'][*].artist.id"],
      artists: [
        Source(
          "$['artist-credit'][*]", name: "artist.name", credited: ["name"], id: ["artist.id"], joinPhrase: "joinphrase")
      ]),
    Preset(
      "musicbrainz-track", "MusicBrainz: a track of a release", "https://musicbrainz.org/doc/MusicBrainz_API",
      ids: "musicbrainz", ["$.recording['artist-credit'][*].artist.id"],
      artists: [
        Source(
          "$.recording['artist-credit'][*]", name: "artist.name", credited: ["name"], id: ["artist.id"],
          joinPhrase: "joinphrase")
      ]),
    Preset(
      "listenbrainz", "ListenBrainz: a listen", "https://listenbrainz.readthedocs.io/en/latest/users/json.html",
      ids: "musicbrainz", ["$.track_metadata.track_name"],
      artists: [
        Source(
          "$.track_metadata.mbid_mapping.artists[*]", name: "artist_credit_name", id: ["artist_mbid"],
          joinPhrase: "join_phrase")
      ],
      otherwise: [
        Source("$.track_metadata", name: "artist_name", id: ["additional_info.artist_mbids[0]"]),
        Source("$.track_metadata.artist_name[*]", name: "@"),
      ]),
    Preset(
      "deezer", "Deezer: a track", "https://developers.deezer.com/api/track",
      ["$.type == 'track'", "$.artist.name", "$.duration", "$.rank"],
      artists: [
        Source(
          "$.contributors[*]", name: "name", id: ["id"],
          image: ["picture_xl", "picture_big", "picture_medium", "picture"], role: ["role"])
      ],
      otherwise: [
        Source(
          "$.artist", name: "name", id: ["id"], image: ["picture_xl", "picture_big", "picture_medium", "picture"])
      ]
    ).with { $0.images.ignored = ["/images/artist//"] },
    Preset(
      "itunes", "iTunes Search API: a song",
      "https://developer.apple.com/library/archive/documentation/AudioVideo/Conceptual/iTuneSearchAPI/",
      ids: "apple", ["$.wrapperType == 'track'", "$.artistName"],
      artists: [Source("$", name: "artistName", id: ["artistId"])]),
    Preset(
      "applemusic", "Apple Music API: a song", "https://developer.apple.com/documentation/applemusicapi/songs",
      ids: "apple", ["$.attributes.artistName"],
      artists: [
        Source(
          "$", name: "attributes.artistName", id: ["relationships.artists.data[0].id"],
          image: ["relationships.artists.data[0].attributes.artwork.url"])
      ]
    ).with { $0.images.replacements = [.init("{h}", with: "600"), .init("{w}", with: "600")] },
    Preset(
      "lastfm", "Last.fm: a scrobble", "https://www.last.fm/api/show/user.getRecentTracks", ids: "musicbrainz",
      ["$.artist['#text']"], artists: [Source("$.artist", name: "['#text']", id: ["mbid"])]),
    Preset(
      "lastfm-name", "Last.fm: a track", "https://www.last.fm/api/show/track.getInfo", ids: "musicbrainz",
      ["$.artist.name", "$.artist.url", "$.url", "$.name"],
      artists: [Source("$.artist", name: "name", id: ["mbid"], image: ["image[-1]['#text']"])]
    ).with { $0.images.ignored = ["2a96cbd8b46e442fc41c2b86b821562f"] },
    Preset(
      "soundcloud", "SoundCloud: a track", "https://developers.soundcloud.com/docs/api/explorer/open-api",
      ["$.kind == 'track'", "$.user.username"],
      artists: [Source("$.user", name: "username", id: ["id"], image: ["avatar_url"])]
    ).with { $0.images.ignored = ["/images/default_avatar"] },
    Preset(
      "netease", "NetEase Cloud Music: a song", "https://github.com/Binaryify/NeteaseCloudMusicApi",
      ["$.ar[*].name", "$.al"], artists: [Source("$.ar[*]", name: "name", id: ["id"], image: ["picUrl", "img1v1Url"])]),
    Preset(
      "jellyfin", "Jellyfin and Emby: an item", "https://api.jellyfin.org", ["$.Type == 'Audio'", "$.ArtistItems"],
      artists: [Source("$.ArtistItems[*]", name: "Name", id: ["Id"])]),
    Preset(
      "ytmusic", "YouTube Music: a track of ytmusicapi", "https://ytmusicapi.readthedocs.io", ids: "youtube",
      ["$.videoId", "$.artists"], artists: [Source("$.artists[*]", name: "name", id: ["id"])]
    ).with { $0.trimsNames = true },
    Preset(
      "jamendo", "Jamendo: a track", "https://developer.jamendo.com/v3.0/tracks", ["$.artist_idstr"],
      artists: [Source("$", name: "artist_name", id: ["artist_id"])]),
    Preset(
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
    ).with { $0.trimsNames = true },
    Preset(
      "spotify", "Spotify Web API: a track", "https://developer.spotify.com/documentation/web-api/reference/get-track",
      ["$.type == 'track'", "$.artists[*].uri"],
      artists: [Source("$.artists[*]", name: "name", id: ["id"], image: ["images[0].url"])]),
    Preset(
      "jiosaavn", "JioSaavn: a song", "https://github.com/sumitkolhe/jiosaavn-api", ["$.more_info.artistMap"],
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
    },
    Preset(
      "genius", "Genius: a song", "https://docs.genius.com", ["$.primary_artist.name"],
      artists: [
        Source("$.primary_artist", name: "name", id: ["id"], image: ["image_url"], fixedRole: .main),
        Source("$.featured_artists[*]", name: "name", id: ["id"], image: ["image_url"], fixedRole: .featured),
      ]
    ).with {
      $0.trimsNames = true
      $0.images.ignored = ["/default_avatar_"]
    },
    Preset(
      "shazam", "Shazam: a match", "https://github.com/shazamio/ShazamIO", ids: "apple",
      ["$.type == 'MUSIC'", "$.subtitle"],
      artists: [Source("$", name: "subtitle", id: ["artists[0].adamid"], image: ["images.background"])]),
    Preset(
      "tidal", "TIDAL: a track of the first API", "https://tidalapi.netlify.app",
      ["$.audioQuality", "$.artists[*].name"],
      artists: [Source("$.artists[*]", name: "name", id: ["id"], image: ["picture"], role: ["type"])]
    ).with {
      $0.images.format = "https://resources.tidal.com/images/{}/750x750.jpg"
      $0.images.replacements = [.init("-", with: "/")]
    },
    Preset(
      "tidal-v2", "TIDAL: a track of the JSON:API", "https://developer.tidal.com/documentation/api", ids: "tidal",
      ["$.data.type == 'tracks'", "$.data.relationships.artists.data[*].id"],
      artists: [Source("$.included[?@.type == 'artists']", name: "attributes.name", id: ["id"])]),
    Preset(
      "opensubsonic", "Subsonic and OpenSubsonic: a child", "https://opensubsonic.netlify.app/docs/responses/child/",
      ["$.isDir", "$.title"], artists: [Source("$.artists[*]", name: "name", id: ["id"])],
      otherwise: [Source("$", name: "artist", "displayArtist", id: ["artistId"])]),
    Preset(
      "qq", "QQ Music: a song", "https://github.com/jsososo/QQMusicApi", ["$.singer[*].mid"],
      artists: [Source("$.singer[*]", name: "name", "title", id: ["mid"])]),
    Preset(
      "audius", "Audius: a track", "https://docs.audius.org/developers/api", ["$.user.handle"],
      artists: [
        Source(
          "$.user", name: "name", id: ["id"],
          image: ["profile_picture['1000x1000']", "profile_picture['480x480']", "profile_picture['150x150']"])
      ]),
    Preset(
      "napster", "Napster: a track", "https://developer.prod.napster.com/api/v2.2",
      ["$.type == 'track'", "$.artistName", "$.contributors.primaryArtist"],
      artists: [Source("$", name: "artistName", id: ["artistId"])]),
    Preset(
      "vk", "VK: an audio", "https://dev.vk.com/en/reference/objects/audio", ["$.owner_id", "$.artist", "$.title"],
      artists: [
        Source("$.main_artists[*]", name: "name", id: ["id"], fixedRole: .main),
        Source("$.featured_artists[*]", name: "name", id: ["id"], fixedRole: .featured),
      ],
      otherwise: [Source("$", name: "artist")]),
    Preset(
      "plex", "Plex: a track", "https://developer.plex.tv/pms/", ["$.type == 'track'", "$.grandparentTitle"],
      artists: [Source("$", name: "originalTitle", "grandparentTitle", image: ["grandparentThumb"])]),
    Preset(
      "qobuz", "Qobuz: a track", "https://github.com/Qobuz/api-documentation", ["$.performer.name"],
      artists: [Source("$.performer", name: "name", id: ["id"])]),
    Preset(
      "beatport", "Beatport: a track", "https://api.beatport.com/v4/docs/", ["$.artists[*].name", "$.remixers"],
      artists: [
        Source("$.artists[*]", name: "name", id: ["id"], image: ["image.uri"], fixedRole: .main),
        Source("$.remixers[*]", name: "name", id: ["id"], image: ["image.uri"], fixedRole: .remixer),
      ]),
    Preset(
      "deezer-gw", "Deezer: a song of the private API", "https://github.com/An0nimia/deezloader", ids: "deezer",
      ["$.SNG_ID", "$.ART_NAME"],
      artists: [
        Source("$.ARTISTS[*]", name: "ART_NAME", id: ["ART_ID"], image: ["ART_PICTURE"], role: ["ROLE_ID"])
      ],
      otherwise: [Source("$", name: "ART_NAME", id: ["ART_ID"], image: ["ART_PICTURE"])]
    ).with {
      $0.roles = ["0": .main, "5": .featured]
      $0.images.format = "https://e-cdns-images.dzcdn.net/images/artist/{}/1000x1000-000000-80-0-0.jpg"
    },
    Preset(
      "spotify-history", "Spotify: extended streaming history",
      "https://support.spotify.com/article/understanding-my-data/", ids: "spotify",
      ["$.master_metadata_track_name"], artists: [Source("$", name: "master_metadata_album_artist_name")]),
    Preset(
      "bandcamp", "Bandcamp: a track", "https://bandcamp.com/developer", ["$.artist.name", "$.streaming_url"],
      artists: [Source("$.artist", name: "name", id: ["id"], image: ["image_url"])]),
    Preset(
      "yandex", "Yandex Music: a track", "https://yandex-music.readthedocs.io",
      ["$.artists[*].name", "$.albums", "$.title"],
      artists: [Source("$.artists[*]", name: "name", id: ["id"], image: ["cover.uri"])]
    ).with {
      $0.images.format = "https://{}"
      $0.images.replacements = [.init("%%", with: "400x400")]
    },
    Preset(
      "qianqian", "Qianqian Music: a song", "https://music.91q.com", ["$.ting_uid", "$.author"],
      artists: [Source("$", name: "author", id: ["artist_id"])]),
    Preset(
      "names-only", "A list of names", "https://github.com/topics/now-playing", ["$.artistNames"],
      artists: [Source("$.artistNames[*]", name: "@")]),
    Preset(
      "discogs", "Discogs: a track of a release", "https://www.discogs.com/developers",
      ["$.position", "$.duration", "$.title", "!$.type", "!$.rank", "!$.id"],
      artists: [Source("$.artists[*]", name: "name", credited: ["anv"], id: ["id"], image: ["thumbnail_url"])]),
    // The article's own shape asks for little, and the next one for even less, so they stand last.
    Preset(
      "v1", "This program's own shape: artists with id, name and imageURL", "docs/presets.md", ids: "",
      ["$.artists", "!$.artists.items", "!$.artists.data"],
      artists: [Source("$.artists[*]", name: "name", "@", id: ["id"], image: ["imageURL"])]
    ).with { $0.keepsEmpty = true },
    Preset(
      "any", "Any service: a title and the name of an artist", "docs/presets.md",
      [
        "$.artist || $.artistName || $.artist_name || $.primary_artists",
        "$.title || $.name || $.track || $.song || $.trackName || $.track_name", "!$.artists", "!$.albums", "!$.tracks",
        "!$.tracklist", "!$.songs", "!$.items", "!$.results", "!$.data", "!$.trackCount", "!$.track_count",
        "!$.tracks_count", "!$.total_tracks", "!$.nb_tracks", "!$.numberOfTracks", "!$.venue",
      ],
      artists: [Source("$.artist", name: "name", id: ["id"], image: ["imageURL", "image_url", "image"])],
      otherwise: [
        Source(
          "$", name: "artist", "artistName", "artist_name", "primary_artists",
          id: ["artistId", "artistID", "artist_id"])
      ]),
  ]

  private static func other(
    _ name: String, _ title: String, _ kind: Kind, _ conditions: JSONCondition...
  ) -> Preset {
    Preset(name, title, "", ids: "", conditions, kind: kind)
  }

  /// Answers that have artists, but not those of one track.
  private static let otherAnswers: [Preset] = [
    other(
      "album", "An album: Spotify, Deezer, JioSaavn, Napster, Apple Music", .album,
      "$.type == 'album' || $.type == 'albums' || $.type == 'library-albums' || $.record_type"),
    other("album-itunes", "An album: iTunes", .album, "$.wrapperType == 'collection'"),
    other(
      "album-musicbrainz", "A release or release group: MusicBrainz", .album, "$['artist-credit']",
      "$.media || $['track-count'] || $['primary-type']"),
    other("album-discogs", "A release: Discogs", .album, "$.artists", "$.tracklist"),
    other("album-tidal", "An album: TIDAL", .album, "$.artists", "$.numberOfTracks"),
    other(
      "album-lastfm", "An album: Last.fm", .album, "$.album", "!$.artists", "!$.title", "!$.name", "!$.id", "!$.songs"),
    other("album-netease", "An album: NetEase Cloud Music", .album, "$.album", "$.songs"),
    other("album-qobuz", "An album: Qobuz", .album, "$.artist.name", "$.tracks_count"),
    other("album-ytmusic", "An album or playlist: ytmusicapi", .album, "$.audioPlaylistId || $.trackCount", "$.tracks"),
    other("album-yandex", "An album: Yandex Music", .album, "$.trackCount", "$.artists"),
    other("album-jellyfin", "An album: Jellyfin and Emby", .album, "$.Type == 'MusicAlbum'"),
    other("album-subsonic", "An album: Subsonic", .album, "$['subsonic-response'].album"),
    other(
      "playlist", "A playlist: Spotify, Deezer, SoundCloud, Jellyfin", .playlist,
      """
      $.type == 'playlist' || $.type == 'playlists' || $.kind == 'playlist' || $.kind == 'system-playlist' || \
      $.Type == 'Playlist'
      """),
    other(
      "artist", "An artist: Spotify, Deezer, Apple Music, iTunes, Jellyfin", .artist,
      "$.type == 'artist' || $.type == 'artists' || $.wrapperType == 'artist' || $.Type == 'MusicArtist'"),
  ]

  /// Answers with several results, and errors.
  private static let lists: [Preset] = [
    other("list-spotify", "A search or a page: Spotify", .list, "$.tracks.items || $.artists.items || $.items"),
    other("list-itunes", "Results: iTunes", .list, "$.resultCount", "$.results"),
    other("list-lastfm", "Results: Last.fm", .list, "$.results.trackmatches || $.recenttracks || $.lovedtracks"),
    other("list-musicbrainz", "Results: MusicBrainz", .list, "$.recordings || $.releases || $.artists.artist"),
    other("list-genius", "Results: Genius", .list, "$.response.hits || $.response.sections"),
    other("list-subsonic", "Results: Subsonic", .list, "$['subsonic-response']"),
    other("list-plex", "Results: Plex", .list, "$.MediaContainer"),
    other("list-jellyfin", "Results: Jellyfin and Emby", .list, "$.Items", "$.TotalRecordCount"),
    other("list-songs", "Songs: NetEase Cloud Music", .list, "$.songs[*] || $.result.songs"),
    other("list-data", "Results: Deezer, Apple Music, TIDAL", .list, "$.data[*] || $.results.songs || $.artists.data"),
    other("list-results", "Results", .list, "$.results[*] || $.collection[*] || $.tracks[*] || $.tracks.data"),
    other("error", "A service's error", .error, "$.error || $.errors || $.fault"),
  ]
}
