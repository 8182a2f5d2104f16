internal import DataModel
internal import Foundation
package import JSONPresets
package import Migration
package import MigrationDiagnostics
package import PersistentStore
internal import Policies
internal import SystemC

/// The figures of a migration.
///
/// It is kept beside the library, and every figure has its unit in its name.
package struct MigrationReport: Codable, Sendable, Hashable {
  /// The version of this format.
  package var formatVersion = 1
  /// The version of the program that did it.
  package var toolVersion = Migration.toolVersion
  /// The numbers, which stand among the other keys of the JSON.
  package var facts = Facts()
  /// The old library; `nil` in reports of versions that did not say.
  package var libraryPath: String?
  /// Its UUID.
  package var libraryUUID: String?
  /// The options of the migration.
  package var options: [String]?
  /// The files of the old library before the migration, in the results of a batch in another folder.
  package var sourceFiles: [SourceFile]?
  /// The file of the new library, in such results.
  package var resultFile: SourceFile?
  /// The digest of what decided, besides the library, what was made of it, in such results.
  package var choicesSHA256: String?
  /// The feed of an import; `nil` for a migration.
  package var feedPath: String?
  /// The feeds that were imported into the library, the latest last; `nil` for a migration.
  package var importedFeeds: [ImportedFeed]?
  /// When it was done, in seconds since 1970.
  package var finishedAtSeconds: Double?
  /// The version that the library had.
  package var sourceVersion: String
  /// The version that the library has now.
  package var destinationVersion: String
  /// The detail by which two mentions were the same artist.
  package var identity: String
  /// The places in which artists were looked for: `auto`, the name of a preset, or `paths`; `nil` in reports of
  /// versions that knew only one place.
  package var jsonShape: String?
  /// That preset, if it is not built in, or several of them.
  package var jsonPreset: Preset?
  package var jsonPresets: [Preset]?
  /// The roles of the artists that were wanted; `nil` for all.
  package var roles: [String]?
  /// The lines of the decisions about artists, after the header; `nil` if there were none.
  package var decisions: [String]?
  /// In a sentence, what the JSON looks like where more than half of it has another shape than the one in which artists are
  /// looked for; `nil` otherwise.
  package var unmatchedJSON: String?
  /// The likely places of artists in JSON of another shape, the likeliest first; `nil` if all JSON has a known shape.
  package var suggestedPresets: [Preset]?
  /// The file with the rejects, beside the library.
  package var rejectsFile: String?
  /// The file with the old library, beside the new one.
  package var backupFile: String?
  /// The number of other names (hard links) of the old library, which still lead to it; `nil` if there are none.
  package var otherNamesCount: Int?
  /// Tables and columns that the model has no place for and that the new library therefore lacks: the number of rows or
  /// values in each.
  package var leftBehindCountByName: [String: Int64]
  /// The reasons why each of these was left behind, and each index, view and trigger of the app's own, as stable names;
  /// `nil` if nothing was.
  package var leftBehindReasonByName: [String: String]?
  /// The tables of the app's own that were carried over as they are, with the number of rows in each; `nil` when there
  /// are none.
  package var keptCountByName: [String: Int64]?
  /// The triggers that did not run for the tracks that were added; `nil` if there are none.
  package var skippedTriggers: [String]?
  /// The reasons for fallbacks of an import, under an earlier name.
  package var fallbacks: [String: Int]?
  /// Whether the library has a model of its own; `nil` when its model is exactly ours.
  package var hasOwnModel: Bool?
  /// The parts of the library's own model that the new one cannot have, in sentences; `nil` if there are none.
  package var modelRemarks: [String]?
  /// Whether the migration was only rehearsed; `nil` when it was not.
  package var isDryRun: Bool?
  /// The size of the old library.
  package var sourceSizeBytes: Int64
  /// The size of the new library.
  package var destinationSizeBytes: Int64
  /// The elapsed time.
  package var elapsedSeconds: Double
  /// The number of tracks per second.
  package var tracksPerSecond: Double
  /// The most memory that was in use.
  package var peakMemoryBytes: Int64
  /// The parts of the migration, in their order; `nil` where an older version has written the report.
  package var phases: [MigrationPhase]?

  private enum CodingKeys: String, CodingKey {
    case formatVersion = "format_version"
    case toolVersion = "tool_version"
    case libraryPath = "library_path"
    case libraryUUID = "library_uuid"
    case options
    case sourceFiles = "source_files"
    case resultFile = "result_file"
    case choicesSHA256 = "choices_sha256"
    case feedPath = "feed_path"
    case importedFeeds = "imported_feeds"
    case finishedAtSeconds = "finished_at_seconds"
    case sourceVersion = "source_version"
    case destinationVersion = "destination_version"
    case identity
    case jsonShape = "json"
    case jsonPreset = "json_preset"
    case jsonPresets = "json_presets"
    case roles
    case decisions
    case unmatchedJSON = "unmatched_json"
    case suggestedPresets = "suggested_presets"
    case rejectsFile = "rejects_file"
    case backupFile = "backup_file"
    case otherNamesCount = "other_names_count"
    case leftBehindCountByName = "left_behind_count_by_name"
    case leftBehindReasonByName = "left_behind_reason_by_name"
    case keptCountByName = "kept_count_by_name"
    case skippedTriggers = "skipped_triggers"
    case fallbacks
    case hasOwnModel = "has_own_model"
    case modelRemarks = "model_remarks"
    case isDryRun = "is_rehearsal"
    case sourceSizeBytes = "source_size_bytes"
    case destinationSizeBytes = "destination_size_bytes"
    case elapsedSeconds = "elapsed_seconds"
    case tracksPerSecond = "tracks_per_second"
    case peakMemoryBytes = "peak_memory_bytes"
    case phases
  }
}

