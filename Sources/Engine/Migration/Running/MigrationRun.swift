internal import MigrationDiagnostics
internal import PersistentStore

/// One attempt at a migration, from a path to a published result: hop after hop, each from the result of the one before.
///
/// All kinds of migrations go this way, with the hooks of their kind.
struct MigrationRun {
  let migration: StoreMigration
  private let session: ReplacementSession
  /// The file of the statistics, if there is to be one.
  private let report: AtomicFile?
  /// Whether the result is removed instead of appearing.
  private let isDryRun: Bool
  private let started: ContinuousClock.Instant
  private let clock: PhaseClock

  /// Takes the hidden names in which the result and its report are built.
  ///
  /// What would fail at the end fails before any work.
  init(
    _ migration: StoreMigration, isDryRun: Bool, started: ContinuousClock.Instant, _ waiting: LockRetry
  ) throws(MigrationError) {
    self.migration = migration
    self.isDryRun = isDryRun
    self.started = started
    clock = PhaseClock(began: started)
    let target = try ReplacementSession.target(path: migration.path, outputPath: migration.outputPath)
    let reportPath = migration.reportPath ?? migration.hooks.defaultReportPath(forResultAt: target)
    try migration.files.requireNoClash()
    report = try reportPath.map { path throws(MigrationError) in
      try AtomicFile(
        path, isCompanion: migration.reportPath == nil,
        // Always the same, so that the next run takes over what a dead one has left.
        temporarySuffix: "statistics")
    }
    session = try ReplacementSession(
      path: migration.path, outputPath: migration.outputPath, target: target, isDryRun: isDryRun, waiting: waiting,
      access: NewFileAccess(from: [migration.path] + migration.contentPaths))
  }

  /// Removes all that was made so far, and says what an error means for the files that the user knows.
  func discard(after error: MigrationError) -> MigrationError {
    discard()
    var error = session.inUserTerms(error)
    error.subject.path = error.subject.path ?? migration.path
    migration.log?("migration failed: \(error.code.rawValue)\(error.detail.map { ", \($0)" } ?? "")")
    return error
  }

  private func discard() {
    session.discard()
    report?.discard()
  }

  /// A dry run writes a report only where it was asked to.
  private var isReporting: Bool { report != nil && (!isDryRun || migration.reportPath != nil) }

  /// The report, which is beside the store only where it tells of a change.
  private func report(isUnchanged: Bool) -> AtomicFile? {
    isUnchanged && migration.reportPath == nil ? nil : report
  }

  /// Does all that there is to do.
  ///
  /// - Parameters:
  ///   - store: The store, if it is open already and need not be locked before it is read.
  ///   - known: The plan for the version that the store had a moment ago.
  func migrate(
    _ store: StoreReader?, following known: MigrationPlan?
  ) throws(MigrationError) -> StoreMigration.Outcome {
    if isReporting { try report?.reserve() }
    // Another run may have been at work until a moment ago: what counts is what is there under the lock.
    let locked = try session.open(isDryRun: isDryRun, locksSource: migration.hooks.locksSource, store)
    var plan = try migration.plan(for: locked.reader, known)
    plan.removals = try migration.removals(from: locked.reader, plan)
    guard !plan.steps.isEmpty else {
      discard()
      return migration.alreadyCurrent(plan)
    }
    var (surroundings, naming) = try locked.reader.connection.reading { () throws(MigrationError) in
      try preflight(plan, locked)
    }
    let uuid = locked.reader.metadata.uuid
    let origin = MigrationOrigin(
      libraryPath: (migration.hooks.originPath ?? locked.file.resolvedPath).spellingPathBytes,
      libraryUUID: uuid.isEmpty ? nil : uuid, options: migration.options, sourceFiles: migration.sourceFiles,
      choices: migration.choices)
    if plan.steps.contains(where: { $0.moment != nil }) { try migration.appStages?.prepare() }
    clock.end("prepare")
    let rejects = RejectsFile(path: session.staging.companion("rejects"), origin: origin)
    let (steps, uncopied) = try carryOut(plan, from: locked, surroundings, rejects, naming)
    try rejects.finish()
    surroundings.isCopied = steps.allSatisfy { $0.strategy == .growingCopy }
    let isUnchanged = migration.hooks.changesNothing(steps)
    // A store that stays as it is loses nothing.
    let isRewritten = migration.hooks.growsCopy && !surroundings.isCopied && !isUnchanged
    if migration.isStrict, isRewritten, let loss = surroundings.losses { throw strictError(loss) }
    if migration.isStrict, let finding = migration.hooks.violation(in: steps, uncopied, rejectsCount: rejects.count) {
      throw strictError(finding)
    }
    if !isUnchanged, migration.requiresContents { try requireKept(surroundings.discarded(uncopied)) }
    let built = BuiltStore(
      source: locked.reader, path: session.staging.path, plan: plan, steps: steps, surroundings: surroundings,
      uncopied: uncopied,
      rejectsPath: rejects.count == 0 ? nil : rejects.path)
    let verified = migration.isVerified ? try migration.hooks.verify(built, of: migration) : nil
    if migration.isVerified { clock.end("verify") }
    try locked.reader.close()
    if isUnchanged, report(isUnchanged: true) == nil, rejects.count == 0 {
      discard()
      return .alreadyCurrent(plan.destination)
    }
    var result = try publish(built, steps, locked, rejects, origin, isUnchanged: isUnchanged)
    result.verified = verified
    return .migrated(result)
  }

