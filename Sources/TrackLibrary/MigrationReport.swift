/// What a migration did, in figures.
///
/// It is kept beside the library, and every figure has its unit in its name.
public struct MigrationReport: Codable, Sendable, Hashable {
  /// The version of this format.
  public var formatVersion = 1
  /// The version of the program that did it.
  public var toolVersion = TrackLibrary.toolVersion
  /// The version that the library had.
  public var sourceVersion: String
  /// The version that the library has now.
  public var destinationVersion: String
  /// What made two mentions the same artist.
  public var identity: String
  /// Tracks that were migrated.
  public var tracksCount: Int
  /// Artists that were created.
  public var artistsCount: Int
  /// Links that were made.
  public var linksCount: Int
  /// Tracks whose artist was taken from `artistName`.
  public var fallbackTracksCount: Int
  /// The same by reason.
  public var fallbackTracksCountByReason: [String: Int]
  /// Tracks that are left without any artist.
  public var tracksWithoutArtistCount: Int
  /// Elements of `artists` that were passed over because they have no name.
  public var namelessArtistsCount: Int
  /// Keys that occur twice in the JSON; the first counts.
  public var duplicateKeysCount: Int
  /// Ids and images in the JSON that are longer than 1 MiB, so that the new library does not have them; `nil` in reports
  /// of versions that did not count them.
  public var longValuesCount: Int?
  /// In a sentence, what the JSON looks like where more than half of it has another shape than the one in which artists are
  /// looked for; `nil` otherwise.
  public var unmatchedJSON: String?
  /// Artists whose id or image comes from a later mention, because the first lacks it.
  public var lateDetailsCount: Int
  /// The first of them.
  public var lateDetailsExamples: [String]
  /// Artists whose mentions have different images, of which the first counts; `nil` in reports of versions that did not
  /// count them.
  public var imageConflictsCount: Int?
  /// A few of those artists, each with an image that does not count.
  public var imageConflictExamples: [String]?
  /// Artist names that stand with more than one id.
  public var nameConflictsCount: Int
  /// A few of those names.
  public var nameConflictExamples: [String]
  /// Artist ids that stand with more than one name.
  public var idConflictsCount: Int
  /// A few of those ids.
  public var idConflictExamples: [String]
  /// Tracks in the rejects file.
  public var rejectsCount: Int
  /// The file with the rejects, beside the library.
  public var rejectsFile: String?
  /// The file with the old library, beside the new one.
  public var backupFile: String?
  /// How many other names (hard links) the old library has, which lead to it still; `nil` when there are none.
  public var otherNamesCount: Int?
  /// Tables and columns that the model has no place for and that the new library therefore lacks: the number of rows or
  /// values in each.
  public var leftBehindCountByName: [String: Int64]
  /// Why each of these was left behind, and each index, view and trigger of the app's own: a stable name; `nil` when
  /// nothing was.
  public var leftBehindReasonByName: [String: String]?
  /// The tables of the app's own that were carried over as they are, with the number of rows in each; `nil` when there
  /// are none.
  public var keptCountByName: [String: Int64]?
  /// Whether the library has a model of its own; `nil` when its model is exactly ours.
  public var hasOwnModel: Bool?
  /// What the library's own model had and the new one cannot have, in sentences; `nil` when there is nothing.
  public var modelRemarks: [String]?
  /// Whether the migration was only rehearsed; `nil` when it was not.
  public var isRehearsal: Bool?
  /// Groups of artist names that are equal but for case, width, accents or the form of their characters; only a
  /// rehearsal counts them.
  public var similarNamesCount: Int?
  /// The names of the first groups.
  public var similarNameExamples: [String]?
  /// The size of the old library.
  public var sourceSizeBytes: Int64
  /// The size of the new library.
  public var destinationSizeBytes: Int64
  /// How long it took.
  public var elapsedSeconds: Double
  /// How fast it was.
  public var tracksPerSecond: Double
  /// The most memory that was in use.
  public var peakMemoryBytes: Int64

  private enum CodingKeys: String, CodingKey {
    case formatVersion = "format_version"
    case toolVersion = "tool_version"
    case sourceVersion = "source_version"
    case destinationVersion = "destination_version"
    case identity
    case tracksCount = "tracks_count"
    case artistsCount = "artists_count"
    case linksCount = "links_count"
    case fallbackTracksCount = "fallback_tracks_count"
    case fallbackTracksCountByReason = "fallback_tracks_count_by_reason"
    case tracksWithoutArtistCount = "tracks_without_artist_count"
    case namelessArtistsCount = "nameless_artists_count"
    case duplicateKeysCount = "duplicate_keys_count"
    case longValuesCount = "long_values_count"
    case unmatchedJSON = "unmatched_json"
    case lateDetailsCount = "late_details_count"
    case lateDetailsExamples = "late_details_examples"
    case imageConflictsCount = "image_conflicts_count"
    case imageConflictExamples = "image_conflict_examples"
    case nameConflictsCount = "name_conflicts_count"
    case nameConflictExamples = "name_conflict_examples"
    case idConflictsCount = "id_conflicts_count"
    case idConflictExamples = "id_conflict_examples"
    case rejectsCount = "rejects_count"
    case rejectsFile = "rejects_file"
    case backupFile = "backup_file"
    case otherNamesCount = "other_names_count"
    case leftBehindCountByName = "left_behind_count_by_name"
    case leftBehindReasonByName = "left_behind_reason_by_name"
    case keptCountByName = "kept_count_by_name"
    case hasOwnModel = "has_own_model"
    case modelRemarks = "model_remarks"
    case isRehearsal = "is_rehearsal"
    case similarNamesCount = "similar_names_count"
    case similarNameExamples = "similar_name_examples"
    case sourceSizeBytes = "source_size_bytes"
    case destinationSizeBytes = "destination_size_bytes"
    case elapsedSeconds = "elapsed_seconds"
    case tracksPerSecond = "tracks_per_second"
    case peakMemoryBytes = "peak_memory_bytes"
  }
}
