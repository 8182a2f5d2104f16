/// Documents that are not about one track: they are named, and their artists are not taken for those of a track.
///
/// A document is a track if it has a word for a title and the name of an artist, and nothing that says that it is
/// something else: a type, a list of tracks or their number, a place, an episode, an audience.
extension Preset {
  private static func other(_ name: String, _ title: String, _ kind: Kind, _ conditions: JSONCondition...) -> Preset {
    other(name, title, kind, conditions)
  }

  private static func other(_ name: String, _ title: String, _ kind: Kind, _ conditions: [JSONCondition]) -> Preset {
    Preset(name, title, "", ids: "", conditions, kind: kind)
  }

  /// That one of several members has one of several values.
  private static func isOne(_ members: [JSONPath], of values: [String]) -> JSONCondition {
    JSONCondition(anyOf: [], orOne: members, of: values)
  }

  /// The members of a document in which any preset finds the title of a track.
  private static let titleMembers: [JSONPath] = {
    var known: Set<JSONPath.Step> = []
    let steps = (services + exports + moreServices + generalShapes).flatMap(\.trackTitle).compactMap(\.steps.first)
    return steps.filter { known.insert($0).inserted }.map { JSONPath(steps: [$0]) }
  }()

  /// That a document has nothing that only a track has: a place on an album, or a time at which it was played.
  private static let lacksPlace = lacks(Word.places)

  /// The same of a length, which a service may also give of an album.
  private static let lacksMeasure = lacksPlace + lacks(Word.lengths)

  /// The same of all that only a track has or belongs to.
  private static let lacksEvidence = lacksMeasure + lacks(Word.belongings)

  private static func lacks(_ members: [JSONPath]) -> [JSONCondition] { members.map { JSONCondition(lacking: $0) } }

