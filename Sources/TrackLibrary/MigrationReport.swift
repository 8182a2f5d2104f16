internal import DataModel
internal import Foundation
internal import Migration
public import MigrationDiagnostics
internal import PersistentStore
internal import Policies
internal import SystemC

/// The figures of a migration.
///
/// The report is stored next to the library, and the name of every figure includes its unit.
public struct MigrationReport: Codable, Sendable, Hashable {
  /// The version of this format.
  public var formatVersion = 1
  /// The version of the program that ran the migration.
  public var toolVersion = TrackLibrary.toolVersion
  /// The version of the library before the migration.
  public var sourceVersion: String
  /// The version of the library after the migration.
  public var destinationVersion: String
  /// What identified two mentions as the same artist.
  public var identity: String
  /// Migrated tracks.
  public var tracksCount: Int
  /// Created artists.
  public var artistsCount: Int
  /// Created links.
  public var linksCount: Int
  /// Tracks whose artist was taken from `artistName`.
  public var fallbackTracksCount: Int
  /// The same tracks by reason.
  public var fallbackTracksCountByReason: [String: Int]
  /// Tracks without any artist.
  public var tracksWithoutArtistCount: Int
  /// Elements of `artists` that were skipped because they have no name.
  public var namelessArtistsCount: Int
  /// Keys that occur twice in the JSON; the first one is used.
  public var duplicateKeysCount: Int
  /// Ids and images in the JSON that are longer than 1 MiB and therefore not in the new library; `nil` in reports of
  /// versions that did not count them.
  public var longValuesCount: Int?
  /// A sentence that describes the JSON if more than half of it has a different shape from the one in which artists are
  /// expected; `nil` otherwise.
  public var unmatchedJSON: String?
  /// Artists whose id or image comes from a later mention, because the first one lacks it.
  public var lateDetailsCount: Int
  /// The first of them.
  public var lateDetailsExamples: [String]
  /// Artists whose mentions have different images, of which the first is used; `nil` in reports of versions that did
  /// not count them.
  public var imageConflictsCount: Int?
  /// A few of those artists, each with an image that is not used.
  public var imageConflictExamples: [String]?
  /// Artist names that occur with more than one id.
  public var nameConflictsCount: Int
  /// A few of those names.
  public var nameConflictExamples: [String]
  /// Artist ids that occur with more than one name.
  public var idConflictsCount: Int
  /// A few of those ids.
  public var idConflictExamples: [String]
  /// Tracks in the rejects file.
  public var rejectsCount: Int
  /// The rejects file, next to the library.
  public var rejectsFile: String?
  /// The file with the old library, next to the new one.
  public var backupFile: String?
  /// The number of other names (hard links) of the old library, which still refer to it; `nil` if there are none.
  public var otherNamesCount: Int?
  /// Tables and columns that the new library lacks because the model does not include them, with the number of rows or
  /// values in each.
  public var leftBehindCountByName: [String: Int64]
  /// The reason why each of these was left behind, as well as each of the app's own indexes, views and triggers: a
  /// stable name; `nil` if nothing was left behind.
  public var leftBehindReasonByName: [String: String]?
  /// The app's own tables that were copied unchanged, with the number of rows in each; `nil` if there are none.
  public var keptCountByName: [String: Int64]?
  /// Whether the library has its own model; `nil` if its model is exactly ours.
  public var hasOwnModel: Bool?
  /// What the new model cannot keep of the library's own model, in sentences; `nil` if there is nothing.
  public var modelRemarks: [String]?
  /// Whether the migration was a dry run; `nil` if it was not.
  public var isDryRun: Bool?
  /// Groups of artist names that differ only in case, width, accents or the form of their characters; counted only in a
  /// dry run.
  public var similarNamesCount: Int?
  /// The names of the first groups.
  public var similarNameExamples: [String]?
  /// The size of the old library.
  public var sourceSizeBytes: Int64
  /// The size of the new library.
  public var destinationSizeBytes: Int64
  /// The duration of the migration.
  public var elapsedSeconds: Double
  /// The speed of the migration.
  public var tracksPerSecond: Double
  /// The peak memory use.
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
    case isDryRun = "is_rehearsal"
    case similarNamesCount = "similar_names_count"
    case similarNameExamples = "similar_name_examples"
    case sourceSizeBytes = "source_size_bytes"
    case destinationSizeBytes = "destination_size_bytes"
    case elapsedSeconds = "elapsed_seconds"
    case tracksPerSecond = "tracks_per_second"
    case peakMemoryBytes = "peak_memory_bytes"
  }
}

