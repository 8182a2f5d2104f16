internal import DataModel

extension TrackModelVersion {
  /// The version that a model is like, as far as a migration and the queries need it.
  ///
  /// A model that is like both is of the older version: its tracks still have JSON that nobody has read.
  init?(like model: ManagedObjectModel) {
    guard let track = model.entity(named: "Track") else { return nil }
    if Self.hasText("json", track), Self.hasText("artistName", track) {
      self = .v1
    } else if Self.hasArtists(track, in: model) {
      self = .v2
    } else {
      return nil
    }
  }

  private static func hasText(_ name: String, _ entity: EntityDescription) -> Bool {
    guard let attribute = entity.attribute(named: name) else { return false }
    return attribute.type == .string && !attribute.isTransient && !attribute.isDerived
  }

  private static func hasArtists(_ track: EntityDescription, in model: ManagedObjectModel) -> Bool {
    guard let artists = track.relationship(named: "artists"), let artist = model.entity(named: "Artist"),
      let tracks = artist.relationship(named: "tracks"), hasText("name", artist)
    else { return false }
    return leads(artists, to: "Artist", inverse: "tracks") && leads(tracks, to: "Track", inverse: "artists")
  }

  private static func leads(_ relationship: RelationshipDescription, to entity: String, inverse: String) -> Bool {
    relationship.isToMany && !relationship.isTransient && relationship.destinationEntityName == entity
      && relationship.inverseName == inverse
  }
}
