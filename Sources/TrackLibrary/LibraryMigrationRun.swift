internal import DataModel
internal import Migration
internal import MigrationDiagnostics
internal import PersistentStore
internal import Policies
internal import SystemC

/// One attempt at a migration, which owns what has to be cleaned up if it fails.
struct LibraryMigrationRun {
  let migration: LibraryMigration
  /// Whether the result is removed instead of appearing.
  private let isDryRun: Bool
  let rewrite: ReplacementSession
  private let reportFile: AtomicFile
  private let started: ContinuousClock.Instant

  init(
    _ migration: LibraryMigration, isDryRun: Bool, started: ContinuousClock.Instant, _ waiting: LockRetry
  ) throws(MigrationError) {
    self.migration = migration
    self.isDryRun = isDryRun
    self.started = started
    let target = try ReplacementSession.target(path: migration.path, outputPath: migration.outputPath)
    // What would fail at the end fails before any work.
    reportFile = try AtomicFile(
      migration.reportPath ?? MigrationReport.path(forLibraryAt: target), besides: [migration.path, target],
      isCompanion: migration.reportPath == nil,
      // Always the same, so that the next run takes over what a dead one has left.
      temporarySuffix: "statistics")
    rewrite = try ReplacementSession(
      path: migration.path, outputPath: migration.outputPath, target: target, isDryRun: isDryRun, waiting: waiting)
  }

  /// Removes all that was made so far.
  func discard() {
    rewrite.discard()
    reportFile.discard()
  }

  /// Does all that there is to do.
  ///
  /// - Parameter reader: The library, if it could be opened for a first look.
  func migrate(_ reader: StoreReader?) throws(MigrationError) -> LibraryMigration.Outcome {
    do throws(MigrationError) {
      if isReporting { try reportFile.reserve() }
      // Another run may have been at work until a moment ago: what counts is what is there under the lock.
      return try migrate(try rewrite.open(isDryRun: isDryRun, reader))
    } catch {
      throw rewrite.inUserTerms(error)
    }
  }

  /// A rehearsal writes a report only where it was asked to.
  private var isReporting: Bool { !isDryRun || migration.reportPath != nil }

  private func migrate(_ locked: ReplacementSession.LockedStore) throws(MigrationError) -> LibraryMigration.Outcome {
    let (source, file) = (locked.reader, locked.file)
    let library = try TrackLibraryModel(of: source)
    guard library.version == .v1 else {
      discard()
      return .alreadyCurrent(library.version)
    }
    let plan = try LibraryMigrationPlan(for: library, path: migration.path)
    var contents = try source.connection.reading { () throws(MigrationError) in
      try preflight(at: locked, library, plan)
    }
    let rejects = RejectsFile(path: rewrite.staging.companion("rejects"))
    let (statistics, uncopied) = try build(source, plan, contents.appTables, rejects)
    try requireNoLoss(uncopied.first.map { "'\($0.name)' cannot be carried over: \($0.reason.explanation)" })
    contents.leave(uncopied)
    try rejects.finish()
    let verified = try verify(source, plan, rejects, contents)
    try source.close()

    let backupPath =
      migration.keepsBackup && migration.outputPath == nil
      ? try Backup.freePath(for: file, version: library.version.rawValue) : nil
    let kept = rejects.count == 0 ? nil : try rewrite.rejectsPath(contents: rejects.path)
    var report = MigrationReport(
      statistics, migration, plan, started: started,
      sizes: (source: file.size, destination: FileStatus(rewrite.staging.path)?.size ?? 0),
      rejects: (count: rejects.count, path: kept?.path), backupPath: backupPath,
      // With a new file for the result, the library stays what it is under all of its names.
      otherNamesCount: migration.outputPath == nil ? file.hardLinkCount(besides: backupPath) : 0, contents: contents)
    if let verified { try require(verified, of: report) }
    if isDryRun { try report.add(NameFindings(inStoreAt: rewrite.staging.path, StoreSchema(plan.destination))) }
    if isReporting, reportFile.stagedPath != nil { try reportFile.stage(report.json) }
    var warnings: [MigrationError] = []
    if isDryRun {
      rewrite.discard()
      if isReporting { try reportFile.publish(likeLibraryAt: file.resolvedPath) }
    } else {
      warnings = try rewrite.publish(
        locked, filesOf: StoreSchema(plan.destination), companions: companions(rejects, kept),
        backupPath: backupPath)
      // Left over only where the same rejects were there already.
      FileSystem.remove(rejects.path)
    }
    // Nobody may read from a pipe: that keeps no other program from the library.
    if reportFile.stagedPath == nil {
      do throws(MigrationError) {
        try reportFile.stage(report.json, migration.cancellation)
      } catch {
        var error = error
        if !isDryRun { error.advice = "The library has been migrated; only its statistics are missing." }
        throw error
      }
    }
    return .migrated(
      LibraryMigration.Result(
        report: report, path: migration.outputPath ?? migration.path,
        reportPath: migration.reportPath ?? rewrite.displayPath(reportFile.target),
        backupPath: backupPath.map(rewrite.displayPath), rejectsPath: (kept?.path).map(rewrite.displayPath),
        lostAttributes: rewrite.staging.lostAttributes, isVerified: verified != nil, examples: statistics.examples,
        warnings: warnings))
  }