extension MigrationReport {
  /// The figures of the report, in a fixed order.
  public var figures: [Figure] {
    [
      Figure("tracks_count", Int64(tracksCount), "Tracks that were migrated"),
      Figure("artists_count", Int64(artistsCount), "Artists that were created"),
      Figure("links_count", Int64(linksCount), "Links that were made"),
      Figure("fallback_tracks_count", Int64(fallbackTracksCount), "Tracks that use their artistName"),
    ]
      + FallbackReason.allCases.map { reason in
        Figure(
          "fallback_\(reason.rawValue)_tracks_count", Int64(fallbackTracksCountByReason[reason.rawValue] ?? 0),
          "Of these: \(reason.summary)")
      }
      + [
        Figure("tracks_without_artist_count", Int64(tracksWithoutArtistCount), "Tracks left without an artist"),
        Figure("nameless_artists_count", Int64(namelessArtistsCount), "Artists in JSON without a name"),
        Figure("duplicate_keys_count", Int64(duplicateKeysCount), "Keys that occur twice in JSON"),
      ]
      + [
        longValuesCount.map { Figure("long_values_count", Int64($0), "Ids and images in JSON over 1 MiB, left out") },
        Figure("late_details_count", Int64(lateDetailsCount), "Artists whose id or image a later mention gives"),
        imageConflictsCount.map { Figure("image_conflicts_count", Int64($0), "Artists with several images") },
      ].compactMap { $0 }
      + [
        Figure("name_conflicts_count", Int64(nameConflictsCount), "Names with several ids"),
        Figure("id_conflicts_count", Int64(idConflictsCount), "Ids with several names"),
        Figure("rejects_count", Int64(rejectsCount), "Tracks in the rejects file"),
        Figure("source_size_bytes", sourceSizeBytes, "Size of the old library"),
        Figure("destination_size_bytes", destinationSizeBytes, "Size of the new library"),
        Figure("elapsed_seconds", elapsedSeconds, "Time that it took"),
        Figure("tracks_per_second", tracksPerSecond, "Rate"),
        Figure("peak_memory_bytes", peakMemoryBytes, "Most memory in use"),
      ]
  }

  // MARK: - File

  /// The path of a library's report, next to the library.
  public static func path(forLibraryAt path: String) -> String { "\(path).migration.json" }

  /// Reads the report of a library; `nil` if there is none.
  ///
  /// - Throws: `MigrationError` if the file cannot be read or has a later format.
  public static func read(forLibraryAt path: String) throws(MigrationError) -> MigrationReport? {
    let file = Self.path(forLibraryAt: FileSystem.resolved(path) ?? path)
    do {
      guard try FileSystem.isThere(file) else { return nil }
      let bytes = Data(try FileSystem.contents(of: file))
      // Another format may also have other keys.
      let version = try JSONDecoder().decode(Format.self, from: bytes).formatVersion
      guard version == 1 else {
        throw MigrationError(.noStatistics, path: path, detail: "'\(file)' has format \(version)")
      }
      let report = try JSONDecoder().decode(MigrationReport.self, from: bytes)
      guard ArtistIdentity(rawValue: report.identity) != nil else {
        let known = ArtistIdentity.allCases.map { "'\($0.rawValue)'" }.joined(separator: " or ")
        throw MigrationError(
          .noStatistics, path: path, detail: "'\(file)' says identity '\(report.identity)', which is not \(known)")
      }
      return report
    } catch let error as MigrationError where error.code == .noStatistics {
      throw error
    } catch let error as MigrationError {
      let reason = error.detail.map { ": \($0)" } ?? ""
      throw MigrationError(.unreadableStatistics, path: path, detail: "'\(file)' cannot be read\(reason)")
    } catch {
      throw MigrationError(
        .noStatistics, path: path, detail: "'\(file)' is damaged, or was not written by tracks-migrate")
    }
  }

