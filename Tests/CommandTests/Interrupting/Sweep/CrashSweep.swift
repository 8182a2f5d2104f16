import Foundation
import Synchronization
import TestSupport

/// Disturbs migrations in every way at every place, for a given time.
///
/// The sweep alternates between the strands, so any part of it is a sample of the whole. A file records the progress,
/// and the next sweep with the same seed continues from there.
final class CrashSweep: Sendable {
  private struct State {
    var figures: SweepFigures
    var turn = 0
    var savedAt = ContinuousClock.now
  }

  private let strands: [FaultPlan]
  private let seed: UInt64
  private let deadline: ContinuousClock.Instant?
  private let limit: Int
  private let folder: String
  private let state: Mutex<State>
  private let startCount: Int

  /// - Parameters:
  ///   - variables: `CRASH_SEED`, `CRASH_SECONDS`, `CRASH_COUNT`, and `CRASH_ONLY`, a substring of the names of the
  ///     chosen strands.
  ///   - folder: The folder for the progress and the failures.
  init(_ variables: [String: String], folder: String) throws {
    let only = variables["CRASH_ONLY"] ?? ""
    strands = try (FaultPlan.all() + FaultPlan.beside()).filter { only.isEmpty || $0.name.contains(only) }
    let seed = variables["CRASH_SEED"].flatMap { UInt64($0) } ?? 1
    self.seed = seed
    deadline = variables["CRASH_SECONDS"].flatMap { Int($0) }.map { ContinuousClock.now + .seconds($0) }
    limit = variables["CRASH_COUNT"].flatMap { Int($0) } ?? .max
    self.folder = folder
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let saved = (try? Files.bytes(folder + "/state.json")).flatMap {
      try? JSONDecoder().decode(SweepFigures.self, from: Data($0))
    }
    let figures = saved?.seed == seed ? saved : nil
    if figures == nil { Files.remove(folder + "/failures.txt") }
    startCount = figures?.stopCount ?? 0
    state = Mutex(State(figures: figures ?? SweepFigures(seed: seed)))
  }

  /// Sweeps with as many workers as there are cores.
  ///
  /// - Returns: The figures, and whether every place has been tried.
  func run() async throws -> (figures: SweepFigures, isComplete: Bool) {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<max(2, ProcessInfo.processInfo.activeProcessorCount) {
        group.addTask { try self.work() }
      }
      try await group.waitForAll()
    }
    let figures = state.withLock { $0.figures }
    try save(figures)
    return (figures, strands.allSatisfy { (figures.turns[$0.name] ?? 0) >= $0.count })
  }

  private func work() throws {
    while let (strand, turn) = next() {
      let place = strand.place(atTurn: turn, seed: seed)
      let finding: Finding
      do {
        finding = try strand.run(at: place, seed: seed)
      } catch {
        finding = Finding(wasDisturbed: true, state: .third, problems: ["\(error)"])
      }
      try note(finding, strand, place)
    }
  }

  /// Returns the next place of the next strand that has one.
  private func next() -> (FaultPlan, Int)? {
    if let deadline, ContinuousClock.now > deadline { return nil }
    return state.withLock { state in
      guard state.figures.stopCount - startCount < limit else { return nil }
      for _ in strands {
        let strand = strands[state.turn % strands.count]
        state.turn += 1
        let turn = state.figures.turns[strand.name] ?? 0
        guard turn < strand.count else { continue }
        // It is counted before it is tried, so another worker takes the next one.
        state.figures.turns[strand.name] = turn + 1
        return (strand, turn)
      }
      return nil
    }
  }

  private func note(_ finding: Finding, _ strand: FaultPlan, _ place: Int) throws {
    let figures = state.withLock { state -> SweepFigures? in
      state.figures.add(finding)
      guard state.savedAt + .seconds(5) < ContinuousClock.now else { return nil }
      state.savedAt = ContinuousClock.now
      return state.figures
    }
    if !finding.problems.isEmpty { try tell(finding, strand, place) }
    if let figures { try save(figures) }
  }

  private func tell(_ finding: Finding, _ strand: FaultPlan, _ place: Int) throws {
    let text = "FAILED \(strand.name), place \(place), seed \(seed): \(finding.problems.joined(separator: "\n  "))\n"
    FileHandle.standardError.write(Data(text.utf8))
    let path = folder + "/failures.txt"
    let earlier = (try? Files.bytes(path)) ?? []
    try Files.write(earlier + Array(text.utf8), to: path)
  }

  private func save(_ figures: SweepFigures) throws {
    let data = try JSONEncoder().encode(figures)
    try data.write(to: URL(filePath: folder + "/state.json"), options: .atomic)
    let line = figures.summary(isComplete: strands.allSatisfy { (figures.turns[$0.name] ?? 0) >= $0.count })
    try Files.write(line + "\n", to: folder + "/figures.txt")
    FileHandle.standardError.write(Data("\(line)\n".utf8))
  }
}