  /// Answers that some preset of a track would match too.
  static let otherAnswers: [Preset] = [
    other(
      "album", "An album: Spotify, Deezer, JioSaavn, Napster, Apple Music", .album,
      "$.type == 'album' || $.type == 'albums' || $.type == 'library-albums' || $.record_type"),
    other("album-itunes", "An album: iTunes", .album, "$.wrapperType == 'collection'"),
    other(
      "album-musicbrainz", "A release or release group: MusicBrainz", .album, "$['artist-credit']",
      """
      $.media || $['track-count'] || $['primary-type'] || $.barcode || $.packaging || $['release-group'] || \
      $['text-representation'] || $['release-events']
      """),
    other(
      "album-discogs-information", "A release by itself: Discogs", .album,
      ["$.artists", "$.formats[*].name"] + lacksMeasure),
    other(
      "album-lastfm-search", "An album of a search: Last.fm", .album,
      [
        "$.streamable", "$.image", "$.url", "$.artist", "!$.artist.name", "!$.artist['#text']", "!$.listeners",
        "!$.playcount", "!$.album", "!$.date",
      ] + lacksMeasure),
    other(
      "album-kkbox", "An album: KKBOX", .album,
      ["$.available_territories", "$.artist", "$.release_date", "!$.album"] + lacksMeasure),
    other(
      "album-kodi", "An album: Kodi", .album,
      ["$.albumid", "$.artist[*]", "!$.songid", "!$.type", "!$.track", "!$.file", "!$.album"] + lacksMeasure),
    other("video-kodi", "A music video: Kodi", .other, "$.musicvideoid"),
    other("album-jamendo", "An album: Jamendo", .album, ["$.zip", "$.artist_name", "!$.audio"] + lacksMeasure),
    other(
      "album-genius", "An album: Genius", .album,
      ["$.cover_art_url", "$.full_title", "$.name", "!$.title"] + lacksMeasure),
    other("album-discogs", "A release: Discogs", .album, "$.artists", "$.tracklist"),
    other("album-tidal", "An album: TIDAL", .album, ["$.artists", "$.numberOfTracks"] + lacksPlace),
    // A play names its album too.
    other(
      "album-lastfm", "An album: Last.fm", .album,
      ["$.album", "!$.artists", "!$.id", "!$.songs"] + lacks(titleMembers)),
    other(
      "album-lastfm-top", "An album of a list: Last.fm", .album, "$.artist.url", "$.image", "$.name",
      "!$.streamable", "!$.duration", "!$.listeners", "!$.album", "!$.date"),
    other(
      "album-lastfm-week", "An album of a week: Last.fm", .album, "$.artist['#text']", "$.playcount",
      "$['@attr'].rank", "!$.image", "!$.album", "!$.date", "!$.streamable"),
    other(
      "video-netease", "A music video: NetEase Cloud Music", .other, "$.artistId", "$.artistName", "$.cover",
      "$.playCount", "$.name", "!$.album", "!$.albumId", "!$.albumName", "!$.title"),
    other(
      "album-bandcamp", "An album of a discography: Bandcamp", .album,
      ["$.art_id", "$.page_url", "$.release_date", "!$.track_id"] + lacksMeasure),
    other("video-qq", "A music video: QQ Music", .other, "$.vid", "$.mv_id"),
    other("video-subsonic", "A video: Subsonic", .other, "$.isVideo == 'true'"),
    other(
      "item-itunes-library", "A film, a podcast or a playlist of a library: iTunes", .other,
      """
      $['Has Video'] == 'true' || $.Movie == 'true' || $['TV Show'] == 'true' || $.Podcast == 'true' || \
      $['Playlist Items']
      """),
    other(
      "item-apple-library", "An album, a video or a podcast of a library, of a copy of the account's data: Apple",
      .other,
      isOne(
        ["['Content Type']"], of: ["Album", "Playlist", "Music Video", "Podcast", "Audiobook", "Movie", "TV Show"])),
    other(
      "item-ytmusic-result", "A video, an episode or a profile of a search: ytmusicapi", .other,
      isOne(["resultType"], of: ["video", "episode", "podcast", "profile", "station"])),
    other("album-netease", "An album: NetEase Cloud Music", .album, "$.album", "$.songs"),
    other(
      "album-netease-item", "An album of a list: NetEase Cloud Music", .album, "$.publishTime", "$.artists || $.artist",
      "$.size || $.company"),
    other("album-qobuz", "An album: Qobuz", .album, ["$.artist.name", "$.tracks_count"] + lacksPlace),
    other(
      "album-qq", "An album: QQ Music", .album, "$.singer[*] || $.singers[*]",
      "$.pub_time || $.publicTime || $.public_time || $.publish_date || $.song_count || $.total_song_num", "!$.interval"
    ),
    other("album-ytmusic", "An album or playlist: ytmusicapi", .album, "$.audioPlaylistId || $.trackCount", "$.tracks"),
    other(
      "item-ytmusic", "An album, playlist or artist of a list: ytmusicapi", .album, "$.browseId || $.playlistId",
      "!$.videoId", "$.resultType || $.thumbnails"),
    other("album-yandex", "An album: Yandex Music", .album, ["$.trackCount", "$.artists"] + lacksMeasure),
    other("album-jellyfin", "An album: Jellyfin and Emby", .album, "$.Type == 'MusicAlbum'"),
    other("album-subsonic", "An album: Subsonic", .album, "$['subsonic-response'].album"),
    other(
      "album-subsonic-item", "A directory or album of a list: Subsonic", .album, "$.isDir == 'true' || $.songCount"),
    other(
      "album-beatport", "A release or chart: Beatport", .album,
      ["$.track_count", "$.label || $.person || $.remixers || $.genres"] + lacksPlace),
    other(
      "album-discogs-item", "A release of a collection, a search or a want list: Discogs", .album,
      "$.basic_information || $.main_release"),
    other("album-funkwhale", "An album: Funkwhale", .album, "$.fid", "$.tracks_count || $.release_date", "!$.album"),
    other("album-audiodb", "An album: TheAudioDB", .album, "$.strAlbum", "!$.strTrack"),
    other("artist-audiodb", "An artist: TheAudioDB", .artist, "$.strArtist", "!$.strTrack", "!$.strAlbum"),
    other(
      "playlist-vk", "An album or playlist: VK", .playlist, "$.owner_id", "$.title",
      "$.count || $.album_type || $.followers"),
    other(
      "album-itunes-feed", "An album of a feed: iTunes", .album, "$['im:artist']",
      "$['im:contentType'].attributes.term == 'Album' || $['im:itemCount']"),
    other(
      "playlist", "A playlist: Spotify, Deezer, SoundCloud, Jellyfin", .playlist,
      """
      $.type == 'playlist' || $.type == 'playlists' || $.kind == 'playlist' || $.kind == 'system-playlist' || \
      $.Type == 'Playlist'
      """, "!$['Track name']", "!$['Track Name']"),
    other(
      "artist", "An artist: Spotify, Deezer, Apple Music, iTunes, Jellyfin", .artist,
      "$.type == 'artist' || $.type == 'artists' || $.wrapperType == 'artist' || $.Type == 'MusicArtist'"),
    other(
      "not-music", "A film, a podcast or a book: iTunes", .other,
      isOne(
        ["kind", "type"],
        of: [
          "podcast", "podcast-episode", "ringtone", "feature-movie", "tv-episode", "music-video", "music-videos",
          "library-music-videos", "ebook", "audiobook", "software", "mac-software", "podcasts", "books", "apps",
          "audio-books", "audiobooks", "movies", "tv-episodes", "tvEpisodes", "ios-apps", "mac-apps", "stations",
          "curators", "apple-curators", "record-labels", "video",
        ])),
  ]

