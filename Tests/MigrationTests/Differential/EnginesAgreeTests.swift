import Migration
import TestSupport
import Testing

/// A mapping model gives the same graph with statements on whole tables and instance by instance.
struct EnginesAgreeTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `Bulk statements and instances migrate random stores to the same result`() throws {
    let seeds = Rounds.seeds(60)
    var counts: [String: Int] = [:]
    for seed in seeds {
      guard let sample = DifferentialCase(seed: seed) else {
        counts["no model", default: 0] += 1
        continue
      }
      let outcome = try sample.run(in: folder)
      if case .different(let difference) = outcome {
        counts["different", default: 0] += 1
        Issue.record("seed \(seed): \(difference)")
      } else {
        counts["\(outcome)", default: 0] += 1
      }
    }
    #expect(counts["same", default: 0] >= seeds.count / 4, "\(counts)")
  }
}
