internal import DataModel

/// Searches the shortest way from one version to another.
struct PathSearch {
  /// Which hops may be inferred.
  enum Inference: CaseIterable {
    case none
    /// From a version to the next.
    case neighbours
    /// From the first and to the last version of the way too, where no mapping model is passed over.
    case ends
  }

  let planner: MigrationPlanner
  let destination: KnownVersion
  /// All versions: the known ones in order, and the store's own if it is none of them.
  let versions: [KnownVersion]
  let start: Int
  /// What came of inference, by the places of the versions.
  private var inferred: [[Int]: Result<InferredMappingModel, InferenceError>] = [:]

  init(_ planner: MigrationPlanner, _ source: KnownVersion, _ destination: KnownVersion) {
    self.planner = planner
    self.destination = destination
    let known = planner.versions.firstIndex { $0.name == source.name }
    versions = known == nil ? planner.versions + [source] : planner.versions
    start = known ?? planner.versions.count
  }

  mutating func shortestPath(_ inference: Inference) -> [MigrationStep]? {
    guard let goal = versions.firstIndex(where: { $0.name == destination.name }) else { return nil }
    // The fewest hops first, then the fewest inferred ones, then the order of the versions.
    var best: [Int: (cost: Int, steps: [MigrationStep])] = [start: (0, [])]
    var waiting = [start]
    while let next = waiting.min(by: { (best[$0]?.cost ?? .max, $0) < (best[$1]?.cost ?? .max, $1) }) {
      guard let (cost, steps) = best[next] else { return nil }
      if next == goal { return steps }
      waiting.removeAll { $0 == next }
      for other in versions.indices where other != next {
        guard let method = method(from: next, to: other, goal: goal, inference) else { continue }
        let isInferred = if case .inferred = method { 1 } else { 0 }
        let newCost = cost + (versions.count + 1) + isInferred
        if let known = best[other], known.cost <= newCost { continue }
        let step = MigrationStep(source: versions[next], destination: versions[other], method: method)
        best[other] = (newCost, steps + [step])
        if !waiting.contains(other) { waiting.append(other) }
      }
    }
    return nil
  }

  private mutating func method(
    from source: Int, to destination: Int, goal: Int, _ inference: Inference
  ) -> MigrationStep.Method? {
    let mappings = planner.mappings.filter {
      $0.sourceVersionName == versions[source].name && $0.destinationVersionName == versions[destination].name
    }
    if !mappings.isEmpty { return .mapping(mappings) }
    // Not every pair: with a hundred versions those are thousands.
    let isEnd = inference == .ends && (source == start || destination == goal)
    guard inference != .none,
      isNext(source, destination, goal) || (isEnd && !passesMapping(source, destination, goal))
    else { return nil }
    if let known = inferred[[source, destination]] { return try? .inferred(known.get()) }
    let result: Result<InferredMappingModel, InferenceError>
    do throws(InferenceError) {
      result = .success(
        try InferredMappingModel(from: versions[source].model, to: versions[destination].model))
    } catch {
      result = .failure(error)
    }
    inferred[[source, destination]] = result
    return try? .inferred(result.get())
  }

  /// Whether a jump passes over a version that a mapping model leads from or to, or leaves the way.
  ///
  /// Inference would drop what that mapping model moves, and nobody would be the wiser.
  private func passesMapping(_ source: Int, _ destination: Int, _ goal: Int) -> Bool {
    guard source < planner.versions.count, start < planner.versions.count else { return !planner.mappings.isEmpty }
    let way = min(start, goal)...max(start, goal)
    guard way.contains(source), way.contains(destination) else { return true }
    let passed = Set(versions[min(source, destination)...max(source, destination)].map(\.name))
    return planner.mappings.contains {
      passed.contains($0.sourceVersionName) && passed.contains($0.destinationVersionName)
    }
  }

  /// Whether a version follows another in the direction of the goal.
  private func isNext(_ source: Int, _ destination: Int, _ goal: Int) -> Bool {
    guard source < planner.versions.count, destination < planner.versions.count else { return false }
    return destination == (goal > source ? source + 1 : source - 1)
  }

  /// Why there is no way, for people: what each hop from the store's version met.
  var refusal: String {
    if !planner.allowsInference { return "no mapping models lead there, and inference is turned off" }
    let reasons = inferred.sorted { $0.key.lexicographicallyPrecedes($1.key) }.compactMap { places, result -> String? in
      guard case .failure(let error) = result, places[0] == start || places[1] == goalPlace else { return nil }
      let words = error.reasons.map(\.description).joined(separator: "; ")
      return "'\(versions[places[0]].name)' to '\(versions[places[1]].name)': \(words)"
    }
    return reasons.isEmpty ? "no mapping models lead there" : reasons.joined(separator: "; ")
  }

  private var goalPlace: Int? { versions.firstIndex { $0.name == destination.name } }
}
