package import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase

/// An artist, with the number of its tracks.
public struct Artist: Sendable, Hashable {
  /// The primary key in the store.
  public let primaryKey: Int64
  /// The artist's id, if it has one.
  public let id: String?
  /// The artist's name.
  public let name: String?
  /// The URL of a picture of the artist.
  public let imageURL: String?
  /// The number of the artist's tracks.
  public let trackCount: Int64
}

/// A query for the artists of a library.
///
/// All given conditions must be met.
public struct ArtistQuery: Sendable {
  /// A field of an artist.
  public enum Field: String, QueryField {
    case name, id, tracks, imageURL, key

    /// Whether it is the number of tracks, where the most are of interest.
    public var isDescendingByDefault: Bool { self == .tracks }
  }

  /// Part of the name, ignoring case, accents and width.
  public var name: String?
  /// The exact id.
  public var id: String?
  /// Part of the title of one of the artist's tracks.
  public var trackTitle: String?
  /// The minimum number of tracks.
  public var minimumTrackCount: Int64?
  /// The order of the results; equal ones are sorted by name and then by primary key.
  public var order = [QuerySort(Field.name)]
  /// A condition in Core Data's predicate format.
  package var filter: LibraryFilter?
  /// The greatest number of answers; `nil` for all.
  public var limit: Int64?

  /// Creates a query that matches every artist.
  public init() {}

  /// Calls a closure with each matching artist, in order.
  public func forEach(in library: TrackLibraryReader, _ body: (Artist) throws -> Void) throws {
    try forEachRow(in: library) { row, _ in try body(Artist(row)) }
  }
}

extension ArtistQuery: LibraryQuery {
  static var entityName: String { "Artist" }
  static var alias: String { "a" }
  var arguments: [String?] { [name.map(TextFolding.fold), id, trackTitle.map(TextFolding.fold)] }

  func sortKeys(_ field: Field, _ names: TrackLibraryNames) -> [String] {
    let name = names.artists.text("name", "a")
    return switch field {
    case .name: ["sort_key(\(name))", name]
    case .tracks: ["n"]
    case .id, .imageURL: [names.artists.text(field.rawValue, "a")]
    case .key: ["a.Z_PK"]
    }
  }

  func tieBreakers(_ names: TrackLibraryNames) -> [String] {
    ["\(names.artists.text("name", "a")) NULLS LAST", "a.Z_PK"]
  }

  func selection(_ names: TrackLibraryNames) -> (select: String, conditions: [String]) {
    let (artists, tracks) = (names.artists, names.tracks)
    let artistName = artists.text("name", "a")
    var conditions = [artists.condition("a")].compactMap { $0 }
    if name != nil { conditions.append("contains_folded(\(artistName), ?)") }
    if id != nil { conditions.append("\(artists.text("id", "a")) = ?") }
    if trackTitle != nil {
      conditions.append(
        """
        a.Z_PK IN (SELECT l.\(names.linkedArtist) FROM \(names.links) l
        JOIN \(tracks.table) t ON t.Z_PK = l.\(names.linkedTrack)
        WHERE contains_folded(\(tracks.text("title", "t")), ?))
        """)
    }
    let fields = "a.Z_PK, \(artists.text("id", "a")), \(artistName), \(artists.text("imageURL", "a"))"
    let select =
      if let minimum = minimumTrackCount, minimum > 0 {
        """
        SELECT \(fields), c.n AS n FROM \(artists.table) a
        JOIN (SELECT \(names.linkedArtist) AS k, count(*) AS n FROM \(names.links)
        GROUP BY \(names.linkedArtist) HAVING count(*) >= \(minimum)) c ON c.k = a.Z_PK
        """
      } else {
        // Counted for each artist that matches: to count for all first takes longer than to look each up in the index.
        """
        SELECT \(fields), (SELECT count(*) FROM \(names.links) l WHERE l.\(names.linkedArtist) = a.Z_PK) AS n
        FROM \(artists.table) a
        """
      }
    return (select, conditions)
  }
}

extension Artist {
  /// The artist in the row of a statement: key, id, name, image and number of tracks.
  fileprivate init(_ row: Statement) {
    self.init(
      primaryKey: row.integer(0), id: row.text(1), name: row.text(2), imageURL: row.text(3), trackCount: row.integer(4))
  }
}

