internal import PersistentStore
internal import SQLiteDatabase

/// A track, with the names of its artists.
public struct Track: Sendable, Hashable {
  /// The primary key in the store.
  public let primaryKey: Int64
  /// The track's title.
  public let title: String?
  /// The names of its artists, ordered by their keys.
  public let artistNames: [String]
  /// The ids of its artists, in the same order.
  public let artistIDs: [String?]
  /// Seconds since 2001-01-01 00:00:00 UTC.
  public let lastPlayedAt: Double?
  /// The text, or in Base64 the bytes, that another program has stored in its place.
  package let oddTime: String?
  /// The URL of the track's picture.
  public let imageURL: String?
}

/// A query for the tracks of a library.
///
/// All given conditions must be met.
public struct TrackQuery: Sendable {
  /// A field of a track.
  public enum Field: String, QueryField {
    case title, artists, lastPlayedAt, imageURL, artistIDs, key

    /// Whether it is the date last played, where the most recent are of interest.
    public var isDescendingByDefault: Bool { self == .lastPlayedAt }
  }

  /// Part of the title, ignoring case, accents and width.
  public var title: String?
  /// Part of the name of one of the artists.
  public var artistName: String?
  /// The primary key of one of the artists.
  public var artistKey: Int64?
  /// The order of the results; equal ones are sorted by primary key.
  public var order = [QuerySort(Field.title)]
  /// A condition in Core Data's predicate format.
  package var filter: LibraryFilter?
  /// The greatest number of answers; `nil` for all.
  public var limit: Int64?

  /// Creates a query that matches every track.
  public init() {}

  /// Calls a closure with each matching track, in order.
  public func forEach(in library: TrackLibraryReader, _ body: (Track) throws -> Void) throws {
    var artists: Statement?
    try forEachRow(in: library) { row, names in
      let statement =
        try artists
        ?? library.store.connection.prepare(
          """
          SELECT \(names.artists.text("name", "a")), \(names.artists.text("id", "a")) FROM \(names.links) l
          JOIN \(names.artists.table) a ON a.Z_PK = l.\(names.linkedArtist)
          WHERE l.\(names.linkedTrack) = ? ORDER BY a.Z_PK
          """)
      artists = statement
      try statement.bind(row.integer(0), at: 1)
      var (artistNames, artistIDs): ([String], [String?]) = ([], [])
      while try statement.step() {
        artistNames.append(statement.text(0) ?? "")
        artistIDs.append(statement.text(1))
      }
      statement.reset()
      let time = ColumnValue(row, 2)
      try body(
        Track(
          primaryKey: row.integer(0), title: row.text(1), artistNames: artistNames, artistIDs: artistIDs,
          lastPlayedAt: time.number, oddTime: time.oddTime, imageURL: row.text(3)))
    }
  }
}

extension TrackQuery: LibraryQuery {
  static var entityName: String { "Track" }
  static var alias: String { "t" }
  var arguments: [String?] { [title.map(TextFolding.fold), artistName.map(TextFolding.fold)] }

  func sortKeys(_ field: Field, _ names: TrackLibraryNames) -> [String] {
    let title = names.tracks.text("title", "t")
    return switch field {
    case .title: ["sort_key(\(title))", title]
    case .artists: ["sort_key(\(ofArtists("name", names)))", ofArtists("name", names)]
    case .lastPlayedAt: [names.tracks.date("lastPlayedAt", "t")]
    case .imageURL: [names.tracks.text("imageURL", "t")]
    case .artistIDs: [ofArtists("id", names)]
    case .key: ["t.Z_PK"]
    }
  }

  func tieBreakers(_ names: TrackLibraryNames) -> [String] { ["t.Z_PK"] }

  /// An attribute of all artists of a track as one text; NULL if it has none.
  private func ofArtists(_ attribute: String, _ names: TrackLibraryNames) -> String {
    """
    (SELECT group_concat(x, '; ') FROM (SELECT \(names.artists.text(attribute, "a")) AS x FROM \(names.links) l
    JOIN \(names.artists.table) a ON a.Z_PK = l.\(names.linkedArtist)
    WHERE l.\(names.linkedTrack) = t.Z_PK ORDER BY a.Z_PK))
    """
  }

  func selection(_ names: TrackLibraryNames) -> (select: String, conditions: [String]) {
    let tracks = names.tracks
    let trackTitle = tracks.text("title", "t")
    let played = tracks.date("lastPlayedAt", "t")
    var conditions = [tracks.condition("t")].compactMap { $0 }
    if title != nil { conditions.append("contains_folded(\(trackTitle), ?)") }
    if artistName != nil {
      conditions.append(
        """
        t.Z_PK IN (SELECT l.\(names.linkedTrack) FROM \(names.links) l
        JOIN \(names.artists.table) a ON a.Z_PK = l.\(names.linkedArtist)
        WHERE contains_folded(\(names.artists.text("name", "a")), ?))
        """)
    }
    if let artistKey {
      conditions.append(
        "t.Z_PK IN (SELECT \(names.linkedTrack) FROM \(names.links) WHERE \(names.linkedArtist) = \(artistKey))")
    }
    let select =
      "SELECT t.Z_PK, \(trackTitle), \(played), \(tracks.text("imageURL", "t")) FROM \(tracks.table) t"
    return (select, conditions)
  }
}

extension ColumnValue {
  /// The number, if it is one.
  var number: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .real(let real): real
    case .null, .text, .blob: nil
    }
  }

  /// The text or bytes that another program has stored in place of a time, which are shown as they are.
  var oddTime: String? {
    switch self {
    case .text(let text): text
    case .blob(let bytes): bytes.base64
    case .null, .integer, .real: nil
    }
  }
}