/// A feed that was imported into a library.
package struct ImportedFeed: Codable, Sendable, Hashable {
  /// The path of the feed.
  package var path: String?
  /// The digest of its content, by which it is known again.
  package var digest: String
  /// When the import was done, in seconds since 1970.
  package var finishedAtSeconds: Double?

  /// The number of feeds that are kept.
  static let limit = 1000

  private enum CodingKeys: String, CodingKey {
    case path, digest
    case finishedAtSeconds = "finished_at_seconds"
  }
}

extension MigrationReport {
  /// The figures of the report, in a fixed order.
  package var figures: [Figure] {
    Figure.all(of: facts).flatMap { figure in
      guard figure.name == Fact.fallbackTracks.key else { return [figure] }
      return [figure]
        + FallbackReason.allCases.map { reason in
          Figure(
            "fallback_\(reason.rawValue)_tracks_count", facts[.fallbacks][reason.rawValue] ?? 0,
            "Of these: \(reason.summary)")
        }
    }
      + [
        Figure("source_size_bytes", sourceSizeBytes, "Size of the old library"),
        Figure("destination_size_bytes", destinationSizeBytes, "Size of the new library"),
        Figure("elapsed_seconds", elapsedSeconds, "Time that it took"),
        Figure("tracks_per_second", tracksPerSecond, "Rate"),
        Figure("peak_memory_bytes", peakMemoryBytes, "Most memory in use"),
      ]
  }

  // MARK: - File

  /// Returns the path of a library's report, which is beside it.
  package static func path(forLibraryAt path: String) -> String { path + StoreCompanion.statisticsSuffix }

