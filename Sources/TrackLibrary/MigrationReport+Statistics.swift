internal import DataModel
internal import Migration
internal import PersistentStore
internal import Policies
internal import SystemC

extension MigrationReport {
  /// Sums a migration up.
  init(
    _ statistics: MigrationStatistics, _ migration: LibraryMigration, _ plan: LibraryMigrationPlan,
    started: ContinuousClock.Instant, sizes: (source: Int64, destination: Int64), rejects: (count: Int, path: String?),
    backupPath: String?, otherNamesCount: Int, contents: ForeignContents
  ) {
    let fallbacks = FallbackReason.allCases.map { ($0.rawValue, statistics[TrackCounter.fallback($0)]) }
      .filter { $0.1 > 0 }
    // A library's own model may have entities below the two, and other entities with links.
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
      keptCountByName: contents.kept.isEmpty ? nil : contents.kept, hasOwnModel: plan.source.isVariant ? true : nil,
      modelRemarks: plan.remarks.isEmpty ? nil : plan.remarks,
      sourceSizeBytes: sizes.source,
      destinationSizeBytes: sizes.destination, elapsedSeconds: seconds,
      tracksPerSecond: seconds > 0 ? (Double(tracks) / seconds).rounded() : 0,
      peakMemoryBytes: ProcessUsage.peakMemory)
  }
}
