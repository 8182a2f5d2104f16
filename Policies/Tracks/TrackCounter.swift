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
  /// Ids and images of artists that are too long to be kept.
  public static let longValues = "long_values"
  /// Artists whose id or image comes from a later mention, because the first lacks it.
  public static let lateDetails = "late_details"
  /// Artists whose mentions have different images; the first counts.
  public static let imageConflicts = "image_conflicts"
  /// Artist names that stand with more than one id.
  public static let nameConflicts = "name_conflicts"
  /// Artist ids that stand with more than one name.
  public static let idConflicts = "id_conflicts"
  /// Documents that could be read but have another shape than the one in which artists are looked for, if that is more
  /// than half of all that could be read; the one example says what they look like.
  public static let unmatchedJSON = "unmatched_json"
}