  /// Reads the report of a library; `nil` if there is none, or if it is that of another library.
  ///
  /// - Parameter uuid: The UUID of the library, as any file may have been given its name; `nil` if it is not compared.
  /// - Throws: `MigrationError` when the file cannot be read or is of a later format.
  package static func read(
    forLibraryAt path: String, withUUID uuid: String? = nil
  ) throws(MigrationError) -> MigrationReport? {
    let file = Self.path(forLibraryAt: FileSystem.resolved(path) ?? path)
    let report = try read(file, ofLibraryAt: path) { () throws(MigrationError) in
      try FileSystem.isThere(file) ? try FileSystem.contents(of: file) : nil
    }
    guard let uuid, let known = report?.libraryUUID else { return report }
    return known == uuid ? report : nil
  }

  /// Reads a report that a person has named.
  package static func read(_ file: String, ofLibraryAt path: String) throws(MigrationError) -> MigrationReport? {
    try read(file, ofLibraryAt: path) { () throws(MigrationError) in try FileSystem.contents(ofInput: file) }
  }

  private static func read(
    _ file: String, ofLibraryAt path: String, _ contents: () throws(MigrationError) -> [UInt8]?
  ) throws(MigrationError) -> MigrationReport? {
    do {
      guard let bytes = try contents().map({ Data($0) }) else { return nil }
      // Another format may also have other keys.
      let version = try JSONDecoder().decode(Format.self, from: bytes).formatVersion
      guard version == 1 else {
        throw MigrationError(.noStatistics, path: path, detail: "'\(file)' has format \(version)")
      }
      var report = try JSONDecoder().decode(MigrationReport.self, from: bytes)
      report.facts = try JSONDecoder().decode(Facts.self, from: bytes)
      let required = Fact.all(of: report.feedPath == nil ? .result : .feed)
      guard required.allSatisfy({ report.facts[$0] != nil }) else { throw Damage() }
      if let json = report.jsonShape, JSONShape(name: json, ownPresets: report.ownPresets) == nil {
        throw MigrationError(
          .noStatistics, path: path, detail: "'\(file)' names the preset '\(json)', which this version does not have")
      }
      _ = try report.artistDecisions
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
      var failure = MigrationError(.unreadableStatistics, path: path, detail: "'\(file)' cannot be read\(reason)")
      failure.advice =
        FileSystem.linkAdvice(file)
        ?? error.advice.map { $0 + " To do without them, name the old library with \(.source)." }
      throw failure
    } catch {
      throw MigrationError(
        .noStatistics, path: path, detail: "'\(file)' is damaged, or was not written by tracks-migrate")
    }
  }

  /// The decisions about artists, if there were any.
  var artistDecisions: ArtistDecisions? {
    get throws(MigrationError) {
      guard let decisions else { return nil }
      let header = ArtistDecisions.columns.joined(separator: "\t")
      do throws(ArtistDecisions.FileError) {
        return try ArtistDecisions(file: Array(([header] + decisions).joined(separator: "\n").utf8))
      } catch {
        throw MigrationError(
          .noStatistics, MigrationError.Subject(), detail: "their decisions cannot be used: \(error)")
      }
    }
  }