  /// Makes sure, before any work, that the library can become what the plan says, and that there is room for it.
  ///
  /// - Returns: What the library holds besides its tracks.
  private func preflight(
    at store: ReplacementSession.LockedStore, _ library: TrackLibraryModel, _ plan: LibraryMigrationPlan
  ) throws(MigrationError) -> ForeignContents {
    let source = store.reader
    let schema = try StoreSchema(library.model, introspecting: source)
    try plan.check(schema, path: migration.path)
    // Rows of the tracks that come again and again stop their copy: no key can be used twice.
    try source.requireBoundedTables(except: schema)
    let contents = try ForeignContents(source, library.model)
    try requireNoLoss(contents.losses ?? plan.remarks.first)
    if migration.checksSpace {
      try rewrite.requireSpace(
        atMost: source.usedSize, { TrackLibrarySize.ofResult(source, schema) }, for: store,
        keepsBackup: migration.keepsBackup && !isDryRun)
    }
    return contents
  }

  /// What appears together with the new store.
  private func companions(
    _ rejects: RejectsFile, _ kept: (path: String, isThere: Bool)?
  ) -> [StoreReplacement.Companion] {
    var companions: [StoreReplacement.Companion] = []
    if let stagedPath = reportFile.stagedPath {
      companions.append(
        StoreReplacement.Companion(stagedPath: stagedPath, path: reportFile.target, mayReplace: true))
    }
    if let kept, !kept.isThere {
      companions.append(StoreReplacement.Companion(stagedPath: rejects.path, path: kept.path, mayReplace: false))
    }
    return companions
  }

  /// With `isStrict`, fails when anything of the library would not be in the new one.
  private func requireNoLoss(_ loss: String?) throws(MigrationError) {
    guard migration.trackOptions.isStrict, let loss else { return }
    throw MigrationError(.strictFindings, path: migration.path, detail: loss)
  }

  /// Builds the new store in the staging file.
  private func build(
    _ source: StoreReader, _ plan: LibraryMigrationPlan, _ appTables: [String], _ rejects: RejectsFile
  ) throws(MigrationError) -> (MigrationStatistics, [DroppedContent]) {
    let naming = JoinTableNaming(foundIn: try StoreSchema(plan.source.model, introspecting: source))
    let writer = try StoreWriter(
      path: rewrite.staging.path, schema: StoreSchema(plan.destination, joinTables: naming), layout: source.layout)
    var trackOptions = migration.trackOptions
    if !migration.keepsBackup, migration.outputPath == nil, !migration.discardsUnmatchedJSON {
      trackOptions.requiresArtists = true
    }
    var options = MigrationManager.Options(
      policies: .builtIn(trackOptions: trackOptions), cancellation: migration.cancellation,
      onProgress: migration.onProgress)
    options.threadCount = migration.threadCount
    // What broke a rule of the library's own model before does so still, and is no reason to keep it from its artists.
    // Nothing is required in our own v2, and what is linked was made a moment ago.
    options.validation = plan.source.hasCustomModel ? .newRules : .none
    let manager = try MigrationManager(
      source: source, sourceModel: plan.source.model, mappingModel: plan.mappingModel, destination: writer,
      rejects: rejects, options: options)
    manager.copiedTables = appTables
    let statistics = try manager.migrate()
    // The new model has all entities of the old one.
    if let (entity, count) = statistics.removedInstanceCounts.first {
      throw MigrationError(
        .migrationFailed, MigrationError.Subject(path: migration.path, entity: entity),
        detail: "\(count.counting("row")) would not be in the new library")
    }
    return (statistics, manager.droppedContent)
  }
}

/// What this process has used.
enum ProcessUsage {
  /// The greatest amount of memory that the process has had in RAM, in bytes.
  static var peakMemory: Int64 { peakOfProgram ?? peakOfProcess }

  /// What Linux says of the program that runs now; `nil` where there is no `/proc`.
  private static var peakOfProgram: Int64? {
    guard let status = try? FileSystem.contents(of: "/proc/self/status") else { return nil }
    // VmHWM:     27404 kB
    let line = status.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: "VmHWM:".utf8) }
    let number = line.map { $0.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }
    return number.flatMap { Int64(String(decoding: $0, as: UTF8.self)) }.map { $0 * 1024 }
  }

  /// What the process has had.
  ///
  /// On Linux that is also what a large program had that became this one (`exec`).
  private static var peakOfProcess: Int64 {
    var usage = rusage()
    #if canImport(Glibc)
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    #else
      getrusage(Int32(RUSAGE_SELF), &usage)
    #endif
    #if canImport(Darwin)
      return Int64(usage.ru_maxrss)
    #else
      return Int64(usage.ru_maxrss) * 1024
    #endif
  }
}
