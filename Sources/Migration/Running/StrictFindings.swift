internal import Diagnostics
internal import PersistentStore

/// What a strict migration stops at when all hops are done, in the order of its weight.
struct StrictFindings {
  private(set) var all: [String] = []

  init(_ steps: [StoreMigration.StepResult], _ uncopied: [UncopiedContent], _ rejects: RejectsFile) {
    if rejects.count > 0 {
      all.append(rejects.count == 1 ? "a value cannot be read" : "\(rejects.count) values cannot be read")
    }
    all += [uncopied.loss].compactMap { $0 }
    for step in steps {
      for (name, count) in step.statistics.counters.sorted(by: { $0.key < $1.key })
      where count > 0 {
        let examples = step.statistics.examples[name] ?? []
        if let finding = Self.finding(name, count, examples) { all.append(finding) }
      }
    }
  }

  /// What the inferred hops of a plan would drop, if anything, and which table may get a wrong name.
  static func loss(of plan: MigrationPlan) -> String? {
    let losses = plan.steps.flatMap { step -> [String] in
      guard case .inferred(let inferred) = step.method else { return [] }
      return inferred.findings.filter(\.isLoss).map(\.description)
    }
    guard let first = losses.first else { return plan.doubtfulJoinTables.first?.doubt }
    return losses.count == 1 ? first : "\(first); and \(losses.count - 1) more, which --dry-run shows"
  }

  /// The first, if there is any.
  var first: String? { all.first }

  /// What a counter says; the counters of policies are their own business.
  private static func finding(_ counter: String, _ count: Int, _ examples: [String]) -> String? {
    let example = examples.first.map { ", such as \($0)" } ?? ""
    switch counter {
    case MigrationManager.unassociatedCounter:
      return "a policy made \(count.counting("instance")) without a source instance\(example)"
    case MigrationManager.ambiguousDestinationCounter:
      return "\(count.counting("to-one relationship")) would get several destinations\(example)"
    case _ where counter.hasPrefix(MigrationManager.validationCounter):
      // Each tells the number of instances itself.
      return examples.joined(separator: "; ")
    default: return nil
    }
  }
}