  private struct Format: Decodable {
    let formatVersion: Int

    private enum CodingKeys: String, CodingKey {
      case formatVersion = "format_version"
    }
  }

  /// The report as JSON, with sorted keys and a trailing newline.
  var json: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // Encoding numbers and strings cannot fail, and the figures are finite.
    return Array((try? encoder.encode(self)) ?? Data()) + [UInt8(ascii: "\n")]
  }

  // MARK: - Statistics

  /// Summarizes a migration.
  init(
    _ statistics: MigrationStatistics, _ migration: LibraryMigration, _ plan: LibraryMigrationPlan,
    started: ContinuousClock.Instant, sizes: (source: Int64, destination: Int64), rejects: (count: Int, path: String?),
    backupPath: String?, otherNamesCount: Int, contents: ForeignContents
  ) {
    let fallbacks = FallbackReason.allCases.map { ($0.rawValue, statistics[TrackCounter.fallback($0)]) }
      .filter { $0.1 > 0 }
    // A library's own model may have subentities of the two entities, and other entities with links.
    let lineages = plan.destination.lineages
    func count(_ entity: String) -> Int {
      statistics.destinationInstanceCounts.reduce(0) {
        $0 + (lineages[$1.key]?.contains(entity) == true ? $1.value : 0)
      }
    }
    let links = StoreSchema(plan.destination).joinTable(forRelationship: "artists", ofEntityNamed: "Track")
    let tracks = count("Track")
    let elapsed = ContinuousClock.now - started
    let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
    self.init(
      sourceVersion: plan.source.version.rawValue, destinationVersion: TrackModelVersion.current.rawValue,
      identity: migration.trackOptions.identity.rawValue, tracksCount: tracks,
      artistsCount: count("Artist"),
      linksCount: links.flatMap { statistics.linkCounts[$0.name] } ?? 0,
      fallbackTracksCount: fallbacks.reduce(0) { $0 + $1.1 },
      fallbackTracksCountByReason: Dictionary(fallbacks, uniquingKeysWith: +),
      tracksWithoutArtistCount: statistics[TrackCounter.tracksWithoutArtist],
      namelessArtistsCount: statistics[TrackCounter.namelessArtists],
      duplicateKeysCount: statistics[TrackCounter.duplicateKeys],
      longValuesCount: statistics[TrackCounter.longValues],
      unmatchedJSON: statistics.examples[TrackCounter.unmatchedJSON]?.first,
      lateDetailsCount: statistics[TrackCounter.lateDetails],
      lateDetailsExamples: statistics.examples[TrackCounter.lateDetails] ?? [],
      imageConflictsCount: statistics[TrackCounter.imageConflicts],
      imageConflictExamples: statistics.examples[TrackCounter.imageConflicts] ?? [],
      nameConflictsCount: statistics[TrackCounter.nameConflicts],
      nameConflictExamples: statistics.examples[TrackCounter.nameConflicts] ?? [],
      idConflictsCount: statistics[TrackCounter.idConflicts],
      idConflictExamples: statistics.examples[TrackCounter.idConflicts] ?? [],
      rejectsCount: rejects.count, rejectsFile: rejects.path.map { FileSystem.split($0).name.spellingPathBytes },
      backupFile: backupPath.map { FileSystem.split($0).name.spellingPathBytes },
      otherNamesCount: otherNamesCount > 0 ? otherNamesCount : nil, leftBehindCountByName: contents.leftBehind,
      leftBehindReasonByName: contents.reasons.isEmpty ? nil : contents.reasons,
      keptCountByName: contents.kept.isEmpty ? nil : contents.kept,
      hasOwnModel: plan.source.hasCustomModel ? true : nil,
      modelRemarks: plan.remarks.isEmpty ? nil : plan.remarks,
      sourceSizeBytes: sizes.source,
      destinationSizeBytes: sizes.destination, elapsedSeconds: seconds,
      tracksPerSecond: seconds > 0 ? (Double(tracks) / seconds).rounded() : 0,
      peakMemoryBytes: ProcessUsage.peakMemory)
  }
}
