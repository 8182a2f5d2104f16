import Foundation
import TestSupport

/// A way to disturb a migration at every place in turn.
struct FaultPlan: Sendable {
  enum Disturbance: Sendable {
    case strike(Fault)
    /// The process is killed at a random instant.
    case death
    /// The power is cut after a change, and unsynced changes are lost in one way or another.
    case powerLoss
    /// Another program works while the migration is stopped.
    case neighbour(Neighbour)

    var name: String {
      switch self {
      case .strike(let strike): strike.name
      case .death: "death at an instant"
      case .powerLoss: "power loss"
      case .neighbour(let neighbour): neighbour.name
      }
    }
  }

  let prepared: PreparedScene
  let injector: FaultInjector
  let disturbance: Disturbance

  /// Every scene with every disturbance.
  ///
  /// - Returns: An empty array without a C compiler.
  static func all(_ scenes: [CrashScenario] = CrashScenario.all) throws -> [FaultPlan] {
    guard let injector = FaultInjector.shared else { return [] }
    return try scenes.flatMap { scene in
      let prepared = try PreparedScene(scene, injector)
      return ([.powerLoss, .death] + Fault.all.map(Disturbance.strike)).map {
        FaultPlan(prepared: prepared, injector: injector, disturbance: $0)
      }
    }
  }

  /// Some scenes with every kind of other program.
  static func beside() throws -> [FaultPlan] {
    guard let injector = FaultInjector.shared else { return [] }
    return try CrashScenario.all.filter { CrashScenario.namesOfShared.contains($0.name) }.flatMap { scene in
      let prepared = try PreparedScene(scene, injector)
      // Without leases, a program that opens the file last and holds no lock cannot be seen.
      return Neighbour.all.filter { scene.leaseDenial == nil || !$0.looksAway }.map {
        FaultPlan(prepared: prepared, injector: injector, disturbance: .neighbour($0))
      }
    }
  }

  var name: String { "\(prepared.scene.name): \(disturbance.name)" }

  /// The number of places at which the migration can be disturbed.
  var count: Int {
    switch disturbance {
    // Memory is allocated thousands of times, mostly at the same places.
    case .strike(let strike): strike.kinds == [.memory] ? min(callCount(strike), 250) : callCount(strike)
    case .death: 60
    case .powerLoss: (prepared.operations.count + 1) * PowerLoss.variantCount
    case .neighbour(let neighbour): neighbourCalls * variantCount(neighbour)
    }
  }

  private var neighbourCalls: Int {
    NeighbourTrial.allKinds.reduce(0) { $0 + (prepared.callCounts[$1] ?? 0) }
  }

  private func variantCount(_ neighbour: Neighbour) -> Int {
    if case .plant = neighbour.deed { return prepared.usedNames.count }
    return neighbour.arrival == .meanwhile ? 4 : 1
  }

  private func callCount(_ strike: Fault) -> Int {
    strike.kinds.reduce(0) { $0 + (prepared.callCounts[$1] ?? 0) }
  }

  /// Returns the place for a turn.
  ///
  /// Each place comes once, in an order shuffled by the seed.
  func place(atTurn turn: Int, seed: UInt64) -> Int {
    guard count > 1 else { return 0 }
    var generator = SeededGenerator(seed: seed ^ nameNumber)
    let start = Int.random(in: 0..<count, using: &generator)
    var step = Int.random(in: 1..<count, using: &generator)
    while Self.commonDivisor(step, count) > 1 { step = step % count + 1 }
    return (start + turn % count * step) % count
  }

  /// Disturbs the migration at a place, counted from 0.
  func run(at place: Int, seed: UInt64) throws -> Finding {
    var generator = SeededGenerator(seed: seed ^ nameNumber &+ UInt64(place))
    switch disturbance {
    case .strike(let strike):
      return try Trial(prepared, injector).run(strike, call: 1 + place * callCount(strike) / count)
    case .death: return try kill(after: UInt32.random(in: 0..<80_000, using: &generator))
    case .powerLoss: return try cutPower(place, &generator)
    case .neighbour(let neighbour):
      let call = 1 + place / variantCount(neighbour)
      return try NeighbourTrial(
        prepared, injector, neighbour, call: call, variant: place % variantCount(neighbour),
        earlierCall: Int.random(in: 1...max(1, call - 1), using: &generator)
      ).run()
    }
  }

  private func kill(after microseconds: UInt32) throws -> Finding {
    let trial = try Trial(prepared, injector)
    var finding = Finding()
    let command = try trial.command().start()
    usleep(microseconds)
    command.send(SIGKILL)
    finding.wasDisturbed = try command.finish().end == .signalled(SIGKILL)
    try trial.conclude(&finding)
    return finding
  }

  private func cutPower(_ place: Int, _ generator: inout SeededGenerator) throws -> Finding {
    let instant = place / PowerLoss.variantCount
    var disk = try SimulatedDisk(prepared.image)
    for operation in prepared.operations.prefix(instant) { try disk.apply(operation) }
    let image = PowerLoss.image(of: disk, variant: place % PowerLoss.variantCount, &generator)
    var finding = Finding()
    let trial = try Trial(prepared, injector, image: image)
    try image.relocate(of: disk, from: prepared.root, to: trial.folder.path, known: prepared.image)
    try trial.conclude(&finding)
    // Once the command has reported success, its result stays.
    if instant == prepared.operations.count, finding.state != .new {
      finding.problems.append("what was done did not last")
    }
    return finding
  }

  /// Returns a stable hash of a name (FNV-1a).
  private var nameNumber: UInt64 {
    name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  private static func commonDivisor(_ first: Int, _ second: Int) -> Int {
    second == 0 ? first : commonDivisor(second, first % second)
  }
}
