internal import DataModel
internal import Diagnostics
internal import Migration
internal import PersistentStore
internal import Policies

/// One attempt at a migration, which owns what has to be cleaned up if it fails.
struct LibraryMigrationRun {
  let migration: LibraryMigration
  private let staging: StagingFile
  private let reportFile: PublishedFile
  /// The resolved path of the result.
  private let target: String
  private let started: ContinuousClock.Instant

  init(_ migration: LibraryMigration, started: ContinuousClock.Instant) throws(MigrationError) {
    self.migration = migration
    self.started = started
    if let output = migration.outputPath {
      target = try Self.resolvedTarget(output, source: migration.path)
    } else {
      target = try StoreFile(migration.path).resolvedPath
    }
    // What would fail at the end fails before any work.
    reportFile = try PublishedFile(
      migration.reportPath ?? MigrationReport.path(forLibraryAt: target), besides: [target, migration.path],
      // Always the same, so that the next run takes over what a dead one has left.
      temporarySuffix: "statistics")
    do throws(MigrationError) {
      staging = try StagingFile(for: target, named: migration.outputPath ?? migration.path)
    } catch let error where error.code == .cannotCreate && migration.outputPath == nil {
      throw MigrationError(.cannotReplace, path: migration.path, detail: error.detail)
    }
  }

  /// Removes all that was made so far.
  func discard() {
    staging.discard()
    reportFile.discard()
  }

  func migrate() throws(MigrationError) -> LibraryMigration.Outcome {
    do throws(MigrationError) {
      try reportFile.reserve()
      return try migrateUnderLock()
    } catch {
      throw error.subject.path.map { $0.hasPrefix(staging.path) } == true ? explain(error) : error
    }
  }

  private func migrateUnderLock() throws(MigrationError) -> LibraryMigration.Outcome {
    // Another run may have been at work until a moment ago: what counts is what is there under the lock.
    let file = try StoreFile(migration.path)
    let sourceGuard =
      migration.outputPath == nil
      ? try SourceGuard(file, busyTimeout: migration.busyTimeout) : nil
    let source = try StoreReader(file: file, busyTimeout: migration.busyTimeout)
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
    let rejects = RejectsFile(path: staging.companion("rejects"))
    let statistics = try build(source, rejects)
    try rejects.finish()
    try source.close()

    let backupPath =
      migration.keepsBackup && sourceGuard != nil
      ? Backup.freePath(for: file, version: version.rawValue) : nil
    let rejectsPath = rejects.count == 0 ? nil : Self.rejectsPath(for: target, contents: rejects.path)
    let report = MigrationReport(
      statistics, migration, from: version, started: started,
      sizes: (source: file.size, destination: FileStatus(staging.path)?.size ?? 0),
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
    let replacement = StoreReplacement(staging: staging, companions: companions)
    if let sourceGuard {
      // The lock must hold until the new library is in place.
      try withExtendedLifetime(sourceGuard) { () throws(MigrationError) in
        try sourceGuard.takeOver()
        try replacement.replace(file, backupPath: backupPath)
      }
    } else {
      try replacement.publish(as: target, like: file)
    }
    // Left over only where the same rejects were there already.
    FileSystem.remove(rejects.path)
    return .migrated(
      LibraryMigration.Result(
        report: report, path: migration.outputPath ?? migration.path,
        reportPath: migration.reportPath ?? shown(reportFile.target), backupPath: backupPath.map(shown),
        rejectsPath: rejectsPath.map(shown),
        examples: statistics.examples))
  }

  /// The path of a file beside the result in the form in which the user named the result, where no link is between.
  private func shown(_ path: String) -> String {
    let named = migration.outputPath ?? migration.path
    let (folder, name) = FileSystem.split(named)
    guard let resolved = FileSystem.resolved(folder), path.hasPrefix(target),
      FileSystem.sibling(of: resolved + "/x", named: name) == target
    else { return path }
    return named + path.dropFirst(target.count)
  }

  /// What an error about the hidden files means for the files that the user knows: what cannot be written is the
  /// result, and what is damaged can only be the library, for the result was written a moment ago.
  private func explain(_ error: MigrationError) -> MigrationError {
    let isAboutLibrary = [.damaged, .notADatabase, .unreadable, .interrupted].contains(error.code)
    return MigrationError(
      error.code, path: isAboutLibrary ? migration.path : migration.outputPath ?? migration.path, detail: error.detail)
  }

  /// Builds the new store in the staging file.
  private func build(_ source: StoreReader, _ rejects: RejectsFile) throws(MigrationError) -> MigrationStatistics {
    let writer = try StoreWriter(
      path: staging.path, schema: StoreSchema(TrackModelVersion.current.model), layout: source.layout)
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

  /// Where a new file will lie: its folder resolved, and nothing there yet that could be mistaken for it.
  private static func resolvedTarget(_ output: String, source: String) throws(MigrationError) -> String {
    let (folder, name) = FileSystem.split(output)
    guard let resolved = FileSystem.resolved(folder), !name.isEmpty else {
      throw MigrationError(.cannotCreate, path: output, detail: "there is no folder '\(folder)'")
    }
    let target = FileSystem.sibling(of: resolved + "/x", named: name)
    let belongs = LibraryFiles.isPart(target, of: FileSystem.resolved(source) ?? source) && target != source
    guard !belongs || FileSystem.exists(target), !LibraryFiles.isTemporary(target) else {
      throw MigrationError(.cannotCreate, path: output, detail: "this name belongs to the library")
    }
    StagingFile.removeSecondName(ofResultAt: target)
    // A log or journal of an earlier file of this name would be taken for the new one's.
    for suffix in ["", "-wal", "-shm", "-journal"] where FileSystem.exists(target + suffix) {
      throw MigrationError(.outputExists, path: output + suffix)
    }
    return target
  }
}