  /// Says that a key is missing that every version writes.
  private struct Damage: Error {}

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
    return Array((try? encoder.encode(Facts.Beside(self, facts))) ?? Data()) + [UInt8(ascii: "\n")]
  }

  // MARK: - Statistics

  /// Sums a migration up.
  init(_ result: StoreMigration.Result, _ plan: LibraryMigrationPlan, _ options: TrackMigrationOptions) {
    let statistics = result.steps.first?.statistics ?? MigrationStatistics()
    // A library's own model may have subentities of the two entities, and other entities with links.
    let lineages = plan.destination.lineages
    func count(_ entity: String) -> Int {
      statistics.destinationInstanceCounts.reduce(0) {
        $0 + (lineages[$1.key]?.contains(entity) == true ? $1.value : 0)
      }
    }
    let links = StoreSchema(plan.destination).joinTable(forRelationship: "artists", ofEntityNamed: "Track")
    let tracks = count("Track")
    var facts = Facts(statistics, options)
    (facts[.tracks], facts[.artists], facts[.rejects]) = (tracks, count("Artist"), result.rejectsCount)
    facts[.links] = links.flatMap { statistics.linkCounts[$0.name] } ?? 0
    if options.decisions == nil { facts.groups[.decisions] = nil }
    if facts[.roles].isEmpty { facts.groups[.roles] = nil }
    self.init(result, statistics, facts, tracks: tracks, sourceVersion: plan.source.version.rawValue, options)
    hasOwnModel = plan.source.hasCustomModel ? true : nil
    modelRemarks = plan.remarks.isEmpty ? nil : plan.remarks
  }

  /// Sums an import up.
  ///
  /// - Parameter facts: The facts of the feed.
  init(
    _ result: StoreMigration.Result, _ statistics: MigrationStatistics, _ facts: Facts, feedPath: String, isNew: Bool,
    skippedTriggers: [String], _ options: TrackMigrationOptions
  ) {
    let lines = [Fact.addedTracks, .replacedTracks, .knownTracks, .rejectedLines].reduce(0) { $0 + (facts[$1] ?? 0) }
    self.init(
      result, statistics, facts, tracks: lines, sourceVersion: isNew ? "feed" : TrackModelVersion.current.rawValue,
      options)
    self.feedPath = feedPath.spellingPathBytes
    self.skippedTriggers = skippedTriggers
    keptCountByName = keptCountByName ?? [:]
    leftBehindReasonByName = leftBehindReasonByName ?? [:]
    fallbacks = facts[.fallbacks]
    if isNew { sourceSizeBytes = 0 }
  }

  private init(
    _ result: StoreMigration.Result, _ statistics: MigrationStatistics, _ facts: Facts, tracks: Int,
    sourceVersion: String, _ options: TrackMigrationOptions
  ) {
    let contents = ForeignContents(result.surroundings, uncopied: result.uncopied)
    let seconds = result.duration.seconds
    let own = options.json.ownPresets
    self.init(
      facts: facts, libraryPath: result.origin.libraryPath, libraryUUID: result.origin.libraryUUID,
      options: result.origin.options,
      sourceFiles: result.origin.sourceFiles, resultFile: result.origin.resultFile,
      choicesSHA256: result.origin.choices, finishedAtSeconds: Date().timeIntervalSince1970,
      sourceVersion: sourceVersion, destinationVersion: TrackModelVersion.current.rawValue,
      identity: options.identity.rawValue, jsonShape: options.json.name, jsonPreset: own.count == 1 ? own[0] : nil,
      jsonPresets: own.count > 1 ? own : nil,
      roles: options.roles?.map(\.rawValue).sorted(), decisions: options.decisions?.all.map(\.text),
      unmatchedJSON: statistics.unmatchedJSON, suggestedPresets: statistics.suggestedPresets,
      rejectsFile: result.rejectsPath.map { FileSystem.split($0).name.spellingPathBytes },
      backupFile: result.backupPath.map { FileSystem.split($0).name.spellingPathBytes },
      otherNamesCount: result.otherNamesCount > 0 ? result.otherNamesCount : nil,
      leftBehindCountByName: contents.leftBehind,
      leftBehindReasonByName: contents.reasons.isEmpty ? nil : contents.reasons,
      keptCountByName: contents.kept.isEmpty ? nil : contents.kept,
      sourceSizeBytes: result.sourceSize, destinationSizeBytes: result.destinationSize, elapsedSeconds: seconds,
      tracksPerSecond: seconds > 0 ? (Double(tracks) / seconds).rounded() : 0,
      peakMemoryBytes: ProcessUsage.peakMemory, phases: result.phases)
  }
}

extension MigrationReport {
  /// The contents of the library besides its tracks and artists, and their fate.
  package var foreignContents: ForeignContents {
    ForeignContents(
      kept: keptCountByName ?? [:], leftBehind: leftBehindCountByName, reasons: leftBehindReasonByName ?? [:])
  }
}
