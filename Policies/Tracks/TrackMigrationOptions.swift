/// What a person may choose about the migration of tracks.
public struct TrackMigrationOptions: Sendable, Hashable {
  /// What makes two mentions the same artist.
  public var identity: ArtistIdentity
  /// Whether any track whose artists cannot be taken from its JSON makes the migration fail.
  public var isStrict: Bool

  /// Creates options.
  public init(identity: ArtistIdentity = .name, isStrict: Bool = false) {
    self.identity = identity
    self.isStrict = isStrict
  }
}
