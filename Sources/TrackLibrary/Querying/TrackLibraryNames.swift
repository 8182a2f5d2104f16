internal import Diagnostics
internal import PersistentStore
internal import SQLite

/// The names that the parts of a migrated library have in its file, for SQL.
struct TrackLibraryNames {
  let artists: EntityNames
  let tracks: EntityNames
  /// The table of links, quoted.
  let links: String
  /// The column of the links that holds keys of artists, quoted.
  let linkedArtist: String
  /// The column of the links that holds keys of tracks, quoted.
  let linkedTrack: String

  /// Looks the names up.
  ///
  /// - Throws: `MigrationError` for a library that has no artists.
  init(_ library: TrackLibraryReader) throws(MigrationError) {
    let schema = library.schema
    guard let artists = EntityNames("Artist", in: schema), let tracks = EntityNames("Track", in: schema),
      let table = schema.joinTable(forRelationship: "artists", ofEntityNamed: "Track")
    else {
      throw MigrationError(
        .migrationRequired, MigrationError.Subject(path: library.store.file.path, name: library.version.rawValue))
    }
    self.artists = artists
    self.tracks = tracks
    links = table.name.quotedIdentifier
    let isTrackNaming = schema.isNaming("artists", ofEntityNamed: "Track", in: table)
    let (track, artist) = isTrackNaming ? (table.naming, table.inverse) : (table.inverse, table.naming)
    // A column holds the keys of the destinations of the relationship that it is named after.
    linkedArtist = track.destinationColumn.quotedIdentifier
    linkedTrack = artist.destinationColumn.quotedIdentifier
  }
}
