import TestSupport
import Testing

/// A reproducible sample of `make crash`.
@Suite("A migration beside another program", .enabled(if: FaultInjector.shared != nil, "needs a C compiler"))
struct NeighbourTests {
  private static let seed: UInt64 = 20_251_101
  private static let strands = Result { try FaultPlan.beside() }

  @Test(arguments: 0..<(Rounds.areMany ? 8 : 2))
  func `A migration loses nothing that the other program was told is safe`(part: Int) throws {
    let strands = try Self.strands.get()
    var generator = SeededGenerator(seed: Self.seed &+ UInt64(part))
    for _ in 0..<12 {
      let strand = strands[Int.random(in: 0..<strands.count, using: &generator)]
      let place = Int.random(in: 0..<strand.count, using: &generator)
      let problems = try strand.run(at: place, seed: Self.seed).problems
      #expect(problems == [], "\(strand.name), place \(place)")
    }
  }

  /// There are few instants between two locks, and a sample could miss them.
  @Test(arguments: ["beside an app that commits", "beside an app that has waited to commit"])
  func `A migration loses no commit between two locks`(name: String) throws {
    let strand = try #require(try Self.strands.get().first { $0.name == "log: \(name)" })
    guard case .neighbour(let neighbour) = strand.disturbance else { return }
    let count = strand.prepared.callCounts[.lock] ?? 0
    #expect(count > 20)
    for call in 2...count {
      let trial = try NeighbourTrial(
        strand.prepared, strand.injector, neighbour, kinds: [.lock], call: call, earlierCall: call - 1)
      let problems = try trial.run().problems
      #expect(problems == [], "call \(call)")
    }
  }

  @Test(arguments: ["log", "no second names"])
  func `Permissions that are withdrawn during a migration stay withdrawn`(scene: String) throws {
    let strand = try #require(try Self.strands.get().first { $0.name == "\(scene): beside chmod 0600" })
    // The last of them are around the renames.
    let places = Array(stride(from: 0, to: strand.count, by: strand.count / (Rounds.areMany ? 12 : 4)))
    for place in places + [60, 40, 20, 10].map({ strand.count - $0 }) {
      let problems = try strand.run(at: place, seed: Self.seed).problems
      #expect(problems == [], "place \(place)")
    }
  }
}
