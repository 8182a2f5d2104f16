import CommandLineKit
import Migration

/// What a person is told of the migration of an app's store.
enum AppMigrationText {
  /// The hops of a plan.
  static func plan(_ plan: MigrationPlan, of path: String) -> [String] {
    guard !plan.steps.isEmpty else {
      return ["'\(path)' has the version '\(plan.destination.name)' already; nothing to do."]
    }
    let count = plan.steps.count == 1 ? "one hop" : "\(plan.steps.count) hops"
    return ["'\(path)' goes from '\(plan.source.name)' to '\(plan.destination.name)' in \(count):"]
      + plan.steps.enumerated().flatMap { index, step in
        ["  \(index + 1). '\(step.source.name)' to '\(step.destination.name)', \(step.method.summary)"]
          + step.remarks.map { "     \($0)" }
      }
  }

  /// What was done.
  static func lines(_ outcome: StoreMigration.Outcome, path: String) -> [String] {
    switch outcome {
    case .alreadyCurrent(let version):
      return ["'\(path)' has the version '\(version.name)' already; nothing to do."]
    case .migrated(let result):
      let target = result.path == path ? "" : " to '\(result.path)'"
      var lines = [
        "Migrated '\(path)'\(target) from '\(result.plan.source.name)' to '\(result.plan.destination.name)'."
      ]
      for step in result.steps {
        lines.append("  '\(step.sourceName)' to '\(step.destinationName)', \(step.method):")
        lines += counts(step.statistics).map { "    \($0)" }
        lines += step.remarks.map { "    \($0)" }
      }
      lines += surroundings(result)
      if let backup = result.backupPath { lines.append("Backup: \(backup)") }
      if let rejects = result.rejectsPath {
        lines.append("Rejects: \(rejects) (\(NumberFormat.grouped(result.rejectsCount)))")
      }
      return lines
    }
  }

  /// What became of the tables that the model knows nothing of.
  private static func surroundings(_ result: StoreMigration.Result) -> [String] {
    let surroundings = result.surroundings
    let uncopied = Dictionary(result.uncopied.map { ($0.name, $0.reason.rawValue) }, uniquingKeysWith: { $1 })
    return surroundings.leftBehind.map { content in
      let note = content.kind == .cloudKitMirror ? ", a mirror to CloudKit: set it up anew in the app" : ""
      return "  left behind: \(content.name) (\(NumberFormat.grouped(content.count)))\(note)"
    }
      + surroundings.appTables.filter { uncopied[$0] == nil }.map { "  kept as it is: \($0)" }
      + uncopied.sorted { $0.key < $1.key }.map { "  not kept: \($0.key) (\($0.value))" }
      + (surroundings.missingFiles.isEmpty
        ? [] : ["  files that are missing: \(NumberFormat.grouped(surroundings.missingFiles.count))"])
  }

  private static func counts(_ statistics: MigrationStatistics) -> [String] {
    let entities = statistics.destinationInstanceCounts.sorted { $0.key < $1.key }.map { name, count in
      "\(name): \(NumberFormat.grouped(count))"
    }
    let counters = statistics.counters.filter { $0.value > 0 }.sorted { $0.key < $1.key }.flatMap { name, count in
      ["\(name.replacing("_", with: " ")): \(NumberFormat.grouped(count))"]
        + (statistics.examples[name] ?? []).prefix(3).map { "  \($0)" }
    }
    return (entities.isEmpty ? ["no instances"] : entities) + counters
  }
}
