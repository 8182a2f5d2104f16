import Foundation
import TestSupport
import Testing

/// Disturbs each command that writes files, at its calls.
@Suite(
  "Every command that writes, disturbed",
  .enabled(if: !Sanitizer.isOn && FaultInjector.shared != nil, "needs a C compiler"))
struct RoadSweepTests {
  @Test(arguments: Road.all.filter { $0.command != "assemble" || ClusterSteps.python != nil })
  func `A disturbed command leaves the old files or the new ones, and the next run finishes`(road: Road) throws {
    let prepared = try PreparedRoad(road, try #require(FaultInjector.shared))
    var generator = SeededGenerator(seed: Rounds.seeds(1).lowerBound)
    // Each change of a name is where files come and go.
    let death = Fault(name: "death", kinds: [.name], action: .death(isTorn: false))
    let names = prepared.count(death)
    #expect(names > 0)
    var struckCount = 0
    for call in Rounds.some(6, of: Array(1...max(1, names))) {
      if try strike(death, call, prepared) { struckCount += 1 }
    }
    for fault in Rounds.some(7, of: Fault.all) {
      let count = prepared.count(fault)
      guard count > 0 else { continue }
      let few = (0..<min(count, 40)).map { 1 + $0 * count / min(count, 40) }
      for call in Rounds.areMany ? few : [Int.random(in: 1...count, using: &generator)] {
        if try strike(fault, call, prepared) { struckCount += 1 }
      }
    }
    #expect(struckCount > 5)
  }

  /// Returns whether there was such a call.
  private func strike(_ fault: Fault, _ call: Int, _ prepared: PreparedRoad) throws -> Bool {
    let problems = try prepared.problems(fault, call: call)
    #expect(problems ?? [] == [], "\(fault.name), call \(call)")
    return problems != nil
  }

  @Test(
    arguments: Road.all.filter { $0.command != "batch" && ($0.command != "assemble" || ClusterSteps.python != nil) })
  func `After a power loss there are the old files or the new ones, and the next run finishes`(road: Road) throws {
    let prepared = try PreparedRoad(road, try #require(FaultInjector.shared))
    var generator = SeededGenerator(seed: Rounds.seeds(1).lowerBound)
    let count = prepared.operations.count
    #expect(count > 0)
    for change in Rounds.some(6, of: Array(0..<count)) + [count] {
      for variant in Rounds.areMany ? Array(0..<PowerLoss.variantCount) : [0, 1, 2 + change % 10] {
        let problems = try prepared.problemsOfPowerLoss(after: change, variant: variant, &generator)
        #expect(problems == [], "after change \(change) of \(count), variant \(variant)")
      }
    }
  }

  @Test func `Each command is disturbed, or it is said why not`() throws {
    var commands: [String] = []
    for line in try tracksMigrate("--help").stdout.split(separator: "\n") {
      // The name stands behind two spaces, and its description further right.
      guard line.hasPrefix("  "), !line.hasPrefix("   "), line.dropFirst(2).first?.isLowercase == true else { continue }
      let name = String(line.dropFirst(2).prefix { $0.isLowercase })
      guard line.dropFirst(2 + name.count).hasPrefix(" "), line.count > 26 else { continue }
      if !Road.groups.contains(name) {
        commands.append(name)
        continue
      }
      let lines = try tracksMigrate(name, "--help").stdout.split(separator: "\n").drop { $0 != "SUBCOMMANDS:" }
      for line in lines.dropFirst() where line.hasPrefix("  ") && !line.hasPrefix("   ") && !line.contains("See '") {
        commands.append("\(name) \(line.dropFirst(2).prefix { $0.isLowercase })")
      }
    }
    #expect(commands.count > 30, "\(commands)")
    let known = Set(Road.all.map(\.command)).union(Road.others.keys)
    #expect(Set(commands) == known, "\(Set(commands).symmetricDifference(known))")
  }
}
