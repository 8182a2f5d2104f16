internal import Migration
internal import PersistentStore
internal import Policies

extension MigrationReport {
  /// Sums a migration up.
  init(
    _ statistics: MigrationStatistics, _ migration: LibraryMigration, from version: TrackModelVersion,
    started: ContinuousClock.Instant, sizes: (source: Int64, destination: Int64), rejects: (count: Int, path: String?),
    backupPath: String?, leftBehind: [String: Int64]
  ) {
    let fallbacks = FallbackReason.allCases.map { ($0.rawValue, statistics[TrackCounter.fallback($0)]) }
      .filter { $0.1 > 0 }
    let tracks = statistics.destinationInstanceCounts["Track"] ?? 0
    let elapsed = ContinuousClock.now - started
    let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
    self.init(
      sourceVersion: version.rawValue, destinationVersion: TrackModelVersion.current.rawValue,
      identity: migration.trackOptions.identity.rawValue, tracksCount: tracks,
      artistsCount: statistics.destinationInstanceCounts["Artist"] ?? 0,
      linksCount: statistics.linkCounts.values.reduce(0, +),
      fallbackTracksCount: fallbacks.reduce(0) { $0 + $1.1 },
      fallbackTracksCountByReason: Dictionary(fallbacks, uniquingKeysWith: +),
      tracksWithoutArtistCount: statistics[TrackCounter.tracksWithoutArtist],
      namelessArtistsCount: statistics[TrackCounter.namelessArtists],
      duplicateKeysCount: statistics[TrackCounter.duplicateKeys],
      lateDetailsCount: statistics[TrackCounter.lateDetails],
      lateDetailsExamples: statistics.examples[TrackCounter.lateDetails] ?? [],
      nameConflictsCount: statistics[TrackCounter.nameConflicts],
      nameConflictExamples: statistics.examples[TrackCounter.nameConflicts] ?? [],
      idConflictsCount: statistics[TrackCounter.idConflicts],
      idConflictExamples: statistics.examples[TrackCounter.idConflicts] ?? [],
      rejectsCount: rejects.count, rejectsFile: rejects.path.map { FileSystem.split($0).name },
      backupFile: backupPath.map { FileSystem.split($0).name }, leftBehindCountByName: leftBehind,
      sourceSizeBytes: sizes.source,
      destinationSizeBytes: sizes.destination, elapsedSeconds: seconds,
      tracksPerSecond: seconds > 0 ? (Double(tracks) / seconds).rounded() : 0,
      peakMemoryBytes: ProcessUsage.peakMemory)
  }
}
