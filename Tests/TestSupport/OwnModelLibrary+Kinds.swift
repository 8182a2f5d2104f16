internal import DataModel

extension OwnModelLibrary {
  /// Libraries of the first version, each unlike ours in another way.
  public static let firstVersions = [required, attributed, related, inherited, bare]

  /// What ours may lack is required here.
  public static let required = OwnModelLibrary(
    "other optionality",
    [
      EntityDescription(
        "Track",
        attributes: [
          text("artistName", isOptional: false), text("imageURL"), text("json", isOptional: false),
          AttributeDescription("lastPlayedAt", .date, isOptional: false, defaultValue: .date(0)),
          text("title", isOptional: false),
        ])
    ],
    [
      "INSERT INTO ZTRACK (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZARTISTNAME, ZJSON, ZLASTPLAYEDAT) VALUES "
        + "(1, 1, 3, 'One', 'A', \(json("A", "B")), 12.5), (7, 1, 1, 'Seven', 'C', '', 1)"
    ],
    artists: ["One|A, B", "Seven|C"])

  /// There are attributes besides ours, one of each type.
  public static let attributed = OwnModelLibrary(
    "extra attributes of every type",
    [
      EntityDescription(
        "Track", userInfo: ["note": "kept"],
        attributes: [
          text("artistName"), text("json"), text("title"), AttributeDescription("memo", .string, isTransient: true),
        ]
          + extraTypes.map { AttributeDescription($0.name, $0.type) })
    ],
    [
      "INSERT INTO ZTRACK (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZARTISTNAME, ZJSON, "
        + extraTypes.map { "\"Z\($0.name.uppercased())\"" }.joined(separator: ", ")
        + ") VALUES (1, 1, 1, 'Full', 'A', \(json("A")), \(extraTypes.map(\.value).joined(separator: ", ")))",
      "INSERT INTO ZTRACK (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZARTISTNAME) VALUES (2, 1, 1, 'Empty', 'B')",
    ],
    artists: ["Empty|B", "Full|A"])

  private static let extraTypes: [(name: String, type: AttributeType, value: String)] = [
    ("small", .integer16, "-7"), ("medium", .integer32, "70000"), ("stars", .integer64, "5000000000"),
    ("price", .decimal, "9.99"), ("exact", .double, "0.1"), ("rough", .float, "0.5"), ("flag", .boolean, "1"),
    ("added", .date, "123.25"), ("bytes", .binaryData, "x'00FF00'"),
    ("uid", .uuid, "x'000102030405060708090A0B0C0D0E0F'"),
    ("link", .uri, "'https://example.com/ä'"), ("colour", .transformable, "x'62706C697374'"),
    ("Größe", .string, "'Übergröße'"), ("select", .string, "'a ''quoted'' \"word\"'"),
  ]

  /// There are other entities, with relationships of every kind to tracks, which therefore are number 6.
  public static let related = OwnModelLibrary(
    "extra entities with relationships to tracks",
    [
      EntityDescription("Album", attributes: [text("name")], relationships: [many("tracks", "Track", "album")]),
      EntityDescription("Genre", attributes: [text("name")], relationships: [many("tracks", "Track", "genres")]),
      EntityDescription("Lyrics", attributes: [text("words")], relationships: [one("track", "Track", "lyrics")]),
      EntityDescription(
        "Playlist", attributes: [text("name")],
        relationships: [many("tracks", "Track", "playlists", isOrdered: true)]),
      EntityDescription("Queue", relationships: [many("items", "Track", nil)]),
      EntityDescription(
        "Track", attributes: [text("artistName"), text("imageURL"), text("json"), text("title")],
        relationships: [
          one("album", "Album", "tracks"), many("genres", "Genre", "tracks"), one("lyrics", "Lyrics", "track"),
          many("playlists", "Playlist", "tracks"),
        ]),
    ],
    [
      "INSERT INTO ZALBUM (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 1, 'First'), (4, 1, 2, 'Last')",
      "INSERT INTO ZGENRE (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 2, 1, 'Pop'), (2, 2, 1, 'Rock')",
      "INSERT INTO ZLYRICS (Z_PK, Z_ENT, Z_OPT, ZTRACK, ZWORDS) VALUES (3, 3, 1, 2, 'la')",
      "INSERT INTO ZPLAYLIST (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 4, 1, 'Party')",
      "INSERT INTO ZQUEUE (Z_PK, Z_ENT, Z_OPT) VALUES (1, 5, 1)",
      """
      INSERT INTO ZTRACK (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZJSON, ZALBUM, ZLYRICS, Z5ITEMS) VALUES
        (1, 6, 1, 'One', \(json("A", "B")), 1, NULL, 1), (2, 6, 1, 'Two', \(json("B")), 1, 3, NULL),
        (3, 6, 1, 'Three', \(json("C")), 4, NULL, 1)
      """,
      "INSERT INTO Z_2TRACKS (Z_2GENRES, Z_6TRACKS) VALUES (1, 1), (1, 2), (2, 1)",
      """
      INSERT INTO Z_4TRACKS (Z_4PLAYLISTS, Z_6TRACKS1, Z_FOK_6TRACKS1)
      VALUES (1, 3, 2048), (1, 1, 3072), (1, 2, 9000)
      """,
    ],
    artists: ["One|A, B", "Three|C", "Two|B"])

