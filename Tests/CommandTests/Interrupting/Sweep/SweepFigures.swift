/// What a sweep has found so far, and how far it is in each strand.
struct SweepFigures: Codable {
  var seed: UInt64
  /// By name of the strand: how many places had their turn.
  var turns: [String: Int] = [:]
  /// How often a migration was disturbed.
  var stopCount = 0
  /// By state: how often it was found right after.
  var stateCounts: [String: Int] = [:]
  /// How often anything was not as it should be.
  var failureCount = 0

  init(seed: UInt64) { self.seed = seed }

  mutating func add(_ finding: Finding) {
    if finding.wasDisturbed {
      stopCount += 1
      stateCounts[finding.state.rawValue, default: 0] += 1
    }
    if !finding.problems.isEmpty { failureCount += 1 }
  }

  /// One line.
  func summary(isComplete: Bool) -> String {
    let states = ["old", "new"].map { "\($0) \(stateCounts[$0] ?? 0)" }.joined(separator: ", ")
    return "seed \(seed): stops tried: \(stopCount); states found: \(states); third states = "
      + "\(stateCounts["third"] ?? 0); failures = \(failureCount)"
      + (isComplete ? "" : "; not complete, the next run goes on from here")
  }
}
