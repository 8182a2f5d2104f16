internal import DataModel
internal import Diagnostics
internal import Migration
internal import PersistentStore
internal import Policies

/// One attempt at a migration, which owns what has to be cleaned up if it fails.
struct LibraryMigrationRun {
  let migration: LibraryMigration
  private let rewrite: StoreRewrite
  private let reportFile: PublishedFile
  private let started: ContinuousClock.Instant

  init(_ migration: LibraryMigration, started: ContinuousClock.Instant) throws(MigrationError) {
    self.migration = migration
    self.started = started
    let target = try StoreRewrite.target(path: migration.path, outputPath: migration.outputPath)
    // What would fail at the end fails before any work.
    reportFile = try PublishedFile(
      migration.reportPath ?? MigrationReport.path(forLibraryAt: target), besides: [target, migration.path],
      // Always the same, so that the next run takes over what a dead one has left.
      temporarySuffix: "statistics")
    rewrite = try StoreRewrite(
      path: migration.path, outputPath: migration.outputPath, target: target, busyTimeout: migration.busyTimeout)
  }

  /// Removes all that was made so far.
  func discard() {
    rewrite.discard()
    reportFile.discard()
  }

  func migrate() throws(MigrationError) -> LibraryMigration.Outcome {
    do throws(MigrationError) {
      try reportFile.reserve()
      return try migrateUnderLock()
    } catch {
      throw rewrite.explained(error)
    }
  }

  private func migrateUnderLock() throws(MigrationError) -> LibraryMigration.Outcome {
    // Another run may have been at work until a moment ago: what counts is what is there under the lock.
    let locked = try rewrite.open()
    let (source, file) = (locked.reader, locked.file)
    let version = try TrackLibraryReader.version(of: source)
    guard version == .v1 else {
      discard()
      return .alreadyCurrent(version)
    }
    let foreign = try source.foreignContent(besides: StoreSchema(version.model))
    if migration.trackOptions.isStrict, !foreign.isEmpty {
      let list = foreign.map { "\($0.name) (\($0.count))" }.joined(separator: ", ")
      throw MigrationError(
        .strictFindings, path: migration.path, detail: "the model has no place for what is in \(list)")
    }
    let rejects = RejectsFile(path: rewrite.staging.companion("rejects"))
    let statistics = try build(source, rejects)
    try rejects.finish()
    try source.close()

    let backupPath =
      migration.keepsBackup && migration.outputPath == nil
      ? Backup.freePath(for: file, version: version.rawValue) : nil
    let rejectsPath = rejects.count == 0 ? nil : Self.rejectsPath(for: rewrite.target, contents: rejects.path)
    let report = MigrationReport(
      statistics, migration, from: version, started: started,
      sizes: (source: file.size, destination: FileStatus(rewrite.staging.path)?.size ?? 0),
      rejects: (count: rejects.count, path: rejectsPath), backupPath: backupPath,
      leftBehind: Dictionary(foreign.map { ($0.name, $0.count) }, uniquingKeysWith: { first, _ in first }))
    try reportFile.stage(report.json)
    var companions: [StoreReplacement.Companion] = []
    if let stagedPath = reportFile.stagedPath {
      companions.append(
        StoreReplacement.Companion(stagedPath: stagedPath, path: reportFile.target, mayReplace: true))
    }
    if let rejectsPath, !FileSystem.exists(rejectsPath) {
      companions.append(
        StoreReplacement.Companion(stagedPath: rejects.path, path: rejectsPath, mayReplace: false))
    }
    try rewrite.publish(locked, companions: companions, backupPath: backupPath)
    // Left over only where the same rejects were there already.
    FileSystem.remove(rejects.path)
    return .migrated(
      LibraryMigration.Result(
        report: report, path: migration.outputPath ?? migration.path,
        reportPath: migration.reportPath ?? rewrite.shown(reportFile.target),
        backupPath: backupPath.map(rewrite.shown), rejectsPath: rejectsPath.map(rewrite.shown),
        examples: statistics.examples))
  }

  /// Builds the new store in the staging file.
  private func build(_ source: StoreReader, _ rejects: RejectsFile) throws(MigrationError) -> MigrationStatistics {
    let writer = try StoreWriter(
      path: rewrite.staging.path, schema: StoreSchema(TrackModelVersion.current.model), layout: source.layout)
    let manager = try MigrationManager(
      source: source, sourceModel: TrackModelVersion.v1.model, mappingModel: TrackMapping.v1ToV2,
      destination: writer, rejects: rejects,
      options: MigrationManager.Options(
        policies: .builtIn(trackOptions: migration.trackOptions), cancellation: migration.cancellation,
        onProgress: migration.onProgress))
    return try manager.migrate()
  }

  /// A name for the rejects that nothing has yet, or that the same rejects have already: an earlier run, which was
  /// stopped before it was done, has left them.
  private static func rejectsPath(for target: String, contents: String) -> String {
    let base = "\(target).rejects"
    var path = "\(base).ndjson"
    var number = 2
    while FileSystem.exists(path), !FileContents.areEqual(contents, path) {
      path = "\(base)-\(number).ndjson"
      number += 1
    }
    return path
  }
}
