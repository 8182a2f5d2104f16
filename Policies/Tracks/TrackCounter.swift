/// The names of what the track policy counts, in `MigrationStatistics`.
public enum TrackCounter {
  /// Tracks that use their `artistName` for this reason.
  public static func fallback(_ reason: FallbackReason) -> String { "fallback.\(reason.rawValue)" }

  /// Tracks that are left without any artist, because they have no `artistName` either.
  public static let tracksWithoutArtist = "tracks_without_artist"
  /// Elements of `artists` that were passed over because they have no name.
  public static let namelessArtists = "nameless_artists"
  /// Keys that occur twice where only one can count.
  public static let duplicateKeys = "duplicate_keys"
  /// Artists whose id or image only a later mention has, so that they are without it.
  public static let lateDetails = "late_details"
  /// Artist names that stand with more than one id.
  public static let nameConflicts = "name_conflicts"
  /// Artist ids that stand with more than one name.
  public static let idConflicts = "id_conflicts"
}
