package import JSONPresets
package import MigrationDiagnostics
internal import PersistentStore
internal import Policies
internal import SQLiteDatabase
package import TerminalOutput

/// A figure with its unit in its name.
package struct Figure: Sendable, Hashable {
  /// Such as `tracks_count` or `elapsed_seconds`.
  package let name: String
  /// The number itself.
  package let value: FieldValue
  /// The meaning of the figure, in a few words.
  package let help: String

  package init(_ name: String, _ value: some BinaryInteger, _ help: String) {
    (self.name, self.value, self.help) = (name, FieldValue(value), help)
  }

  package init(_ name: String, _ value: Double, _ help: String) {
    (self.name, self.value, self.help) = (name, .real(value), help)
  }

  /// Returns the figures of facts, as far as these were looked for.
  package static func all(of facts: Facts) -> [Figure] {
    Fact.allCases.flatMap { fact -> [Figure] in
      guard let key = fact.key, let count = facts[fact] else { return [] }
      return [Figure(key, count, fact.traits.help)]
    }
  }
}

/// The contents of a library, and the figures of its migration.
package struct LibraryStatistics: Sendable {
  /// The figures of the store itself.
  package let library: [Figure]
  /// The figures of the report beside the library, if there is one.
  package let migration: [Figure]?
  /// The report itself.
  package let report: MigrationReport?
  /// The error of reading the report, if there is one that cannot be read.
  package let reportError: MigrationError?

  /// Counts what a library holds and reads the report beside it.
  package init(of library: TrackLibraryReader) throws(MigrationError) {
    let store = library.store
    try store.requireBoundedTables()
    self.library = try reporting(path: store.file.path) {
      var figures = [Figure("file_size_bytes", store.file.size, "Size of the library file")]
      let tracks = EntityNames("Track", in: library.schema)
      let trackCount = try tracks.map { try Self.count($0.rows, store.connection) } ?? 0
      figures.append(Figure("tracks_count", trackCount, "Tracks"))
      if library.version == .v2 {
        figures += try Self.artistFigures(library.names(), tracks: trackCount, store.connection)
        figures += try [library.danglingLinks()?.figure].compactMap { $0 }
      }
      return figures
    }
    (report, reportError) = Self.report(of: library)
    migration = report?.figures
  }

  /// The report beside a library, or why it cannot be read.
  static func report(of library: TrackLibraryReader) -> (MigrationReport?, MigrationError?) {
    // A run stopped at the last moment may have left the report of a migration that was not completed.
    do throws(MigrationError) {
      let report = try MigrationReport.read(
        forLibraryAt: library.store.file.path, withUUID: library.store.metadata.uuid)
      return (report?.destinationVersion == library.version.rawValue ? report : nil, nil)
    } catch {
      return (nil, error)
    }
  }

  private static func count(_ rows: String, _ connection: Connection) throws(SQLiteError) -> Int64 {
    try connection.integer("SELECT count(*) FROM \(rows)") ?? 0
  }

  private static func artistFigures(
    _ names: TrackLibraryNames, tracks: Int64, _ connection: Connection
  ) throws(SQLiteError) -> [Figure] {
    let artists = try count(names.artists.rows, connection)
    let (artist, track) = (names.linkedArtist, names.linkedTrack)
    // One walk over the links of each end.
    let sizes = try connection.prepare(
      """
      SELECT n, count(*) FROM (SELECT count(*) AS n FROM \(names.links) GROUP BY \(artist)) GROUP BY n ORDER BY n
      """)
    var artistCounts: [(trackCount: Int64, count: Int64)] = []
    while try sizes.step() { artistCounts.append((sizes.integer(0), sizes.integer(1))) }
    let linkedArtists = artistCounts.reduce(0) { $0 + $1.count }
    let links = artistCounts.reduce(0) { $0 + $1.trackCount * $1.count }
    let ofTracks = try connection.prepare(
      "SELECT count(*), max(n) FROM (SELECT count(*) AS n FROM \(names.links) GROUP BY \(track))")
    let hasTracks = try ofTracks.step()
    let (linkedTracks, mostArtists) = hasTracks ? (ofTracks.integer(0), ofTracks.integer(1)) : (0, 0)
    /// The number of tracks of the artist at a place in their order.
    func trackCount(at place: Int64) -> Int64 {
      var rest = place
      for size in artistCounts {
        if rest < size.count { return size.trackCount }
        rest -= size.count
      }
      return 0
    }
    // An even count has two values in the middle.
    let twiceTheMedian = trackCount(at: (linkedArtists - 1) / 2) + trackCount(at: linkedArtists / 2)
    return [
      Figure("artists_count", artists, "Artists"),
      Figure("links_count", links, "Links between artists and tracks"),
      Figure("tracks_without_artist_count", tracks - linkedTracks, "Tracks without an artist"),
      Figure("artists_without_track_count", artists - linkedArtists, "Artists without a track"),
      Figure("tracks_per_artist_mean_count", ratio(links, linkedArtists), "Tracks per artist that has any, mean"),
      Figure(
        "tracks_per_artist_median_count", ratio(twiceTheMedian, 2), "Tracks per artist that has any, median"),
      Figure(
        "tracks_per_artist_maximum_count", artistCounts.last?.trackCount ?? 0, "Tracks per artist, maximum"),
      Figure("artists_per_track_mean_count", ratio(links, linkedTracks), "Artists per track that has any, mean"),
      Figure("artists_per_track_maximum_count", mostArtists, "Artists per track, maximum"),
    ]
  }

  private static func ratio(_ dividend: Int64, _ divisor: Int64) -> Double {
    divisor == 0 ? 0 : Double(dividend) / Double(divisor)
  }
}