/// One artist with its tracks and the artists that it appears with.
package struct ArtistDetails: Sendable, Hashable {
  /// Another artist, and how many tracks the two share.
  package struct Companion: Sendable, Hashable {
    /// The name of the other artist.
    package let name: String
    /// The number of tracks on which both are.
    package let sharedTrackCount: Int64
  }

  /// The artist itself.
  package let artist: Artist
  /// Its tracks, by title.
  package let tracks: [Track]
  /// Most shared tracks first.
  package let companions: [Companion]

  /// Finds an artist: by its exact id, else by its exact name, else by its name ignoring case and accents.
  ///
  /// - Parameter limit: The maximum number of tracks, and of other artists; `nil` for all.
  /// - Throws: `MigrationError` when there is none, or more than one.
  package init(of nameOrID: String, in library: TrackLibraryReader, limit: Int64? = nil) throws(MigrationError) {
    let artist = try Self.find(nameOrID, in: library)
    let (tracks, companions) = try reporting(path: library.store.file.path) {
      var query = TrackQuery()
      query.artistKey = artist.primaryKey
      query.limit = limit
      var tracks: [Track] = []
      try query.forEach(in: library) { tracks.append($0) }
      return (tracks, try Self.companions(of: artist.primaryKey, library, limit))
    }
    self.artist = artist
    self.tracks = tracks
    self.companions = companions
  }

  /// The maximum number of artists with the same name that are listed; no more are kept.
  private static let namesTold = 5

  private static func find(_ nameOrID: String, in library: TrackLibraryReader) throws(MigrationError) -> Artist {
    let path = library.store.file.path
    let names = try library.names()
    let artists = names.artists
    let (id, name) = (artists.text("id", "a"), artists.text("name", "a"))
    let conditions = ["\(id) = ?", "\(name) = ?", "folded(\(name)) = folded(?)"]
    for condition in conditions {
      let found = try reporting(path: path) {
        try TextFolding.install(in: library.store.connection)
        let statement = try library.store.connection.prepare(
          """
          SELECT a.Z_PK, \(id), \(name), \(artists.text("imageURL", "a")),
            (SELECT count(*) FROM \(names.links) l WHERE l.\(names.linkedArtist) = a.Z_PK)
          FROM \(artists.table) a
          WHERE \([artists.condition("a"), condition].compactMap { $0 }.joined(separator: " AND ")) ORDER BY a.Z_PK
          LIMIT \(namesTold + 1)
          """)
        try statement.bind(nameOrID, at: 1)
        var artists: [Artist] = []
        while try statement.step() { artists.append(Artist(statement)) }
        return artists
      }
      if found.count > 1 {
        let list = found.prefix(namesTold).map { "\($0.name ?? "") (\($0.id ?? "no id"))" }.joined(separator: ", ")
        throw MigrationError(.ambiguousArtist, MigrationError.Subject(path: path, name: nameOrID), detail: list)
      }
      if let artist = found.first { return artist }
    }
    throw MigrationError(.noSuchArtist, MigrationError.Subject(path: path, name: nameOrID))
  }

  private static func companions(of key: Int64, _ library: TrackLibraryReader, _ limit: Int64?) throws -> [Companion] {
    let names = try library.names()
    let (artist, track) = (names.linkedArtist, names.linkedTrack)
    let name = names.artists.text("name", "a")
    let statement = try library.store.connection.prepare(
      """
      SELECT \(name), count(*) AS n FROM \(names.links) mine
      JOIN \(names.links) other ON other.\(track) = mine.\(track) AND other.\(artist) <> mine.\(artist)
      JOIN \(names.artists.table) a ON a.Z_PK = other.\(artist)
      WHERE mine.\(artist) = \(key) GROUP BY a.Z_PK ORDER BY n DESC, \(name), a.Z_PK
      LIMIT \(limit ?? -1)
      """)
    var companions: [Companion] = []
    while try statement.step() {
      companions.append(Companion(name: statement.text(0) ?? "", sharedTrackCount: statement.integer(1)))
    }
    return companions
  }
}
