import Foundation
import TestSupport
import Testing

/// A reproducible sample of `make crash`.
///
/// Random instants seldom hit the few microseconds in which names change. The injector counts the calls that change
/// files and strikes at the chosen one.
@Suite("A disturbed migration", .enabled(if: !Sanitizer.isOn, "a sanitizer hides the calls"))
struct CrashPointTests {
  static let seed: UInt64 = 20_250_701
  static let strands = Result { try FaultPlan.all() }
  private static let changeOfNames = Fault(name: "death", kinds: [.name, .sync], action: .death(isTorn: false))

  @Test(arguments: 0..<(Rounds.areMany ? 4 : 2))
  func `A disturbed run leaves the old store or the new one, and the next run finishes`(part: Int) throws {
    let strands = try Self.strands.get()
    guard !strands.isEmpty else { return }
    var generator = SeededGenerator(seed: Self.seed &+ UInt64(part))
    for _ in 0..<6 {
      let strand = strands[Int.random(in: 0..<strands.count, using: &generator)]
      guard strand.count > 0 else { continue }
      let place = Int.random(in: 0..<strand.count, using: &generator)
      let finding = try strand.run(at: place, seed: Self.seed)
      #expect(finding.problems == [], "\(strand.name), place \(place)")
    }
  }

  @Test(arguments: 1...6)
  func `Partial reads and writes are completed`(call: Int) throws {
    guard let strand = try Self.strands.get().first(where: { $0.name == "journal: half a read or write" }) else {
      return
    }
    #expect(try strand.run(at: call - 1, seed: Self.seed).problems == [])
  }

  @Test(arguments: ["spilled links", "spilled links, import"])
  func `A disk that is full while links are spilled changes nothing, and the next run finishes`(name: String) throws {
    guard let prepared = try Self.strands.get().first(where: { $0.prepared.scene.name == name })?.prepared,
      let injector = FaultInjector.shared
    else { return }
    let runs = prepared.operations.filter { operation in
      if case .create(let file, _, _) = operation { file.hasSuffix(".links") } else { false }
    }
    #expect(runs.count == 2, "the links and their inverse")
    for lasts in [false, true] {
      let strike = Fault(name: "full", kinds: [.write, .name], action: .failure(ENOSPC, lasts: lasts))
      var states: Set<Inspection.State> = []
      for call in stride(from: lasts ? 1 : 2, through: 1000, by: Rounds.areMany ? 9 : 31) {
        let finding = try Trial(prepared, injector).run(strike, call: call)
        #expect(finding.problems == [], "call \(call)")
        guard finding.wasDisturbed else { break }
        states.insert(finding.state)
      }
      #expect(states.contains(.old))
    }
  }

  @Test func `An emptied journal of a dead run is removed`() throws {
    let folder = try TemporaryFolder()
    let library = try folder.library()
    try folder.write([UInt8](repeating: 0, count: 512), to: "Library.sqlite-journal")
    try successfully(library, "--quiet")
    #expect(try !folder.listing().contains("Library.sqlite-journal"))
    #expect(try Rows.migrated(library) == [TrackRow].fewMigrated)
  }

  @Test(arguments: ["log", "app", "columns", "restore"])
  func `A run that dies at any rename loses nothing`(name: String) throws {
    guard let prepared = try Self.strands.get().first(where: { $0.prepared.scene.name == name })?.prepared,
      let injector = FaultInjector.shared
    else { return }
    var states: Set<Inspection.State> = []
    var count = 0
    for call in 1...500 {
      let finding = try Trial(prepared, injector).run(Self.changeOfNames, call: call)
      #expect(finding.problems == [], "call \(call)")
      guard finding.wasDisturbed else { break }
      count += 1
      states.insert(finding.state)
    }
    #expect(count > 15 && count < 500)
    #expect(states == [.old, .new])
  }
}
