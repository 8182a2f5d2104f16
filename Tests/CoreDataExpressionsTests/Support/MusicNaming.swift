import CoreDataExpressions

/// The tables of a small music library, as Core Data would name them.
struct MusicNaming: SQLSchema {
  static let track = SQLTable(entity: "Track", name: "ZTRACK")
  static let album = SQLTable(entity: "Album", name: "ZALBUM")
  static let label = SQLTable(entity: "Label", name: "ZLABEL")
  static let artist = SQLTable(entity: "Artist", name: "ZARTIST")

  /// Temporary tables, which stay in memory.
  static let schema = """
    PRAGMA temp_store = MEMORY;
    CREATE TEMP TABLE ZTRACK (Z_PK INTEGER PRIMARY KEY, ZTITLE VARCHAR, ZRATING INTEGER, ZPLAYS INTEGER, ZLENGTH FLOAT,
      ZADDED TIMESTAMP, ZLIKED INTEGER, ZCODE BLOB, ZPRICE DECIMAL, ZALBUM INTEGER);
    CREATE TEMP TABLE ZALBUM (Z_PK INTEGER PRIMARY KEY, ZNAME VARCHAR, ZYEAR INTEGER, ZSCORE FLOAT, ZLABEL INTEGER);
    CREATE TEMP TABLE ZLABEL (Z_PK INTEGER PRIMARY KEY, ZNAME VARCHAR);
    CREATE TEMP TABLE ZARTIST (Z_PK INTEGER PRIMARY KEY, ZNAME VARCHAR, ZAGE INTEGER);
    CREATE TEMP TABLE Z_1TRACKS (Z_1ARTISTS INTEGER, Z_2TRACKS INTEGER, PRIMARY KEY (Z_1ARTISTS, Z_2TRACKS));
    """

  private static let properties: [String: [String: SQLProperty]] = [
    "Track": [
      "title": .attribute(column: "ZTITLE", type: .string),
      "rating": .attribute(column: "ZRATING", type: .integer16),
      "plays": .attribute(column: "ZPLAYS", type: .integer64),
      "length": .attribute(column: "ZLENGTH", type: .real),
      "added": .attribute(column: "ZADDED", type: .date),
      "liked": .attribute(column: "ZLIKED", type: .boolean),
      "code": .attribute(column: "ZCODE", type: .uuid),
      "price": .attribute(column: "ZPRICE", type: .other),
      "album": .toOne(column: "ZALBUM", destination: album),
      "artists": .toMany(
        destination: artist, link: .joinTable("Z_1TRACKS", source: "Z_2TRACKS", destination: "Z_1ARTISTS")),
    ],
    "Album": [
      "name": .attribute(column: "ZNAME", type: .string),
      "year": .attribute(column: "ZYEAR", type: .integer32),
      "score": .attribute(column: "ZSCORE", type: .real),
      "label": .toOne(column: "ZLABEL", destination: label),
      "tracks": .toMany(destination: track, link: .inverse(column: "ZALBUM")),
    ],
    "Label": [
      "name": .attribute(column: "ZNAME", type: .string),
      "albums": .toMany(destination: album, link: .inverse(column: "ZLABEL")),
    ],
    "Artist": [
      "name": .attribute(column: "ZNAME", type: .string),
      "age": .attribute(column: "ZAGE", type: .integer16),
      "tracks": .toMany(
        destination: track, link: .joinTable("Z_1TRACKS", source: "Z_1ARTISTS", destination: "Z_2TRACKS")),
    ],
  ]

  /// Whether the links are known to lead to rows, as they do in tests.
  var knowsLinks = false

  func hasAllRows(ofJoinTable name: String) -> Bool { knowsLinks && name == "Z_1TRACKS" }

  func property(_ key: String, of entity: String) -> SQLProperty? {
    Self.properties[entity]?[key]
  }
}
