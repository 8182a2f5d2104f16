/// The results of a sweep so far, and its progress in each strand.
struct SweepFigures: Codable {
  var seed: UInt64
  /// The number of places tried, by name of the strand.
  var turns: [String: Int] = [:]
  /// The number of disturbed migrations.
  var stopCount = 0
  /// The number of times each state was found right afterwards.
  var stateCounts: [String: Int] = [:]
  /// The number of failures.
  var failureCount = 0

  init(seed: UInt64) { self.seed = seed }

  mutating func add(_ finding: Finding) {
    if finding.wasDisturbed {
      stopCount += 1
      stateCounts[finding.state.rawValue, default: 0] += 1
    }
    if !finding.problems.isEmpty { failureCount += 1 }
  }

  /// Returns a one-line summary.
  func summary(isComplete: Bool) -> String {
    let states = ["old", "new"].map { "\($0) \(stateCounts[$0] ?? 0)" }.joined(separator: ", ")
    return "seed \(seed): stops tried: \(stopCount); states found: \(states); third states = "
      + "\(stateCounts["third"] ?? 0); failures = \(failureCount)"
      + (isComplete ? "" : "; not complete, the next run goes on from here")
  }
}
