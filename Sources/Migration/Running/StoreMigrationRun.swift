internal import DataModel
internal import Diagnostics
internal import PersistentStore

/// One attempt at a migration: hop after hop, each from the result of the one before.
struct StoreMigrationRun {
  private let migration: StoreMigration
  private let rewrite: StoreRewrite

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
    let foreign = try locked.reader.foreignContent(besides: StoreSchema(plan.source.model))
    if migration.isStrict, !foreign.isEmpty {
      throw MigrationError(
        .strictFindings, path: migration.path,
        detail: "the model has no place for what is in "
          + foreign.map { "\($0.name) (\($0.count))" }.joined(separator: ", "))
    }
    var steps: [StoreMigration.StepResult] = []
    var source = locked.reader
    for (index, step) in plan.steps.enumerated() {
      let isLast = index == plan.steps.count - 1
      let path = isLast ? rewrite.staging.path : rewrite.staging.companion(StagingFile.stepSuffixes[index % 2])
      steps.append(try carryOut(step, from: source, to: path))
      try source.close()
      // The result of the hop before is not needed any more.
      if index > 0 { FileSystem.remove(source.file.path) }
      if !isLast { source = try StoreReader(path: path, busyTimeout: migration.busyTimeout) }
    }
    let backupPath =
      migration.keepsBackup && migration.outputPath == nil
      ? Backup.freePath(for: locked.file, version: Self.fileNamePart(plan.source.name)) : nil
    try rewrite.publish(locked, companions: [], backupPath: backupPath)
    return .migrated(
      StoreMigration.Result(
        plan: plan, steps: steps, path: migration.outputPath ?? migration.path,
        backupPath: backupPath.map(rewrite.shown),
        leftBehindCountByName: Dictionary(
          foreign.map { ($0.name, $0.count) }, uniquingKeysWith: { first, _ in first })))
  }

  private func carryOut(
    _ step: MigrationStep, from source: StoreReader, to path: String
  ) throws(MigrationError) -> StoreMigration.StepResult {
    let method = step.method.summary
    migration.log?("Migrating '\(step.source.name)' to '\(step.destination.name)', \(method)")
    let writer = try StoreWriter(path: path, schema: StoreSchema(step.destination.model), layout: source.layout)
    var options = MigrationManager.Options(
      policies: migration.policies, cancellation: migration.cancellation, onProgress: migration.onProgress)
    options.log = migration.log
    if case .inferred = step.method { options.validation = .newRules }
    let manager = try MigrationManager(
      source: source, sourceModel: step.source.model, mappingModels: step.mappingModels, destination: writer,
      options: options)
    let statistics = try manager.migrate()
    return StoreMigration.StepResult(
      sourceName: step.source.name, destinationName: step.destination.name, method: method, statistics: statistics,
      findings: step.remarks)
  }

  /// A version's name as a part of a file's name.
  private static func fileNamePart(_ name: String) -> String {
    let safe = name.unicodeScalars.map { scalar in
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