  /// Makes sure, before any work, that the store can become what the plan says, and that there is room for it.
  private func preflight(
    _ plan: MigrationPlan, _ store: ReplacementSession.LockedStore
  ) throws(MigrationError) -> (NonModelContent, JoinTableNaming) {
    try migration.requireNoLoss(plan.removals)
    let schema = try StoreSchema(plan.source.model, introspecting: store.reader)
    try store.reader.requireBoundedTables(except: migration.hooks.findsRepeatedRows ? schema : nil)
    let surroundings = try NonModelContent(
      store.reader, model: plan.source.model, keepsHistory: migration.keepsHistory)
    // Whether a copy can grow shows when it is made, and whether it has to, at the end.
    if migration.isStrict, !migration.hooks.growsCopy, let loss = surroundings.losses { throw strictError(loss) }
    if migration.isStrict, let loss = migration.hooks.loss(of: plan) { throw strictError(loss.detail, loss.advice) }
    if migration.checksSpace {
      // The result of one hop and that of the next are there at the same time.
      let size = store.reader.usedSize
      let (both, _) = size.multipliedReportingOverflow(by: plan.steps.count > 1 ? 2 : 1)
      let greatest = max(size, both)
      try session.requireSpace(
        atMost: greatest, { migration.hooks.estimatedSize(of: store.reader, schema) ?? greatest }, for: store,
        keepsBackup: migration.keepsBackup && !isDryRun)
    }
    return (surroundings, JoinTableNaming(chosen: migration.joinTableRelationships, foundIn: schema))
  }

  /// Lets the new store appear, with its report, its rejects and the files of its large values.
  ///
  /// - Parameter isUnchanged: Whether it would hold what the old one holds, which then stays as it is.
  private func publish(
    _ built: BuiltStore, _ steps: [StoreMigration.StepResult], _ locked: ReplacementSession.LockedStore,
    _ rejects: RejectsFile, _ origin: MigrationOrigin, isUnchanged: Bool
  ) throws(MigrationError) -> StoreMigration.Result {
    var surroundings = built.surroundings
    if isUnchanged { surroundings.isCopied = true }
    var origin = origin
    if origin.libraryUUID == nil {
      // Of a store that was made from nothing.
      let made = try StoreReader(path: built.path)
      origin.libraryUUID = made.metadata.uuid.isEmpty ? nil : made.metadata.uuid
      try made.close()
    }
    if origin.sourceFiles != nil {
      origin.resultFile = try SourceFile(ofResultAt: session.staging.path, named: session.target)
    }
    let backupPath =
      migration.keepsBackup && migration.outputPath == nil && !isUnchanged
      ? try Backup.freePath(for: locked.file, version: Self.fileNamePart(built.plan.source)) : nil
    let report = report(isUnchanged: isUnchanged)
    let kept = try built.rejectsPath.map { path throws(MigrationError) in try session.rejectsPath(contents: path) }
    var result = StoreMigration.Result(
      origin: origin, plan: built.plan, steps: steps, path: migration.outputPath ?? migration.path,
      backupPath: backupPath.map(session.displayPath),
      // With a new file for the result, the store stays what it is under all of its names.
      otherNamesCount: migration.outputPath == nil && !isUnchanged ? locked.file.hardLinkCount(besides: backupPath) : 0,
      rejectsPath: (kept?.path).map(session.displayPath), rejectsCount: rejects.count,
      reportPath: report.map { migration.reportPath ?? session.displayPath($0.target) },
      surroundings: surroundings, uncopied: isUnchanged ? [] : built.uncopied,
      sourceSize: locked.file.size,
      destinationSize: isUnchanged ? locked.file.size : FileStatus(session.staging.path)?.size ?? 0,
      duration: ContinuousClock.now - started, phases: clock.phases)
    let json = try report.map { _ throws(MigrationError) in try migration.hooks.report(result, built) } ?? []
    if report == nil { self.report?.discard() }
    let isReporting = isReporting && report != nil
    if isReporting, report?.stagedPath != nil { try report?.stage(json) }
    if isDryRun {
      session.discard()
      if isReporting { try report?.publish(from: [locked.file.resolvedPath] + migration.contentPaths) }
    } else {
      // The last writes of a hop hear of no request to end; it is followed as long as nothing is published.
      if migration.cancellation.isCancelled { throw MigrationError(.interrupted, path: migration.path) }
      if isUnchanged {
        try session.publish(companions(report, rejects, kept), besideUnchanged: locked)
      } else {
        result.warnings = try session.publish(
          locked, filesOf: StoreSchema(built.plan.destination.model),
          companions: companions(report, rejects, kept) + earlierReport(backupPath, report), backupPath: backupPath)
        result.lostAttributes = session.staging.lostAttributes
      }
      // Left over only where the same rejects were there already.
      FileSystem.remove(rejects.path)
      if isUnchanged { session.discard() }
    }
    // A pipe may have no reader: that keeps no other program from the store.
    if let report, report.stagedPath == nil { try write(json, to: report) }
    if !isDryRun { migration.log?("migration completed") }
    return result
  }

