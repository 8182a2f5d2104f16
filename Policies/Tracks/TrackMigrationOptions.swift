/// What a person may choose about the migration of tracks.
public struct TrackMigrationOptions: Sendable, Hashable {
  /// What makes two mentions the same artist.
  public var identity: ArtistIdentity
  /// Whether any track whose artists cannot be taken from its JSON makes the migration fail.
  public var isStrict: Bool
  /// Whether the migration fails where more than half of the JSON that can be read has another shape than the one in which
  /// artists are looked for, such as that of another service.
  ///
  /// That is for those who do not keep the old library, and so not the JSON either. Where at least half of it names
  /// artists, or says by `null` or an empty array that there are none, its shape is evidently the right one.
  public var requiresArtists: Bool

  /// Creates options.
  public init(identity: ArtistIdentity = .name, isStrict: Bool = false, requiresArtists: Bool = false) {
    self.identity = identity
    self.isStrict = isStrict
    self.requiresArtists = requiresArtists
  }
}
