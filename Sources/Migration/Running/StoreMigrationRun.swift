package import DataModel
package import MigrationDiagnostics
public import PersistentStore

/// One attempt at a migration: hop after hop, each from the result of the one before.
struct StoreMigrationRun {
  let migration: StoreMigration
  let rewrite: ReplacementSession
  /// Whether the result is removed instead of appearing.
  private let isDryRun: Bool
  private let started: ContinuousClock.Instant

  init(
    _ migration: StoreMigration, _ rewrite: ReplacementSession, isDryRun: Bool, started: ContinuousClock.Instant
  ) {
    self.migration = migration
    self.rewrite = rewrite
    self.isDryRun = isDryRun
    self.started = started
  }

  func migrate() throws(MigrationError) -> StoreMigration.Outcome {
    // Another run may have been at work until a moment ago: what counts is what is there under the lock.
    let locked = try rewrite.open(isDryRun: isDryRun)
    let plan = try migration.plan(for: locked.reader)
    guard !plan.steps.isEmpty else {
      rewrite.discard()
      return .alreadyCurrent(plan.destination)
    }
    try migration.requireNoLoss(plan.removals)
    try locked.reader.requireBoundedTables()
    let naming = try migration.joinTableNaming(for: plan, of: locked.reader)
    let surroundings = try NonModelContent(locked.reader, model: plan.source.model)
    if migration.isStrict, let loss = surroundings.losses { throw strictError(loss) }
    if migration.isStrict, let loss = StrictViolations.loss(of: plan) { throw strictError(loss.detail, loss.advice) }
    if migration.checksSpace {
      // The result of one hop and that of the next are there at the same time.
      let size = locked.reader.usedSize
      let (both, _) = size.multipliedReportingOverflow(by: plan.steps.count > 1 ? 2 : 1)
      try rewrite.requireSpace(max(size, both), for: locked, keepsBackup: migration.keepsBackup && !isDryRun)
    }
    let rejects = RejectsFile(path: rewrite.staging.companion("rejects"))
    let (steps, uncopied) = try carryOut(plan, from: locked, surroundings, rejects, naming)
    try rejects.finish()
    if migration.isStrict, let finding = StrictViolations(steps, uncopied, rejects).first { throw strictError(finding) }
    try migration.verify?(
      StoreMigration.BuiltStore(
        sourcePath: locked.file.resolvedPath, path: rewrite.staging.path, plan: plan, uncopied: uncopied))
    let backupPath =
      migration.keepsBackup && migration.outputPath == nil
      ? try Backup.freePath(for: locked.file, version: Self.fileNamePart(plan.source)) : nil
    let kept = rejects.count == 0 ? nil : try rewrite.rejectsPath(contents: rejects.path)
    let size = FileStatus(rewrite.staging.path)?.size ?? 0
    // With a new file for the result, the store stays what it is under all of its names.
    let otherNamesCount = migration.outputPath == nil ? locked.file.hardLinkCount(besides: backupPath) : 0
    var warnings: [MigrationError] = []
    if isDryRun {
      rewrite.discard()
    } else {
      warnings = try publish(locked, plan.destination.model, rejects: rejects.path, kept, backupPath: backupPath)
      migration.log?("migration completed")
    }
    return .migrated(
      StoreMigration.Result(
        plan: plan, steps: steps, path: migration.outputPath ?? migration.path,
        backupPath: backupPath.map(rewrite.displayPath), otherNamesCount: otherNamesCount,
        rejectsPath: (kept?.path).map(rewrite.displayPath), rejectsCount: rejects.count,
        lostAttributes: rewrite.staging.lostAttributes, isVerified: migration.verify != nil, surroundings: surroundings,
        uncopied: uncopied,
        sourceSize: locked.file.size, destinationSize: size, duration: ContinuousClock.now - started,
        warnings: warnings))
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
        isLast ? rewrite.staging.path : try rewrite.staging.makeCompanion(StagingFile.stepSuffixes[index % 2])
      migration.log?(step.announcement(path: migration.path, index, plan.steps.count))
      do throws(MigrationError) {
        if index > 0 { try requireNoLoss(in: source, step) }
        // What could not be copied in one hop is not there in the next.
        let missing = Set(uncopied.map(\.name))
        let appTables = surroundings.appTables.filter { !missing.contains($0) }
        let destination = try beginDestination(
          of: step, from: source, at: path, appTables: appTables, joinTables: naming)
        let manager = try manager(
          for: step, from: source, to: destination.writer, rejects, place: (index, plan.steps.count))
        (manager.copiedTables, manager.carriedRows) = (appTables, destination.rows)
        manager.readExternalData = folder.reading
        let statistics = try manager.migrate()
        uncopied += manager.droppedContent
        steps.append(
          StoreMigration.StepResult(
            sourceName: step.source.name, destinationName: step.destination.name, method: step.method,
            statistics: statistics, remarks: step.remarks))
      } catch {
        throw plan.steps.count == 1 ? error : error.placed(in: step)
      }
      try source.close()
      // The result of the hop before is not needed any more.
      if index > 0 { FileSystem.remove(source.file.path) }
      if !isLast { source = try StoreReader(path: path) }
    }
    return (steps, uncopied)
  }

  /// What a hop removes of the result of the one before shows only now.
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
    return try MigrationManager(
      source: source, sourceModel: step.source.model, mappingModels: step.mappingModels, destination: writer,
      rejects: rejects, options: options)
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