  /// The members that say what a document is about.
  private static let typeMembers: [JSONPath] = [
    "type", "kind", "Type", "_type", "object", "object_type", "objectType", "resultType", "entity_type", "entityType",
    "resource_type", "media_type", "mediaType", "MediaType", "content_type", "contentType", "ItemType", "item_type",
    "itemType", "textType", "mediatype", "__typename", "['@type']",
  ]

  /// Words of any service that say that a document is about something else.
  static let otherThings: [Preset] = [
    other(
      "album-type", "An album, by its type", .album,
      isOne(
        typeMembers + ["category"],
        of: [
          "album", "albums", "Album", "ALBUM", "release", "release-group", "master", "music-albums", "library-albums",
          "Albums", "MusicAlbum", "MusicRelease", "ep", "EP",
        ])),
    other("album-flag", "An album, by what it says of itself", .album, isOne(["isAlbum", "is_album"], of: ["true"])),
    other(
      "album-chart", "An album of a chart", .album,
      isOne(
        ["chart", "chartName", "chart_name"],
        of: ["albums", "album", "Albums", "albums-chart", "billboard-200", "Billboard 200"])),
    other(
      "playlist-type", "A playlist, by its type", .playlist,
      isOne(
        typeMembers + ["category"],
        of: [
          "playlist", "playlists", "Playlist", "PLAYLIST", "library-playlists", "youtube#playlist", "Playlists", "mix",
          "MIX", "MusicPlaylist",
        ]), "!$['Track name']", "!$['Track Name']"),
    other(
      "artist-type", "An artist, by its type", .artist,
      isOne(
        typeMembers + ["category"],
        of: [
          "artist", "artists", "Artist", "ARTIST", "band", "composer", "Person", "person", "Group", "Artists",
          "MusicGroup",
        ])),
    other(
      "other-type", "A user, an event, a podcast, a video or a label, by its type", .other,
      isOne(
        typeMembers,
        of: [
          "user", "users", "User", "event", "Event", "Concert", "Festival", "concert", "festival", "show", "shows",
          "Show", "episode", "episodes", "Episode", "EPISODE", "podcast", "podcasts", "Podcast", "Podcasts", "PODCAST",
          "podcast_episode", "podcast-episode", "podcastEpisode", "PodcastEpisode", "audiobook", "audiobooks",
          "Audiobook", "AudioBook", "AUDIOBOOK", "book", "Book", "chapter", "video", "videos", "Video", "VIDEO",
          "MusicVideo", "Music Video", "music_video", "musicVideo", "clip", "movie", "movies", "Movie", "MOVIE", "film",
          "Film", "series", "Series",
          "label", "labels", "Label", "genre", "genres", "MusicGenre", "station", "stations", "radio", "venue", "work",
          "MusicEvent", "TheaterEvent", "VideoObject", "MusicVideoObject", "TVEpisode", "RadioEpisode",
          "BroadcastEvent",
          "MusicComposition", "Product", "product", "card", "package", "merch", "webradio", "folder", "Folder",
          "folder-with-favourites", "youtube#video", "youtube#channel", "youtube#searchResult", "article", "setlist",
          "playlist_folder", "Chords", "Tabs", "etree",
        ])),
    other("video-takeout", "A video: watch history of Google Takeout", .other, "$.header == 'YouTube'", "$.titleUrl"),
    // Its title is a sentence that says so.
    other(
      "video-takeout-removed", "A video that was removed: watch history of Google Takeout", .other,
      "$.header == 'YouTube Music' || $.header == 'YouTube'", "!$.titleUrl", "$.time"),
    // Only what a service says of an artist: a line of this program's own has none of these.
    other(
      "artist-member", "An artist, in a member of this name", .artist,
      [
        """
        $.artist.url || $.artist.stats || $.artist.bio || $.artist.followers || $.artist.genres || \
        $.artist.images || $.artist.type || $.artist.popularity || $.artist.albums || $.artist.topTracks
        """
      ] + lacks(Word.trackTitles + ["title", "name"]) + lacksMeasure),
    other("tags-lastfm", "Tags of a track or an artist: Last.fm", .other, "$.toptags"),
    other(
      "playlist-words", "A playlist, by its words", .playlist,
      "$.playlist_name || $.playlistName || $.snapshot_id || $.collaborative || $.playlist_contents"),
    other(
      "event-words", "An event or a set list, by its words", .other,
      """
      $.venue || $.venues || $.venue_name || $.venueName || $.lineup || $.line_up || $.eventDate || $.event_date || \
      $.datetime_local || $.performance[*] || $.doorTime || $.doors || $.tickets || $.ticket_url || $.ticketUrl || \
      $.concert || $.festival || $['Concert Type'] || $._embedded.venues || $.sets.set
      """),
    other(
      "episode-words", "A podcast or an episode, by its words", .other,
      """
      $.podcast || $.podcastName || $.podcast_name || $.episodeName || $.episode_title || $.episodes || $.show_name || \
      $.showName || $.feedUrl || $.feed_url || $.enclosure || $.total_episodes || $.podcastTitle || \
      $.podcast_title || $.feedTitle || $.feed_title || $['itunes:author'] || $['itunes:duration']
      """),
    other(
      "episode-of-show", "An episode of a show", .other, "$.episode || $.episodeNumber || $.episode_number",
      "$.show || $.series || $.season || $.seasonNumber || $.season_number"),
    other(
      "album-words", "An album, by the number or list of its tracks, or by its number in a catalogue", .album,
      [
        """
        $.catnumber || $.r_date || $.album_type || $.album_group || $.albumType || $.trackcount || \
        $.trackTotalCount || $.musicCount || \
        $.trackCount || $.track_count || $.tracks_count || $.total_tracks || $.totalTracks || $.nb_tracks || \
        $.numberOfTracks || $.num_tracks || $.numTracks || $.songCount || $.song_count || $.songcount || \
        $.tracklist || \
        $.track_list || $.upc || $.UPC || $.barcode || $.ean || $['Track Count'] || $.catno || \
        $.catalogNumber || $.catalog_number || $.tracks_total || $.tracksTotal || \
        $.numberOfDiscs || $.binding
        """, "$.artists || $.artist || $.artistName || $.artist_name || $.primary_artists || $.title || $.name",
        // The number of a track; a list of them is an album's.
        "!$.track || $.track[*] || $.track.name || $.track.title",
      ] + lacksMeasure),
    other(
      "album-tracks", "An album or another list of tracks, by its words", .album,
      "$.tracks[*] || $.tracks.items || $.tracks.data || $.tracks.track || $.tracks.total || $.tracks.href",
      "$.artists || $.artist || $.artistName || $.artist_name || $.title || $.name",
      // The voices of a score.
      "!$.tracks[*].instrument"),
    other(
      "album-tracks-count", "An album, by the number of its tracks", .album,
      [
        "$.tracks", "!$.tracks[*].instrument",
        "$.artists || $.artist || $.artistName || $.artist_name || $.title || $.name",
        "!$.track || $.track[*] || $.track.name || $.track.title",
      ] + lacksMeasure),
    other(
      "artist-words", "An artist, by the words for an audience or for what an artist has made", .artist,
      [
        """
        $.nb_fan || $.nb_album || $.albumCount || $.album_count || $.albumSize || $.albumNum || $.musicSize || \
        $.followers || $.followers_count || $.followersCount || $.follower_count || $.followerCount || $.fans || \
        $.fan_count || $.fanCount || $.artistType || $.artist_type || $.subscriber_count || $.subscriberCount || $.discography || $.topTracks || \
        $.top_tracks || $.artist_count || $.artistCount || $.monthlyListeners || $.monthly_listeners || \
        $.similar.artist || $.similar_artists || \
        $.bio.summary || $.biography || $['life-span'] || $.realname || $.members[*]
        """
      ] + lacksMeasure),
    other(
      "offer-words", "A ticket or something else for sale, by its words", .other,
      [
        "$.price",
        """
        $.date || $.format || $.sku || $.stock || $.in_stock || $.size || $.color || $.colour || $.variants || \
        $.dimensions || $.condition
        """, "$.artists || $.artist || $.artistName || $.artist_name", "!$.album",
      ] + lacksMeasure),
    other(
      "download-words", "A download, by its words", .other,
      "$.indexer || $.seeders || $.downloadUrl || $.protocol == 'torrent' || $.protocol == 'usenet'"),
    other(
      "video-words", "A video, by its words", .other,
      "$.videoType || $.video_type || $.adsUrl || $.adsPrePaywallOnly || $.directors[*] || $.production_status",
      "!$.videoId"),
    other(
      "review-words", "A review, by its words", .other,
      ["$.score || $.reviewer || $.critic", "$.author || $.reviewer || $.critic"] + lacksMeasure),
    // Its length is that of all its tracks.
    other(
      "album-owntone", "An album: OwnTone", .album, ["$.track_count", "$.uri", "$.artist", "!$.album"] + lacksPlace),
    other("card-words", "A card of a game, by its words", .other, "$.manaCost || $.setCode || $.mana_cost"),
    other(
      "sheet-words", "A sheet of music, by its words", .other,
      "$.tabType || $.tab_type || $.tab_url || $.tabUrl || $.tonality_name || $.instrumentation"),
    other("article-words", "A text about music, by its words", .other, "$.author || $.authors", "$.body || $.headline"),
    other(
      "thing-words", "Something else that has an artist, by its words", .other,
      [
        """
        $.medium || $.Medium || $.technique || $.Technique || $.museum || $.dimensions || $.rarity || \
        $.tokenId || $.token_id || $.attributes[*].trait_type || $.pages || $.issue || $.issue_number || $.isbn || \
        $.ISBN || $.award || $.director || $.Director || $.city || $.City || $.cities || $.stage || $.tour || \
        $.age_limit || $.Format || $['Catalog#'] || $.Released || $.format || $.publish_date || $.publishDate || \
        $.tabType || $.tuning || $.answer || $.studio || $.gallery || $.exhibition || $.artwork_type || $.headliner || \
        $.attendees || $.capacity || $.doors_time || $.stars || $.cast || $.runtime || $.chapters || $.narrator
        """, JSONCondition(anyOf: Word.artistNames + Word.artistLists + ["performers"]),
      ] + lacksEvidence),
    other(
      "label-words", "A label, by its words", .other,
      [
        """
        $.sublabels || $['label-code'] || $.labelcode || $.parent_label || $.contact_info || $.releases || \
        $.releases_url || $.release_count || $.releaseCount
        """
      ] + lacksMeasure),
    other(
      "user-words", "A user, by its words", .other,
      "$.username || $.user_name || $.screen_name || $.registered.unixtime || $.display_name || $.displayName",
      "$.playlists || $.followers || $.subscriber || $.registered || $.email || $.avatar || $.avatar_url || $.country"),
  ]

