import CommandLineKit
import Migration

/// What a person is told of the migration of an app's store.
enum AppMigrationText {
  /// The hops of a plan.
  static func plan(_ plan: MigrationPlan, of path: String, isVerbose: Bool) -> [String] {
    guard !plan.steps.isEmpty else { return [current(path, plan.destination)] }
    let count = plan.steps.count == 1 ? "one hop" : "\(plan.steps.count) hops"
    return ["'\(path)' goes from '\(plan.source.name)' to '\(plan.destination.name)' in \(count):"]
      + plan.steps.enumerated().flatMap { index, step in
        ["  \(index + 1). '\(step.source.name)' to '\(step.destination.name)', \(step.method.summary)"]
          + remarks(step.remarks, isVerbose).map { "     \($0)" }
      }
  }

  /// What was done.
  static func lines(
    _ outcome: StoreMigration.Outcome, _ settings: AppMigration.Settings, path: String
  ) -> [String] {
    switch outcome {
    case .alreadyCurrent(let version):
      return [current(path, version)]
        + [settings.output, settings.stats].compactMap { $0 }
        .map { "'\($0)' was not written." }
    case .migrated(let result):
      let target = result.path == path ? "" : " to '\(result.path)'"
      var lines = [
        "Migrated '\(path)'\(target) from '\(result.plan.source.name)' to '\(result.plan.destination.name)' in "
          + "\(NumberFormat.duration(result.duration))."
      ]
      for step in result.steps {
        lines.append("  '\(step.sourceName)' to '\(step.destinationName)', \(step.method.summary):")
        lines += counts(step.statistics, settings.isVerbose).map { "    \($0)" }
        lines += remarks(step.remarks, settings.isVerbose).map { "    \($0)" }
      }
      lines += surroundings(result, settings.isVerbose)
      if let backup = result.backupPath { lines.append("Backup: \(backup)") }
      if let rejects = result.rejectsPath {
        lines.append("Rejects: \(rejects) (\(NumberFormat.grouped(result.rejectsCount)))")
      }
      if let stats = settings.stats { lines.append("Statistics: \(stats)") }
      return lines
    }
  }

  private static func current(_ path: String, _ version: KnownVersion) -> String {
    "'\(path)' has the version '\(version.name)' already; nothing to do."
  }

  /// What became of the tables that the model knows nothing of, and of values in files.
  private static func surroundings(_ result: StoreMigration.Result, _ isVerbose: Bool) -> [String] {
    let surroundings = result.surroundings
    let missing = surroundings.missingFiles
    return surroundings.leftBehind.map { content in
      let note = content.kind == .cloudKitMirror ? ", a mirror to CloudKit: set it up anew in the app" : ""
      return "  left behind: \(content.name) (\(NumberFormat.grouped(content.count)))\(note)"
    }
      + result.keptTables.map { "  kept as it is: \($0)" }
      + result.uncopied.sorted { $0.name < $1.name }.map { "  not kept: \($0.name) (\($0.reason.rawValue))" }
      + (missing.isEmpty ? [] : ["  files that are missing: \(NumberFormat.grouped(missing.count))"])
      + examples(
        missing.map { "\($0.entityName) \($0.primaryKey), \($0.attributeName): \($0.fileName)" }, of: missing.count,
        isVerbose
      ).map { "    \($0)" }
  }

  private static func counts(_ statistics: MigrationStatistics, _ isVerbose: Bool) -> [String] {
    let entities = statistics.destinationInstanceCounts.sorted { $0.key < $1.key }.map { name, count in
      "\(name): \(NumberFormat.grouped(count))"
    }
    let counters = statistics.counters.filter { $0.value > 0 }.sorted { $0.key < $1.key }.flatMap { name, count in
      let examples = statistics.examples[name] ?? []
      return ["\(name.replacing("_", with: " ")): \(NumberFormat.grouped(count))"]
        + self.examples(examples, of: count, isVerbose).map { "  \($0)" }
    }
    return (entities.isEmpty ? ["no instances"] : entities) + counters
  }

  /// The first examples of what was counted, or all that are kept.
  private static func examples(_ examples: [String], of count: Int, _ isVerbose: Bool) -> [String] {
    let shown = Array(examples.prefix(isVerbose ? MigrationStatistics.exampleLimit : 3))
    let rest = count - shown.count
    return shown + (rest > 0 && !shown.isEmpty ? ["… and \(NumberFormat.grouped(rest)) more"] : [])
  }

  private static func remarks(_ remarks: [String], _ isVerbose: Bool) -> [String] {
    let shown = Array(remarks.prefix(isVerbose ? .max : 5))
    let rest = remarks.count - shown.count
    return shown + (rest > 0 ? ["… and \(NumberFormat.grouped(rest)) more remarks; see them with --verbose"] : [])
  }
}
