internal import Diagnostics
internal import Expressions
internal import PersistentStore
internal import SQLite

/// An artist, with the number of its tracks.
public struct Artist: Sendable, Hashable {
  /// The primary key in the store.
  public let primaryKey: Int64
  /// The artist's id, if it has one.
  public let id: String?
  /// The artist's name.
  public let name: String?
  /// Where there is a picture of the artist.
  public let imageURL: String?
  /// How many tracks the artist is on.
  public let trackCount: Int64
}

/// A question about the artists of a library.
///
/// All that is given must hold.
public struct ArtistQuery: Sendable {
  /// The order of the answers.
  public enum Order: String, Sendable, CaseIterable {
    /// By name, without regard to case and accents.
    case name
    /// By the number of tracks, most first.
    case tracks
  }

  /// Part of the name, without regard to case, accents and width.
  public var name: String?
  /// The exact id.
  public var id: String?
  /// Part of the title of one of the artist's tracks.
  public var trackTitle: String?
  /// The least number of tracks.
  public var minimumTrackCount: Int64?
  /// The order of the answers.
  public var order: Order = .name
  /// A condition in Core Data's predicate format.
  public var filter: LibraryFilter?
  /// The greatest number of answers; `nil` for all.
  public var limit: Int64?

  /// Creates a question that every artist answers.
  public init() {}

  /// Calls back with each artist that answers, in order.
  public func forEach(in library: TrackLibraryReader, _ body: (Artist) throws -> Void) throws {
    let connection = library.store.connection
    do {
      try TextFolding.install(in: connection)
      let names = try TrackLibraryNames(library)
      let application = try filter?.application(toEntityNamed: "Artist", alias: "a", in: library)
      var counter = AnswerCounter(limit: limit, application)
      let statement = try connection.prepare(sql(names, application))
      for (index, argument) in zip(Int32(1)..., arguments(application)) { try argument.bind(to: statement, at: index) }
      while !counter.isDone, try statement.step() {
        guard try counter.accepts(statement.integer(0)) else { continue }
        try body(
          Artist(
            primaryKey: statement.integer(0), id: statement.text(1), name: statement.text(2),
            imageURL: statement.text(3), trackCount: statement.integer(4)))
      }
    } catch let error as SQLiteError {
      // Errors of the body stay what they are: a reader that is gone is no fault of the library.
      throw MigrationError(error, path: library.store.file.path)
    }
  }

  private func arguments(_ application: LibraryFilter.Application?) -> [SQLArgument] {
    [name.map(TextFolding.fold), id, trackTitle.map(TextFolding.fold)].compactMap { $0.map { .text($0) } }
      + (application?.condition?.arguments ?? [])
  }

  private func sql(_ names: TrackLibraryNames, _ application: LibraryFilter.Application?) -> String {
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
    let minimum = minimumTrackCount ?? 0
    // Artists without tracks are not in the join table, so they are looked for only where they may count.
    let join = minimum > 0 ? "JOIN" : "LEFT JOIN"
    let having = minimum > 0 ? " HAVING count(*) >= \(minimum)" : ""
    if let condition = application?.condition { conditions.append("(\(condition.sql))") }
    let filter = conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))"
    let order =
      switch order {
      case .name: "folded(\(artistName)), \(artistName), a.Z_PK"
      case .tracks: "n DESC, \(artistName), a.Z_PK"
      }
    let counts =
      "SELECT \(names.linkedArtist) AS k, count(*) AS n FROM \(names.links) GROUP BY \(names.linkedArtist)\(having)"
    return """
      SELECT a.Z_PK, \(artists.text("id", "a")), \(artistName), \(artists.text("imageURL", "a")), coalesce(c.n, 0) AS n
      FROM \(artists.table) a \(join) (\(counts)) c ON c.k = a.Z_PK
      \(filter) ORDER BY \(order) LIMIT \(application?.matches == nil ? limit ?? -1 : -1)
      """
  }
}