  /// Answers with several results, and errors.
  static let lists: [Preset] = [
    other("list-spotify", "A search or a page: Spotify", .list, "$.tracks.items || $.artists.items || $.items"),
    other("list-itunes", "Results: iTunes", .list, "$.resultCount", "$.results"),
    other(
      "list-lastfm", "Results: Last.fm", .list,
      "$.results.trackmatches || $.recenttracks || $.lovedtracks || $.toptracks || $.topalbums || $.topartists || $.similartracks"
    ),
    other("list-musicbrainz", "Results: MusicBrainz", .list, "$.recordings || $.releases || $.artists.artist"),
    other("list-genius", "Results: Genius", .list, "$.response.hits || $.response.sections"),
    other("list-subsonic", "Results: Subsonic", .list, "$['subsonic-response']"),
    other("list-plex", "Results: Plex", .list, "$.MediaContainer"),
    other("list-jellyfin", "Results: Jellyfin and Emby", .list, "$.Items", "$.TotalRecordCount"),
    other("list-songs", "Songs: NetEase Cloud Music", .list, "$.songs[*] || $.result.songs"),
    other("list-data", "Results: Deezer, Apple Music, TIDAL", .list, "$.data[*] || $.results.songs || $.artists.data"),
    other(
      "list-results", "Results", .list,
      "$.results[*] || $.collection[*] || $.tracks[*] || $.tracks.data || $.albums[*] || $.playlists[*] || $.listens[*] || $.scrobbles[*] || $.entries[*] || $.payload[*] || $.feed.entry || $.feed.results"
    ),
    other("error", "A service's error", .error, "$.error || $.errors || $.fault"),
  ]
}
