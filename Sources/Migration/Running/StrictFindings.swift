internal import PersistentStore

/// What a strict migration stops at when all hops are done, in the order of its weight.
struct StrictFindings {
  private(set) var all: [String] = []

  init(_ steps: [StoreMigration.StepResult], _ uncopied: [UncopiedContent], _ rejects: RejectsFile) {
    if rejects.count > 0 {
      all.append(rejects.count == 1 ? "a value cannot be read" : "\(rejects.count) values cannot be read")
    }
    if !uncopied.isEmpty {
      let list = uncopied.map { "'\($0.name)' cannot be carried over: \($0.reason.explanation)" }
      all.append(list.joined(separator: "; "))
    }
    for step in steps {
      for (name, count) in step.statistics.counters.sorted(by: { $0.key < $1.key })
      where count > 0 && Self.isDoubtful(name) {
        let example = step.statistics.examples[name]?.first.map { ", such as \($0)" } ?? ""
        all.append("\(name.replacing("_", with: " ")): \(count)\(example)")
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

  /// The counters of policies are their own business.
  private static func isDoubtful(_ counter: String) -> Bool {
    counter == MigrationManager.unassociatedCounter || counter == MigrationManager.ambiguousDestinationCounter
      || counter.hasPrefix(MigrationManager.validationCounter)
  }
}
