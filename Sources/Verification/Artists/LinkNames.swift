internal import DataModel
internal import PersistentStore

/// Where the links between tracks and artists lie.
struct LinkNames {
  /// The table, and its columns with the keys of tracks and artists.
  let table: String
  let track: String
  let artist: String
  /// The table of artists, and its columns.
  let artists: String
  let name: String
  let id: String
  let imageURL: String
  /// The table of tracks.
  let tracks: String
  /// The number of artists' entity.
  let artistNumber: Int

  /// Looks the names up; `nil` for a model without artists.
  init?(_ schema: StoreSchema) {
    guard let table = schema.joinTable(forRelationship: "artists", ofEntityNamed: "Track"),
      let artists = schema.table(forEntityNamed: "Artist"), let tracks = schema.table(forEntityNamed: "Track"),
      let name = schema.column(forProperty: "name", ofEntityNamed: "Artist"),
      let id = schema.column(forProperty: "id", ofEntityNamed: "Artist"),
      let imageURL = schema.column(forProperty: "imageURL", ofEntityNamed: "Artist")
    else { return nil }
    let isNamedByTrack = table.naming.relationshipName == "artists"
    let (fromTrack, fromArtist) = isNamedByTrack ? (table.naming, table.inverse) : (table.inverse, table.naming)
    self.table = table.name
    // A column holds the keys of the destinations of the relationship that it is named after.
    artist = fromTrack.destinationColumn
    track = fromArtist.destinationColumn
    self.artists = artists.name
    self.tracks = tracks.name
    (self.name, self.id, self.imageURL) = (name.name, id.name, imageURL.name)
    artistNumber = schema.entityNumber("Artist")
  }
}
