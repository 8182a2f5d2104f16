/// Exports that people have downloaded from services, and from programs that note what was played.
extension Preset {
  static let exports = [
    spotifyAccount, appleLibrary, applePlays, youtubeTakeout, youtubeVideo, maloja, koito, multiScrobbler, yourSpotify,
    lastfmStats, navidrome, tautulli, jellyfinWebhook, kodi, kodiItem, mpd, jspf,
  ]

  private static let spotifyAccount = Preset(
    "spotify-account", "Spotify: streaming history of the account data",
    "https://support.spotify.com/article/understanding-my-data/", ids: "spotify",
    ["$.endTime", "$.artistName", "$.trackName"], track: TrackPaths(title: ["trackName"], played: ["endTime"]),
    artists: [Source("$", name: "artistName")])

  private static let appleLibrary = Preset(
    "apple-library", "Apple: the library, of a copy of the account's data", "https://privacy.apple.com", ids: "apple",
    ["$['Track Identifier'] || $['Content Type'] || $['Apple Music Track Identifier']", "$.Title", "$.Artist"],
    track: TrackPaths(title: ["Title"], played: ["['Last Played Date']"]),
    artists: [Source("$", name: "Artist", "['Album Artist']")])

  private static let applePlays = Preset(
    "apple-plays", "Apple Music: play activity, of a copy of the account's data", "https://privacy.apple.com",
    ids: "apple",
    ["$['Song Name']", "$['Event Start Timestamp'] || $['Event End Timestamp'] || $['Play Duration Milliseconds']"],
    track: TrackPaths(title: ["['Song Name']"], played: ["['Event Start Timestamp']", "['Event End Timestamp']"]),
    artists: [Source("$", name: "['Artist Name']", "['Container Artist Name']")])

  private static let youtubeTakeout = Preset(
    "youtube-takeout", "YouTube Music: watch history of Google Takeout", "https://takeout.google.com", ids: "youtube",
    ["$.header == 'YouTube Music'", "$.titleUrl"], track: TrackPaths(title: ["title"], played: ["time"]),
    artists: [Source("$.subtitles[*]", name: "name")]
  ).with {
    $0.nameFormats = ["{} - Topic"]
    // The title is a sentence in the user's language.
    $0.titleFormats = [
      "Watched {}", "{} angesehen", "Vous avez regardé {}", "A regardé {}", "Has visto {}", "Hai guardato {}",
      "Você assistiu a {}", "Assistiu a {}", "Viu {}", "{} bekeken", "Obejrzano: {}", "Obejrzano {}",
      "Har tittat på {}",
      "Tittade på {}", "Så {}", "Du så {}", "Katsottu {}", "Vizionat: {}", "Zhlédnuto: {}", "Megtekintett: {}",
      "{} adlı videoyu izlediniz", "{} izlendi", "Просмотрено видео \"{}\"", "Просмотрено: {}", "Переглянуто: {}",
      "{} を視聴しました", "{}을(를) 시청함", "已观看 {}", "已觀看「{}」", "Menonton {}", "Đã xem {}", "ดู {} แล้ว", "شاهدت {}",
    ]
  }

  private static let youtubeVideo = Preset(
    "youtube-music-video", "YouTube Data API: a video of the category Music",
    "https://developers.google.com/youtube/v3/docs/videos", ids: "youtube",
    ["$.kind == 'youtube#video'", "$.snippet.categoryId == '10'"],
    track: TrackPaths(title: ["snippet.title"], image: ["snippet.thumbnails.high.url"]),
    artists: [Source("$.snippet", name: "channelTitle", id: ["channelId"])]
  ).with { $0.nameFormats = ["{} - Topic"] }

  private static let maloja = Preset(
    "maloja", "maloja: a scrobble", "https://github.com/krateng/maloja",
    ["$.track.artists", "$.track.title", "$.time"],
    track: TrackPaths(title: ["track.title"], played: ["time"]),
    artists: [Source("$.track.artists[*]", name: "@", "name")])

  private static let koito = Preset(
    "koito", "Koito: a listen of an export", "https://koito.io", ids: "musicbrainz",
    ["$.listened_at", "$.track.aliases[*]", "$.artists[*].aliases[*]"],
    track: TrackPaths(title: ["track.aliases[0].alias"], played: ["listened_at"], image: ["album.image_url"]),
    artists: [Source("$.artists[*]", name: "aliases[0].alias", id: ["mbid"], image: ["image_url"])])

