public import Diagnostics
internal import PersistentStore
internal import SQLite

/// One artist with its tracks and the artists that it appears with.
public struct ArtistDetails: Sendable, Hashable {
  /// Another artist, and how many tracks the two share.
  public struct Companion: Sendable, Hashable {
    /// The name of the other artist.
    public let name: String
    /// How many tracks both are on.
    public let sharedTrackCount: Int64
  }

  /// The artist itself.
  public let artist: Artist
  /// Its tracks, by title.
  public let tracks: [Track]
  /// Most shared tracks first.
  public let companions: [Companion]

  /// Finds an artist: by its exact id, else by its exact name, else by its name without regard to case and accents.
  ///
  /// - Throws: `MigrationError` when there is none, or more than one.
  public init(of nameOrID: String, in library: TrackLibraryReader) throws(MigrationError) {
    let artist = try Self.find(nameOrID, in: library)
    let (tracks, companions) = try reporting(path: library.store.file.path) {
      var query = TrackQuery()
      query.artistKey = artist.primaryKey
      var tracks: [Track] = []
      try query.forEach(in: library) { tracks.append($0) }
      return (tracks, try Self.companions(of: artist.primaryKey, library))
    }
    self.artist = artist
    self.tracks = tracks
    self.companions = companions
  }

  /// As many artists that have one name are told of; however many there are, no more are kept.
  private static let namesTold = 5

  private static func find(_ nameOrID: String, in library: TrackLibraryReader) throws(MigrationError) -> Artist {
    let path = library.store.file.path
    let names = try TrackLibraryNames(library)
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
        while try statement.step() {
          artists.append(
            Artist(
              primaryKey: statement.integer(0), id: statement.text(1), name: statement.text(2),
              imageURL: statement.text(3), trackCount: statement.integer(4)))
        }
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

  private static func companions(of key: Int64, _ library: TrackLibraryReader) throws -> [Companion] {
    let names = try TrackLibraryNames(library)
    let (artist, track) = (names.linkedArtist, names.linkedTrack)
    let name = names.artists.text("name", "a")
    let statement = try library.store.connection.prepare(
      """
      SELECT \(name), count(*) AS n FROM \(names.links) mine
      JOIN \(names.links) other ON other.\(track) = mine.\(track) AND other.\(artist) <> mine.\(artist)
      JOIN \(names.artists.table) a ON a.Z_PK = other.\(artist)
      WHERE mine.\(artist) = \(key) GROUP BY a.Z_PK ORDER BY n DESC, \(name), a.Z_PK
      """)
    var companions: [Companion] = []
    while try statement.step() {
      companions.append(Companion(name: statement.text(0) ?? "", sharedTrackCount: statement.integer(1)))
    }
    return companions
  }
}
