/// The paths of the track's own details in a service's answer.
private struct TrackPaths {
  let title: [JSONPath]
  var played: [JSONPath] = []
  var image: [JSONPath] = []
}

extension Preset {
  /// A copy of a built-in preset with the places of title, time and picture, if they are known.
  var withTrackPaths: Preset {
    guard let paths = Self.trackPaths[name] else { return self }
    return with { ($0.trackTitle, $0.playedAt, $0.trackImage) = (paths.title, paths.played, paths.image) }
  }

  private static let trackPaths: [String: TrackPaths] = [
    "musicbrainz": TrackPaths(title: ["title"]),
    "musicbrainz-track": TrackPaths(title: ["title", "recording.title"]),
    "listenbrainz": TrackPaths(title: ["track_metadata.track_name"], played: ["listened_at"]),
    "deezer": TrackPaths(
      title: ["title"], played: ["timestamp"], image: ["album.cover_xl", "album.cover_big", "album.cover"]),
    "itunes": TrackPaths(title: ["trackName"], image: ["artworkUrl100", "artworkUrl60"]),
    "applemusic": TrackPaths(title: ["attributes.name"], image: ["attributes.artwork.url"]),
    "lastfm": TrackPaths(title: ["name"], played: ["date.uts"], image: ["image[-1]['#text']"]),
    "lastfm-name": TrackPaths(title: ["name"], played: ["date.uts"], image: ["album.image[-1]['#text']"]),
    "soundcloud": TrackPaths(title: ["title"], image: ["artwork_url"]),
    "netease": TrackPaths(title: ["name"], image: ["al.picUrl"]),
    "jellyfin": TrackPaths(title: ["Name"], played: ["UserData.LastPlayedDate"]),
    "ytmusic": TrackPaths(title: ["title"], image: ["thumbnails[-1].url"]),
    "jamendo": TrackPaths(title: ["name"], image: ["image", "album_image"]),
    "spotify": TrackPaths(title: ["name"], image: ["album.images[0].url"]),
    "jiosaavn": TrackPaths(title: ["title"], image: ["image"]),
    "genius": TrackPaths(title: ["title"], image: ["song_art_image_url"]),
    "shazam": TrackPaths(title: ["title"], image: ["images.coverart"]),
    "tidal": TrackPaths(title: ["title"], image: ["album.cover"]),
    "tidal-v2": TrackPaths(title: ["data.attributes.title"]),
    "opensubsonic": TrackPaths(title: ["title"], played: ["played"]),
    "qq": TrackPaths(title: ["name", "title"]),
    "audius": TrackPaths(title: ["title"], image: ["artwork['1000x1000']", "artwork['480x480']"]),
    "napster": TrackPaths(title: ["name"]),
    "vk": TrackPaths(title: ["title"]),
    "plex": TrackPaths(title: ["title"], played: ["lastViewedAt"]),
    "qobuz": TrackPaths(title: ["title"], image: ["album.image.large"]),
    "beatport": TrackPaths(title: ["name"]),
    "deezer-gw": TrackPaths(title: ["SNG_TITLE"]),
    "spotify-history": TrackPaths(title: ["master_metadata_track_name"], played: ["ts"]),
    "bandcamp": TrackPaths(title: ["title"]),
    "yandex": TrackPaths(title: ["title"], image: ["coverUri"]),
    "qianqian": TrackPaths(title: ["title"]),
    "names-only": TrackPaths(title: ["title", "name"]),
    "discogs": TrackPaths(title: ["title"]),
    "v1": TrackPaths(title: ["title"], played: ["lastPlayedAt"], image: ["imageURL"]),
    "any": TrackPaths(
      title: ["title", "trackName", "track_name", "track", "song", "name"],
      played: ["lastPlayedAt", "playedAt", "played_at", "timestamp"], image: ["imageURL", "image_url", "image"]),
  ]
}