  /// Tracks have a parent, which has the JSON, a sister, and subentities four levels deep; one of them comes before
  /// `Artist`, so that the table of links is named after the tracks.
  public static let inherited = OwnModelLibrary(
    "tracks with a superentity and subentities",
    [
      EntityDescription(
        "Collection", attributes: [text("name")],
        relationships: [one("cover", "Media", nil), many("items", "Media", "collection")]),
      EntityDescription(
        "Media", isAbstract: true, attributes: [text("imageURL"), text("json"), text("title")],
        relationships: [one("collection", "Collection", "items")]),
      EntityDescription("Podcast", superentityName: "Media", attributes: [text("host")]),
      EntityDescription(
        "Track", superentityName: "Media", attributes: [text("artistName"), AttributeDescription("stars", .integer16)]),
      EntityDescription("Acoustic", superentityName: "Track", attributes: [text("venue")]),
      EntityDescription("Live", superentityName: "Acoustic"),
      EntityDescription("Bootleg", superentityName: "Live"),
      EntityDescription("Rare", superentityName: "Bootleg", attributes: [text("rarity")]),
    ],
    [
      """
      INSERT INTO ZCOLLECTION (Z_PK, Z_ENT, Z_OPT, ZCOVER, Z2_COVER, ZNAME) VALUES
        (1, 1, 1, 3, 5, 'Box'), (2, 1, 1, 1, 3, 'Shelf')
      """,
      """
      INSERT INTO ZMEDIA
        (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZJSON, ZARTISTNAME, ZSTARS, ZHOST, ZVENUE, ZRARITY, ZCOLLECTION)
      VALUES
        (1, 3, 1, 'Talk', \(json("Nobody")), NULL, NULL, 'Host', NULL, NULL, 2),
        (2, 4, 1, 'Plain', \(json("A", "B")), 'A', 4, NULL, NULL, NULL, 1),
        (3, 5, 1, 'Soft', \(json("B", "C")), NULL, NULL, NULL, 'Hall', NULL, 1),
        (4, 8, 1, 'Deep', \(json("A")), NULL, 1, NULL, 'Cave', 'very', NULL),
        (5, 4, 1, 'Broken', '{"artists":[', 'C', 2, NULL, NULL, NULL, NULL),
        (6, 5, 1, 'Bare', NULL, 'D', NULL, NULL, NULL, NULL, NULL),
        (7, 4, 1, 'Late', \(json("D")), NULL, NULL, NULL, NULL, NULL, NULL)
      """,
    ],
    artists: ["Bare|D", "Broken|C", "Deep|A", "Late|D", "Plain|A, B", "Soft|B, C"])

  /// Tracks have nothing but what the migration needs.
  public static let bare = OwnModelLibrary(
    "no title",
    [EntityDescription("Track", attributes: [text("artistName"), text("json")])],
    [
      "INSERT INTO ZTRACK (Z_PK, Z_ENT, Z_OPT, ZARTISTNAME, ZJSON) VALUES "
        + "(1, 1, 1, 'A', '{'), (2, 1, 1, NULL, \(json("B")))"
    ],
    artists: ["NULL|A", "NULL|B"])

  /// A library of the first version that leaves no room for artists.
  public static let withArtist = OwnModelLibrary(
    "artists of its own",
    [
      EntityDescription("Artist", attributes: [text("name")]),
      EntityDescription("Track", attributes: [text("artistName"), text("json")]),
    ], [])

  /// A library of the second version whose artists are people, without id and image, in a table with others.
  public static let people = OwnModelLibrary(
    "artists among people",
    [
      EntityDescription("Person", attributes: [text("name")]),
      EntityDescription(
        "Artist", superentityName: "Person", attributes: [AttributeDescription("born", .integer32)],
        relationships: [many("tracks", "Track", "artists")]),
      EntityDescription(
        "Track", attributes: [AttributeDescription("stars", .integer16), text("title", isOptional: false)],
        relationships: [many("artists", "Artist", "tracks")]),
    ],
    [
      """
      INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZNAME, ZBORN) VALUES (1, 1, 1, 'Listener', NULL),
        (2, 2, 1, 'Björk', 1965), (3, 2, 1, 'Eivør', 1983), (4, 2, 1, 'Unheard', NULL)
      """,
      """
      INSERT INTO ZTRACK (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZSTARS) VALUES
        (1, 3, 1, 'Jóga', 5), (2, 3, 1, 'Duet', 3), (3, 3, 1, 'Silence', 1)
      """,
      "INSERT INTO Z_2TRACKS (Z_2ARTISTS, Z_3TRACKS) VALUES (2, 1), (2, 2), (3, 2)",
    ],
    artists: ["Duet|Björk, Eivør", "Jóga|Björk", "Silence|"])
}