  private static let multiScrobbler = Preset(
    "multi-scrobbler", "multi-scrobbler: a play", "https://docs.multi-scrobbler.app",
    ["$.data.track", "$.data.artists"], track: TrackPaths(title: ["data.track"], played: ["data.playDate"]),
    artists: [Source("$.data.artists[*]", name: "@", "name")])

  // Its `artists` are ids.
  private static let yourSpotify = Preset(
    "your-spotify", "your_spotify: a play or a track", "https://github.com/Yooooomi/your_spotify", ids: "spotify",
    ["$.full_artist[*].name || $.full_artists[*].name", "$.name"],
    track: TrackPaths(title: ["name"], played: ["played_at"], image: ["full_album.images[0].url"]),
    artists: [
      Source("$.full_artist[*]", name: "name", id: ["id"], image: ["images[0].url"]),
      Source("$.full_artists[*]", name: "name", id: ["id"], image: ["images[0].url"]),
    ])

  private static let lastfmStats = Preset(
    "lastfm-stats", "lastfmstats.com: a scrobble of Last.fm", "https://lastfmstats.com",
    ["$.track", "$.artist", "$.albumId", "$.date"], track: TrackPaths(title: ["track"], played: ["date"]),
    artists: [Source("$", name: "artist")])

  private static let navidrome = Preset(
    "navidrome", "Navidrome: a song", "https://www.navidrome.org/docs/developers/", ["$.participants.artist[*].name"],
    track: TrackPaths(title: ["title"], played: ["playDate"]),
    artists: [Source("$.participants.artist[*]", name: "name", id: ["id"])])

  private static let tautulli = Preset(
    "tautulli", "Tautulli: a play of a track", "https://github.com/Tautulli/Tautulli/wiki/Tautulli-API-Reference",
    ids: "plex", ["$.media_type == 'track'", "$.grandparent_title"],
    track: TrackPaths(title: ["title"], played: ["started", "date", "stopped"]),
    artists: [Source("$", name: "original_title", "grandparent_title")])

  private static let jellyfinWebhook = Preset(
    "jellyfin-webhook", "Jellyfin: a notification about a track", "https://github.com/jellyfin/jellyfin-plugin-webhook",
    ids: "jellyfin", ["$.NotificationType", "$.ItemType == 'Audio'"],
    track: TrackPaths(title: ["Name"], played: ["UtcTimestamp"]), artists: [Source("$", name: "Artist", "AlbumArtist")])

  private static let kodi = Preset(
    "kodi", "Kodi: a song", "https://kodi.wiki/view/JSON-RPC_API",
    ["$.artist[*]", "$.songid || $.type == 'song' || $.artistid[*]"],
    track: TrackPaths(title: ["title", "label", "name"], played: ["lastplayed"]),
    artists: [
      Source("$", name: "displayartist", id: ["artistid[0]"]).with { $0.names = "artist[0]" }
    ])

  private static let kodiItem = Preset(
    "kodi-item", "Kodi: what a player plays", "https://kodi.wiki/view/JSON-RPC_API", ids: "kodi",
    ["$.result.item.artist[*]", "$.result.item.title || $.result.item.label"],
    track: TrackPaths(title: ["result.item.title", "result.item.label"], played: ["result.item.lastplayed"]),
    artists: [
      Source("$.result.item", name: "displayartist", id: ["artistid[0]"]).with { $0.names = "artist[0]" }
    ])

  private static let mpd = Preset(
    "mpd", "MPD: a song", "https://mpd.readthedocs.io/en/latest/protocol.html", ["$.file", "$.Title", "$.Artist"],
    track: TrackPaths(title: ["Title"]), artists: [Source("$.Artist[*]", name: "@").with { $0.isOnlyArray = true }],
    otherwise: [Source("$", name: "Artist", id: ["MUSICBRAINZ_ARTISTID"])])

  private static let jspf = Preset(
    "jspf", "JSPF: a track of a playlist", "https://www.xspf.org/jspf", ids: "musicbrainz",
    ["$.creator", "$.title", "$.identifier || $.extension || $.location", "!$.track"],
    track: TrackPaths(title: ["title"]),
    artists: [
      Source(
        "$.extension['https://musicbrainz.org/doc/jspf#track'].additional_metadata.artists[*]",
        name: "artist_credit_name", id: ["artist_mbid"], joinPhrase: "join_phrase")
    ],
    otherwise: [Source("$", name: "creator")])
}