  /// Returns the files that appear together with the new store.
  private func companions(
    _ report: AtomicFile?, _ rejects: RejectsFile, _ kept: (path: String, isThere: Bool)?
  ) -> [StoreReplacement.Companion] {
    var companions: [StoreReplacement.Companion] = []
    if let report, let stagedPath = report.stagedPath {
      companions.append(StoreReplacement.Companion(stagedPath: stagedPath, path: report.target, mayReplace: true))
    }
    if let kept, !kept.isThere {
      companions.append(StoreReplacement.Companion(stagedPath: rejects.path, path: kept.path, mayReplace: false))
    }
    return companions
  }

  /// Returns what becomes of the statistics beside the store, which tell of what made it before: they go along with the
  /// backup, and are never taken for those of this run, wherever those are.
  private func earlierReport(
    _ backupPath: String?, _ report: AtomicFile?
  ) throws(MigrationError) -> [StoreReplacement.Companion] {
    let isReplaced = report.map { $0.stagedPath != nil && FileSystem.areSame($0.target, session.statisticsPath) }
    return try session.earlierStatistics(
      besideBackup: migration.hooks.keepsEarlierReport ? backupPath : nil, stay: isReplaced == true)
  }

  private func write(_ json: [UInt8], to device: AtomicFile) throws(MigrationError) {
    do throws(MigrationError) {
      try device.stage(json) { migration.cancellation.isCancelled }
    } catch {
      var error = error
      if !isDryRun {
        error.advice = "The \(migration.hooks.noun) has been \(work: .participle); only its statistics are missing."
      }
      throw error
    }
  }

  private func carryOut(
    _ plan: MigrationPlan, from store: ReplacementSession.LockedStore, _ surroundings: NonModelContent,
    _ rejects: RejectsFile, _ naming: JoinTableNaming
  ) throws(MigrationError) -> ([StoreMigration.StepResult], [DroppedContent]) {
    // Values in files stay beside the store, whatever hop they are read in.
    let folder = ExternalDataFolder(ofStoreAt: store.file.resolvedPath)
    var steps: [StoreMigration.StepResult] = []
    var uncopied = surroundings.uncopied
    var source = store.reader
    for (index, step) in plan.steps.enumerated() {
      let isLast = index == plan.steps.count - 1
      let path =
        isLast ? session.staging.path : try session.staging.makeCompanion(StagingFile.stepSuffixes[index % 2])
      migration.log?(step.announcement(path: migration.path, index, plan.steps.count))
      do throws(MigrationError) {
        if index > 0 { try requireNoLoss(in: source, step) }
        let dropped = try migration.droppedValues(from: source, [step])
        if migration.isStrict {
          let losses = try StrictViolations.losses(
            in: step, of: source, StoreSchema(step.source.model, introspecting: source), dropped)
          if !losses.isEmpty {
            var error = strictError(losses.joined(separator: "; "))
            if let bounds = dropped.last?.bounds?.remark {
              error.advice =
                ErrorMessage.advice(for: error) + " \(bounds.replacingPrefix("the", with: "The"))."
            }
            throw error
          }
        }
        // What could not be copied in one hop is not there in the next.
        let missing = Set(uncopied.map(\.name))
        let appTables = surroundings.appTables.filter { !missing.contains($0) }
        let (writer, strategy, rows) = try beginDestination(
          of: step, from: source, at: path, appTables: appTables, joinTables: naming)
        if strategy.choice == .growingCopy { uncopied = [] }
        let manager = try manager(for: step, from: source, to: writer, rejects, place: (index, plan.steps.count))
        (manager.strategy, manager.carriedRows, manager.copiedTables) = (strategy, rows, appTables)
        manager.readExternalData = folder.reading
        // Later hops read what this run has written, and a store that goes on as a copy was checked before.
        let statistics =
          index == 0 && rows == nil
          ? try reporting(path: source.file.path) { try source.checkingPages(for: .tables) { try manager.migrate() } }
          : try manager.migrate()
        uncopied += manager.droppedContent
        steps.append(
          StoreMigration.StepResult(
            sourceName: step.source.name, destinationName: step.destination.name, method: step.method,
            strategy: (manager.strategy ?? strategy).choice, statistics: statistics,
            remarks: step.remarks + manager.destinationContext.stageRemarks,
            droppedValues: dropped, stageChanges: manager.destinationContext.stageChanges))
      } catch {
        throw plan.steps.count == 1 ? error : error.placed(in: step)
      }
      clock.end(plan.steps.count == 1 ? "migrate" : "migrate_\(index + 1)")
      // The result of the hop before is not needed any more.
      if index > 0 {
        try source.close()
        FileSystem.remove(source.file.path)
      }
      if !isLast { source = try StoreReader(path: path) }
    }
    return (steps, uncopied)
  }

