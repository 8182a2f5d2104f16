import TestSupport

/// The rows of libraries, for comparisons.
enum Rows {
  /// Returns the rows of a v2 library: its artists, then its links as `link artist|track`.
  static func migrated(_ path: String) throws -> [String] {
    try Database.rows("SELECT Z_PK, ZID, ZNAME, ZIMAGEURL FROM ZARTIST ORDER BY Z_PK", in: path)
      + Database.rows("SELECT 'link ' || Z_1ARTISTS, Z_2TRACKS FROM Z_1TRACKS ORDER BY Z_1ARTISTS, Z_2TRACKS", in: path)
  }

  /// Returns the tracks of a library of either version, without columns that only one version has.
  static func tracks(_ path: String) throws -> [String] {
    try Database.rows("SELECT Z_PK, Z_OPT, ZLASTPLAYEDAT, ZIMAGEURL, ZTITLE FROM ZTRACK ORDER BY Z_PK", in: path)
  }

  /// Returns all rows of a v1 library.
  static func original(_ path: String) throws -> [String] {
    try Database.rows(
      "SELECT Z_PK, Z_ENT, Z_OPT, ZLASTPLAYEDAT, ZARTISTNAME, ZIMAGEURL, hex(ZJSON), ZTITLE FROM ZTRACK ORDER BY Z_PK",
      in: path)
      + Database.rows("SELECT Z_UUID, hex(Z_PLIST) FROM Z_METADATA", in: path)
  }
}
