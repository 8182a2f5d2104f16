import FuzzTargets
import TestSupport
import Testing

/// Inputs that must not make a reader crash, hang, or break a promise.
struct MutationTests {
  @Test(arguments: FuzzTarget.allCases) func `A past crasher is handled`(target: FuzzTarget) throws {
    for bytes in try target.regressions() { try target.read(bytes) }
  }

  @Test(arguments: FuzzTarget.allCases) func `A valid input is handled`(target: FuzzTarget) throws {
    let seeds = try target.seeds()
    #expect(!seeds.isEmpty)
    for bytes in seeds { try target.read(bytes) }
  }

  @Test(arguments: FuzzTarget.allCases) func `A mutated input is handled`(target: FuzzTarget) throws {
    let seed = UInt64.random(in: .min ... .max)
    let seeds = try target.seeds()
    var mutation = Mutation(seed: seed, others: seeds)
    for round in 0..<target.rounds {
      let changed = mutation.change(seeds[round % seeds.count], isPaged: target.isPaged)
      do {
        try target.read(changed)
      } catch {
        Issue.record("seed \(seed), round \(round), target \(target): \(error)")
      }
    }
  }
}

extension FuzzTarget {
  /// The number of rounds that take about a quarter of a second without optimization.
  fileprivate var rounds: Int {
    switch self {
    case .json, .propertyList, .expression: 800
    case .modelXML, .modelArchive, .modelCache, .mappingXML, .mappingArchive, .preset, .feed: 80
    case .store: 20
    case .salvage: 10
    }
  }
}
