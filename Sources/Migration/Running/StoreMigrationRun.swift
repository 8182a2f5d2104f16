internal import DataModel
internal import Diagnostics
internal import PersistentStore

/// One attempt at a migration: hop after hop, each from the result of the one before.
struct StoreMigrationRun {
  let migration: StoreMigration
  let rewrite: StoreRewrite

  init(_ migration: StoreMigration, _ rewrite: StoreRewrite) {
    self.migration = migration
    self.rewrite = rewrite
  }

  func migrate() throws(MigrationError) -> StoreMigration.Outcome {
    // Another run may have been at work until a moment ago: what counts is what is there under the lock.
    let locked = try rewrite.open()
    let plan = try migration.plan(for: locked.reader)
    guard !plan.steps.isEmpty else {
      rewrite.discard()
      return .alreadyCurrent(plan.destination)
    }
    let surroundings = try StoreSurroundings(locked.reader, model: plan.source.model)
    if migration.isStrict, let loss = surroundings.losses {
      throw MigrationError(.strictFindings, path: migration.path, detail: loss)
    }
    let rejects = RejectsFile(path: rewrite.staging.companion("rejects"))
    let (steps, uncopied) = try carryOut(plan, from: locked.reader, surroundings, rejects)
    try rejects.finish()
    let backupPath =
      migration.keepsBackup && migration.outputPath == nil
      ? Backup.freePath(for: locked.file, version: Self.fileNamePart(plan.source)) : nil
    let rejectsPath = rejects.count == 0 ? nil : rewrite.rejectsPath(contents: rejects.path)
    try publish(locked, plan.destination.model, rejects: (rejects.path, rejectsPath), backupPath: backupPath)
    return .migrated(
      StoreMigration.Result(
        plan: plan, steps: steps, path: migration.outputPath ?? migration.path,
        backupPath: backupPath.map(rewrite.shown), rejectsPath: rejectsPath.map(rewrite.shown),
        rejectsCount: rejects.count, surroundings: surroundings, uncopied: uncopied))
  }

  private func carryOut(
    _ plan: MigrationPlan, from store: StoreReader, _ surroundings: StoreSurroundings, _ rejects: RejectsFile
  ) throws(MigrationError) -> ([StoreMigration.StepResult], [UncopiedContent]) {
    var steps: [StoreMigration.StepResult] = []
    var uncopied: [UncopiedContent] = []
    var source = store
    for (index, step) in plan.steps.enumerated() {
      let isLast = index == plan.steps.count - 1
      let path = isLast ? rewrite.staging.path : rewrite.staging.companion(StagingFile.stepSuffixes[index % 2])
      migration.log?(Self.announcement(step))
      let manager = try manager(for: step, from: source, to: path, rejects)
      // What could not be copied in one hop is not there in the next.
      let missing = Set(uncopied.map(\.name))
      manager.copiedTables = surroundings.appTables.filter { !missing.contains($0) }
      let statistics = try manager.migrate()
      uncopied += manager.uncopiedContent
      steps.append(
        StoreMigration.StepResult(
          sourceName: step.source.name, destinationName: step.destination.name, method: step.method.summary,
          statistics: statistics, remarks: step.remarks))
      try source.close()
      // The result of the hop before is not needed any more.
      if index > 0 { FileSystem.remove(source.file.path) }
      if !isLast { source = try StoreReader(path: path, busyTimeout: migration.busyTimeout) }
    }
    return (steps, uncopied)
  }

  private func manager(
    for step: MigrationStep, from source: StoreReader, to path: String, _ rejects: RejectsFile
  ) throws(MigrationError) -> MigrationManager {
    let writer = try StoreWriter(path: path, schema: StoreSchema(step.destination.model), layout: source.layout)
    var options = MigrationManager.Options(
      policies: migration.policies, cancellation: migration.cancellation, onProgress: migration.onProgress)
    options.log = migration.log
    if case .inferred = step.method { options.validation = .newRules }
    let manager = try MigrationManager(
      source: source, sourceModel: step.source.model, mappingModels: step.mappingModels, destination: writer,
      rejects: rejects, options: options)
    // Values in files stay beside the store, whatever hop they are read in.
    let folder = SupportFolder(ofStoreAt: try StoreFile(migration.path).resolvedPath)
    manager.readExternalData = { name in folder.contains(name) ? try folder.contents(of: name) : nil }
    return manager
  }

  /// What is logged of a hop before it is carried out: both models by their version hashes, and how it is done.
  private static func announcement(_ step: MigrationStep) -> String {
    func hashes(_ model: ManagedObjectModel) -> String {
      model.entities.map { "    \($0.name) = \($0.versionHash)" }.joined(separator: "\n")
    }
    return """
        migrating '\(step.source.name)' to '\(step.destination.name)', \(step.method.summary)
      source hashes:
      \(hashes(step.source.model))
      destination hashes:
      \(hashes(step.destination.model))
      entity mappings: \(step.mappingModels.flatMap(\.entityMappings).map(\.name).joined(separator: ", "))
      """
  }

  /// A version's name as a part of a file's name.
  private static func fileNamePart(_ version: KnownVersion) -> String {
    if version.name == MigrationPlanner.cachedVersionName { return "old" }
    let safe = version.name.unicodeScalars.map { scalar in
      scalar.properties.isAlphabetic || scalar.properties.numericType != nil || ".-_".unicodeScalars.contains(scalar)
        ? Character(scalar) : "-"
    }
    return String(safe.prefix(40))
  }
}

extension MigrationStep.Method {
  /// How a hop is done, for people.
  public var summary: String {
    switch self {
    case .mapping(let mappings): "by " + mappings.map { "'\($0.name)'" }.joined(separator: ", then ")
    case .inferred: "by inference (lightweight)"
    }
  }
}