  /// Refuses the loss of rows that a hop removes from the result of the hop before, which is known only now.
  private func requireNoLoss(in source: StoreReader, _ step: MigrationStep) throws(MigrationError) {
    let names = step.removedEntityNames
    guard !names.isEmpty, !migration.allowsLoss else { return }
    let counts = try reporting(path: source.file.path) {
      try RowCensus(source.connection, StoreSchema(step.source.model), of: names).counts
    }
    try migration.requireNoLoss(step.removals(of: counts))
  }

  private func manager(
    for step: MigrationStep, from source: StoreReader, to writer: StoreWriter, _ rejects: RejectsFile,
    place: (index: Int, count: Int)
  ) throws(MigrationError) -> MigrationManager {
    var options = MigrationManager.Options(
      policies: migration.policies, cancellation: migration.cancellation,
      onProgress: migration.onProgress.map { report in
        { progress in report(progress.placed(inStep: place.index + 1, of: place.count)) }
      })
    options.log = migration.log
    options.threadCount = migration.threadCount
    if case .inferred = step.method { options.validation = .newRules }
    options.finishing = step.moment.flatMap { migration.stages.handler(at: $0) }
    let manager = try MigrationManager(
      source: source, sourceModel: step.source.model, mappingModels: step.mappingModels, destination: writer,
      rejects: rejects, options: options)
    migration.hooks.prepare(manager)
    return manager
  }

  /// Refuses to lose for good what the new store does not have.
  private func requireKept(_ losses: [String]) throws(MigrationError) {
    guard !losses.isEmpty else { return }
    throw MigrationError(.contentWouldBeLost, path: migration.path, detail: losses.joined(separator: "; "))
  }

  private func strictError(_ detail: String, _ advice: Advice? = nil) -> MigrationError {
    var error = MigrationError(.strictFindings, path: migration.path, detail: detail)
    error.advice = advice
    return error
  }

  /// A version's name as a part of a file's name.
  private static func fileNamePart(_ version: LoadedModelVersion) -> String {
    if version.name == MigrationPlanner.cachedVersionName { return "old" }
    let safe = version.name.unicodeScalars.map { scalar in
      scalar.properties.isAlphabetic || scalar.properties.numericType != nil || "-_".unicodeScalars.contains(scalar)
        ? Character(scalar) : "-"
    }
    return String(safe.prefix(40))
  }
}

extension StoreMigration {
  /// Whether what the store holds besides its model would be gone for good if the new store did not have it.
  package var requiresContents: Bool {
    !settings.keepsBackup && settings.outputPath == nil && !(settings.discardsContents ?? settings.allowsLoss)
  }

  /// The files that the migration is given.
  fileprivate var files: RunFiles {
    var files = RunFiles()
    files.add(path, as: .argument(hooks.noun), settings.outputPath == nil ? .replacesStore : .readsStore)
    if let output = settings.outputPath { files.add(output, as: .argument("output"), .createsStore) }
    if let report = settings.reportPath { files.add(report, as: .argument("statistics"), .writesStatistics) }
    return files
  }
}

extension ExternalDataFolder {
  /// The closure that reads the values of this folder for a context.
  var reading: (_ name: String) throws -> [UInt8]? {
    { name in try contains(name) ? try contents(of: name) : nil }
  }
}

extension MigrationError {
  /// The error with the hop that it happened in: what it says of versions, entities and rows is about that hop's source.
  fileprivate func placed(in step: MigrationStep) -> MigrationError {
    guard !step.staysAtVersion,
      [.validationFailed, .policyFailed, .invalidMappingModel, .migrationFailed].contains(code)
    else { return self }
    var error = self
    let place = "(on the way from '\(step.source.name)' to '\(step.destination.name)')"
    error.detail = detail.map { "\($0) \(place)" } ?? place
    return error
  }
}