extension ExternalDataFolder {
  /// What reads the values of this folder for a context.
  var reading: (_ name: String) throws -> [UInt8]? {
    { name in try contains(name) ? try contents(of: name) : nil }
  }
}

extension MigrationError {
  /// The error with the hop that it happened in: what it says of versions, entities and rows is about that hop's source.
  fileprivate func placed(in step: MigrationStep) -> MigrationError {
    guard [.validationFailed, .policyFailed, .invalidMappingModel, .migrationFailed].contains(code) else { return self }
    var error = self
    let place = "(on the way from '\(step.source.name)' to '\(step.destination.name)')"
    error.detail = detail.map { "\($0) \(place)" } ?? place
    return error
  }
}

extension StoreMigrationRun {
  /// Lets the new store appear, with its rejects and with the files of its large values.
  ///
  /// - Parameters:
  ///   - rejects: The file in which rejects are gathered.
  ///   - kept: The name that they get, and whether they have it already; `nil` where there are none.
  /// - Returns: What could not be made sure of afterwards.
  private func publish(
    _ locked: ReplacementSession.LockedStore, _ model: ManagedObjectModel, rejects: String,
    _ kept: (path: String, isThere: Bool)?, backupPath: String?
  ) throws(MigrationError) -> [MigrationError] {
    var companions: [StoreReplacement.Companion] = []
    if let kept, !kept.isThere {
      companions.append(StoreReplacement.Companion(stagedPath: rejects, path: kept.path, mayReplace: false))
    }
    let warnings = try rewrite.publish(
      locked, filesOf: StoreSchema(model), companions: companions, backupPath: backupPath)
    FileSystem.remove(rejects)
    return warnings
  }
}

/// What a store's file holds besides the instances of its model, and what lies beside it.
public struct NonModelContent: Sendable {
  /// The tables and columns that the model knows nothing of.
  public let foreignContent: [StoreReader.ForeignContent]
  /// What else is there that is not carried over, such as views and triggers.
  public let uncopied: [DroppedContent]
  /// The values whose files are not there.
  public let missingFiles: [StoreReader.ExternalFile]
  /// The relationships with links to instances that are not there, which are left out.
  public let danglingLinks: [ValidationFailure]

  /// Looks at a store that was written with a model.
  package init(_ store: StoreReader, model: ManagedObjectModel) throws(MigrationError) {
    let schema = try StoreSchema(model, introspecting: store)
    foreignContent = try store.foreignContent(besides: schema)
    uncopied = try store.droppedContent(besides: schema)
    missingFiles = try store.missingExternalFiles(in: schema)
    danglingLinks = try StoreValidator(schema, store.connection, path: store.file.path).danglingLinks()
  }

  /// The app's own tables, which are carried over.
  public var appTables: [String] { foreignContent.filter { $0.kind == .app }.map(\.name) }

  /// What is not carried over: persistent history and mirrors, whose rows name instances by numbers that a migration
  /// gives anew, and columns that the model does not have.
  public var leftBehind: [StoreReader.ForeignContent] {
    foreignContent.filter { $0.kind != .app && $0.kind != .spatialIndex }
  }

  /// What a strict migration stops at.
  package var losses: String? {
    let lost = leftBehind.map { "\($0.name) (\($0.count))" }
    if !lost.isEmpty { return "the model has no place for what is in \(lost.joined(separator: ", "))" }
    if let loss = uncopied.loss { return loss }
    let dangling = danglingLinks.map { "\($0.entity).\($0.property) (\($0.count))" }
    if !dangling.isEmpty { return "links lead to nothing that is there: \(dangling.joined(separator: ", "))" }
    guard let missing = missingFiles.first else { return nil }
    let example = "that of \(missing.entityName) \(missing.primaryKey), \(missing.attributeName)"
    return missingFiles.count == 1
      ? "the file of a value is not there: \(example)"
      : "the files of \(missingFiles.count) values are not there, such as \(example)"
  }
}

extension [DroppedContent] {
  /// What a strict migration says of it.
  var loss: String? {
    guard !isEmpty else { return nil }
    return map { "'\($0.name)' cannot be carried over: \($0.reason.explanation)" }.joined(separator: "; ")
  }
}
