/// What a person is told of a plan and of what came of it.
enum MigrationText {
  /// The hops of a plan.
  static func plan(_ plan: MigrationPlan, of path: String) -> [String] {
    guard !plan.steps.isEmpty else { return [current(plan.destination, path)] }
    let count = plan.steps.count == 1 ? "one hop" : "\(plan.steps.count) hops"
    return ["'\(path)' goes from '\(plan.source.name)' to '\(plan.destination.name)' in \(count):"]
      + plan.steps.enumerated().flatMap { index, step in
        ["  \(index + 1). '\(step.source.name)' to '\(step.destination.name)', \(step.method.summary)"]
          + step.remarks.map { "     \($0)" }
      }
  }

  /// What was done.
  static func outcome(_ outcome: StoreMigration.Outcome, of path: String) -> [String] {
    switch outcome {
    case .alreadyCurrent(let version): [current(version, path)]
    case .migrated(let result): migrated(result, path)
    }
  }

  private static func current(_ version: KnownVersion, _ path: String) -> String {
    "'\(path)' has the version '\(version.name)' already; nothing to do."
  }

  private static func migrated(_ result: StoreMigration.Result, _ path: String) -> [String] {
    let target = result.path == path ? "" : " to '\(result.path)'"
    var lines = ["Migrated '\(path)'\(target) from '\(result.plan.source.name)' to '\(result.plan.destination.name)'."]
    for step in result.steps {
      lines.append("  '\(step.sourceName)' to '\(step.destinationName)', \(step.method):")
      lines += (counts(step.statistics) + step.remarks).map { "    \($0)" }
    }
    lines += result.surroundings.leftBehind.map { "  left behind: \($0.name) (\($0.count))" }
    lines += result.uncopied.map { "  not kept: \($0.name) (\($0.reason.rawValue))" }
    if let backup = result.backupPath { lines.append("Backup: \(backup)") }
    if let rejects = result.rejectsPath { lines.append("Rejects: \(rejects) (\(result.rejectsCount))") }
    return lines
  }

  /// What there is of each entity, and what policies have counted, with a few examples.
  private static func counts(_ statistics: MigrationStatistics) -> [String] {
    let entities = statistics.destinationInstanceCounts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    let counters = statistics.counters.filter { $0.value > 0 }.sorted { $0.key < $1.key }.flatMap { name, count in
      ["\(name.replacing("_", with: " ")): \(count)"] + (statistics.examples[name] ?? []).prefix(3).map { "  \($0)" }
    }
    return (entities.isEmpty ? ["no instances"] : entities) + counters
  }

  /// A line without what a terminal would obey instead of showing: names come from strangers' files.
  static func visible(_ line: String) -> String {
    var visible = ""
    for scalar in line.unicodeScalars {
      switch scalar.value {
      case 0...0x1F, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069:
        visible += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      default: visible.unicodeScalars.append(scalar)
      }
    }
    return visible
  }
}
