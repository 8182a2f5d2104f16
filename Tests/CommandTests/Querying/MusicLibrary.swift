import Foundation
import SQLiteDatabase
import TestSupport

/// A v2 library with names of all kinds, written by hand and shared by all queries.
enum MusicLibrary {
  static let folder = Result { () throws -> TemporaryFolder in
    let folder = try TemporaryFolder()
    try make(folder.file("Music.sqlite"))
    return folder
  }

  static var path: String { get throws { try folder.get().file("Music.sqlite") } }

  /// A terminal that obeys this text would clear its screen, turn red, or show a second row.
  static let hostileName = "Evil\u{1B}[2J\u{1B}[31m\nname\u{202E}"

  private static let artists: [(id: String?, name: String?, imageURL: String?)] = [
    ("bj", "Björk", "https://i.example/bj"), ("ac", "AC/DC", nil), ("so", "Sigur Rós", nil), (nil, "ｆｕｌｌｗｉｄｔｈ", nil),
    ("hostile", hostileName, nil), ("quote", #"Say "Hi", they said"#, nil), ("t1", "Twin", nil), ("t2", "Twin", nil),
    ("upper", "ROBYN", nil), ("lower", "robyn", nil), (nil, nil, nil), ("lonely", "Nobody's Artist", nil),
  ]

  /// Each with the keys of its artists.
  private static let tracks: [(title: String?, playedAt: Double?, artists: [Int])] = [
    ("Hyperballad", 100, [1]), ("Army of Me", 300, [1]), ("Jóga", nil, [1]), ("Ágætis byrjun", 200, [1, 3]),
    ("Thunderstruck", 0, [2]), ("wide", nil, [4]), ("Trap\u{1B}]0;owned\u{07}", nil, [5]), ("Quoted", nil, [6, 2]),
    ("One", nil, [7]), ("Two", nil, [8]), ("Caps", nil, [9]), ("Small", nil, [10]), (nil, nil, [11]),
    ("Orphan", nil, []),
  ]

  private static func make(_ path: String) throws {
    let connection = try Connection(path: path, access: .create)
    try connection.execute(
      """
      CREATE TABLE ZARTIST ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZID VARCHAR, ZIMAGEURL VARCHAR,
        ZNAME VARCHAR );
      CREATE TABLE Z_1TRACKS ( Z_1ARTISTS INTEGER, Z_2TRACKS INTEGER, PRIMARY KEY (Z_1ARTISTS, Z_2TRACKS) );
      CREATE TABLE ZTRACK ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLASTPLAYEDAT TIMESTAMP,
        ZIMAGEURL VARCHAR, ZTITLE VARCHAR );
      CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
      CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
      INSERT INTO Z_PRIMARYKEY VALUES (1, 'Artist', 0, 12), (2, 'Track', 0, 14);
      """)
    try LibraryBuilder(hashes: LibraryBuilder.v2Hashes, metadata: ["Token": "s3cr3t"]).writeMetadata(connection)
    let artist = try connection.prepare("INSERT INTO ZARTIST VALUES (NULL, 1, 1, ?, ?, ?)")
    for row in artists {
      for (index, value) in zip(Int32(1)..., [row.id, row.imageURL, row.name]) { try artist.bind(value, at: index) }
      try artist.run()
    }
    let track = try connection.prepare("INSERT INTO ZTRACK VALUES (NULL, 2, 1, ?, NULL, ?)")
    for (key, row) in zip(1..., tracks) {
      try track.bind(row.playedAt, at: 1)
      try track.bind(row.title, at: 2)
      try track.run()
      for artist in row.artists { try connection.execute("INSERT INTO Z_1TRACKS VALUES (\(artist), \(key))") }
    }
  }
}
