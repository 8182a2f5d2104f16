/// Shapes of no particular service.
extension Preset {
  /// Shapes that ask for little, and so stand behind all others.
  ///
  /// All but the first and the last two are about documents without a list of `artists`.
  static let generalShapes = [anyArtists, anyList, anyService, anyPerformers, otherDetails, anyTitle, v1, anyNames]

  /// That a document says something that only one about a track says.
  private static let hasEvidence = JSONCondition(
    anyOf: Word.evidence,
    orOne: ["type", "Type", "kind", "media_type", "mediaType", "['@type']", "__typename", "item_type"],
    of: ["track", "Track", "song", "Song", "songs", "recording", "MusicRecording", "music", "audio", "Audio"])

  /// Documents that have a title and the name of an artist, and say more of something else than of a track.
  private static let otherDetails = Preset(
    "other-details", "Something else that has an artist: nothing in it is about a track", "", ids: "",
    [
      JSONCondition(anyOf: Word.artistNames + Word.artistLists + ["performers"]),
      JSONCondition(anyOf: Word.titles), JSONCondition(anyOf: Word.otherDetails), "!$.artists[*]",
    ] + itself, kind: .other)

  package static let v1 = Preset(
    "v1", "This program's own shape: artists with id, name and imageURL", "docs/presets.md", ids: "",
    ["$.artists", "!$.artists.items", "!$.artists.edges", "!$.artists.nodes", "!$.artists.primary", "!$.artists.data"],
    track: TrackPaths(title: Word.titles + Word.nestedTitles, played: Word.anyTimes, image: Word.images),
    artists: [Source("$.artists[*]", name: "name", "@", id: Word.ids, image: ["imageURL"])]
  ).with { $0.keepsEmpty = true }

  private static func general(
    _ name: String, _ title: String, _ conditions: [JSONCondition], titles: [JSONPath] = Word.titles + ["media.title"],
    artists: [Source], otherwise: [Source] = []
  ) -> Preset {
    Preset(
      name, title, "docs/presets.md", ids: "",
      conditions + [
        JSONCondition(anyOf: titles), "!$.albums", "!$.tracklist", "!$.songs", "!$.items",
        "!$.results", "!$.data", "!$.venue",
      ],
      track: TrackPaths(title: Word.titles + Word.nestedTitles, played: Word.anyTimes, image: Word.images),
      artists: artists, otherwise: otherwise)
  }

  private static func artists(at path: JSONPath, role: ArtistRole? = nil) -> Source {
    Source(path, names: Word.names, id: Word.ids, image: Word.artistImages, fixedRole: role)
  }

  private static let anyArtists = general(
    "any-artists", "Any service: a title and artists with other words for their names",
    [
      JSONCondition(
        anyOf: Word.names.filter { !["name", "@"].contains($0) }.map {
          JSONPath(steps: [.member("artists"), .every] + $0.steps)
        }), "!$.artists[*].name", hasEvidence,
    ],
    artists: [artists(at: "$.artists[*]")])

  // Alone, such a document has the shape `v1`, which asks for less.
  private static let anyNames = general(
    "any-names", "Any service: a title and artists with names, inside of a document of unknown shape",
    ["$.artists[*].name", hasEvidence],
    artists: [Source("$.artists[*]", name: "name", id: Word.ids, image: Word.artistImages)])

  private static let anyList = general(
    "any-list", "Any service: a title and a list of artists",
    [
      JSONCondition(anyOf: Word.artistLists),
      "!$.artists[*] || $.artists.items || $.artists.edges || $.artists.nodes || $.artists.primary", hasEvidence,
    ],
    artists: Word.artistLists.map { artists(at: $0) } + [
      artists(at: "$.featuredArtists[*]", role: .featured), artists(at: "$.featured_artists[*]", role: .featured),
    ])

  private static let anyService = general(
    "any", "Any service: a title, the name of an artist, and something that only a track has",
    namesArtist + [hasEvidence], artists: namedArtists, otherwise: artistNames)

  /// Whether its documents may be tracks that say little of themselves, which ``anyTitle`` reads.
  package var mayHideTracks: Bool { name == Self.otherDetails.name && kind == .other }

  /// Less clear than ``anyService``, and so behind what says more of other things.
  package static let anyTitle = general(
    "any-title", "Any service: a title and the name of an artist", namesArtist, titles: Word.anyTitles,
    artists: namedArtists, otherwise: artistNames)

  /// Beside a song with an artist of its own stands another one, such as a guest who sings it.
  private static let itself: [JSONCondition] = ["!$.song.artist", "!$.track.artist"]

  private static let namesArtist: [JSONCondition] =
    [
      JSONCondition(anyOf: Word.artistNames), "!$.artists[*]",
      // A name alone may be that of anything that has artists.
      JSONCondition(lacking: "$.artists", orAnyOf: ["title"] + Word.trackTitles),
    ] + itself
  private static let namedArtists = [
    // It has none, but says why.
    Source("$.artists[*]", name: "@"), artists(at: "$.artist[*]").with { $0.isOnlyArray = true },
    Source("$.artist", names: Word.names.filter { $0 != "@" }, id: Word.ids, image: Word.artistImages),
  ]
  private static let artistNames = [
    Source(
      "$", names: Word.artistNames + ["performer.name"],
      id: ["artistId", "artistID", "artist_id", "artistid", "artist_ids[0]"]),
    Source("$.artistName[*]", name: "@"), Source("$.artist_name[*]", name: "@"), Source("$.ARTIST[*]", name: "@"),
    Source("$.Artist[*]", name: "@", "Name", "name", id: ["ID", "Id", "id"]),
  ]

  /// Musicians of a recording, who count only where a document has no word for an artist.
  private static let anyPerformers = general(
    "any-performers", "Any service: a title and a list of performers",
    ["$.performers || $.contributors.edges[*]", "!$.artists[*]", hasEvidence],
    artists: [artists(at: "$.performers[*]"), artists(at: "$.contributors.edges[*].node")],
    otherwise: [Source("$", name: "performers")])
}
