internal import DataModel

/// Searches the best way from one version to another.
struct PathSearch {
  /// Which hops may be inferred.
  enum Inference {
    case none
    /// From a version to the next.
    case neighbours
    /// From the first and to the last version of the way too, where no mapping model is passed over.
    case ends
  }

  /// What is tried, one after the other.
  ///
  /// Inference drops what a mapping model would move, and nobody would be the wiser. So first no inferred hop may take
  /// the place of a mapping model that leads on.
  static let attempts: [(inference: Inference, sparesMappings: Bool)] = [
    (.none, true), (.neighbours, true), (.ends, true), (.neighbours, false), (.ends, false),
  ]

  let planner: MigrationPlanner
  let destination: KnownVersion
  /// All versions: the known ones, and the store's own if it is none of them.
  let versions: [KnownVersion]
  let start: Int
  /// The likely history of the known versions.
  private lazy var tree = VersionTree(planner.versions)
  /// The version after each on the way to the last one.
  private lazy var following = Dictionary(
    planner.versions.indices.flatMap { place in
      let way = tree.way(from: place, to: goalPlace ?? place)
      return zip(way, way.dropFirst()).map { ($0, $1) }
    }, uniquingKeysWith: { first, _ in first })
  /// What came of inference, by the places of the versions.
  private var inferred: [[Int]: Result<InferredMappingModel, InferenceError>] = [:]

  init(_ planner: MigrationPlanner, _ source: KnownVersion, _ destination: KnownVersion) {
    self.planner = planner
    self.destination = destination
    let known = planner.versions.firstIndex { $0.name == source.name }
    versions = known == nil ? planner.versions + [source] : planner.versions
    start = known ?? planner.versions.count
  }

  mutating func bestPath(_ inference: Inference, sparesMappings: Bool) -> [MigrationStep]? {
    guard let goal = goalPlace else { return nil }
    // The fewest entities that inference removes, then the fewest hops, then the fewest inferred ones, then the names.
    typealias Cost = (removals: Int, hops: Int, inferences: Int)
    var best: [Int: (cost: Cost, steps: [MigrationStep])] = [start: ((0, 0, 0), [])]
    var waiting: Set = [start]
    while let next = waiting.min(by: { left, right in
      guard let a = best[left]?.cost, let b = best[right]?.cost else { return false }
      return a < b || a == b && left < right
    }), let (cost, steps) = best[next] {
      if next == goal { return steps }
      waiting.remove(next)
      for other in versions.indices where other != next {
        guard let method = method(from: next, to: other, goal: goal, inference, sparesMappings) else { continue }
        var newCost: Cost = (cost.removals, cost.hops + 1, cost.inferences)
        if case .inferred(let inferred) = method {
          newCost.removals += inferred.mappingModel.entityMappings.count { $0.mappingType == .remove }
          newCost.inferences += 1
        }
        if let known = best[other], known.cost <= newCost { continue }
        let step = MigrationStep(source: versions[next], destination: versions[other], method: method)
        best[other] = (newCost, steps + [step])
        waiting.insert(other)
      }
    }
    return nil
  }

  private mutating func method(
    from source: Int, to destination: Int, goal: Int, _ inference: Inference, _ sparesMappings: Bool
  ) -> MigrationStep.Method? {
    let mappings = planner.mappings.filter {
      $0.sourceVersionName == versions[source].name && $0.destinationVersionName == versions[destination].name
    }
    if !mappings.isEmpty { return .mapping(mappings) }
    guard inference != .none else { return nil }
    // Not every pair: with a hundred versions those are thousands.
    let isJump =
      inference == .ends && (source == start || destination == goal) && !passesMapping(source, destination, goal)
    if sparesMappings {
      guard !mappingLeadsOn(from: source, goal) else { return nil }
      guard isMadeForMapping(source, destination) || following[source] == destination || isJump,
        !mappingLeads(to: destination, fromSuccessorOf: source)
      else { return nil }
    } else {
      guard following[source] == destination || isJump else { return nil }
    }
    return inferredModel(source, destination).map { .inferred($0) }
  }

  private mutating func inferredModel(_ source: Int, _ destination: Int) -> InferredMappingModel? {
    if let known = inferred[[source, destination]] { return try? known.get() }
    let result: Result<InferredMappingModel, InferenceError>
    do throws(InferenceError) {
      result = .success(
        try InferredMappingModel(from: versions[source].model, to: versions[destination].model))
    } catch {
      result = .failure(error)
    }
    inferred[[source, destination]] = result
    return try? result.get()
  }

  /// The places of the versions that mapping models lead from and to.
  private lazy var mapped: [(source: Int, destination: Int)] = planner.mappings.compactMap { mapping in
    guard let source = planner.versions.firstIndex(where: { $0.name == mapping.sourceVersionName }),
      let destination = planner.versions.firstIndex(where: { $0.name == mapping.destinationVersionName }),
      source != destination
    else { return nil }
    return (source, destination)
  }

  /// Whether a mapping model leads from a version to the last one of the way, or to one that is more like it.
  private mutating func mappingLeadsOn(from source: Int, _ goal: Int) -> Bool {
    for mapping in mapped where mapping.source == source {
      if mapping.destination == goal || tree.distance(mapping.destination, goal) < tree.distance(source, goal) {
        return true
      }
    }
    return false
  }

  /// Whether a mapping model leads to a version from one that another version has become.
  private mutating func mappingLeads(to destination: Int, fromSuccessorOf source: Int) -> Bool {
    for mapping in mapped where mapping.destination == destination && mapping.source != source {
      if isSuccessor(mapping.source, of: source) { return true }
    }
    return false
  }

  /// Whether a hop leads to a version from which a mapping model does what inference would do next.
  private mutating func isMadeForMapping(_ source: Int, _ destination: Int) -> Bool {
    guard let next = following[source],
      mapped.contains(where: { $0 == (destination, next) })
    else { return false }
    return isSuccessor(destination, of: source)
  }

  /// Whether a version has all that another has, and that other one not all that it has.
  private mutating func isSuccessor(_ later: Int, of earlier: Int) -> Bool {
    guard earlier < planner.versions.count, let forth = inferredModel(earlier, later),
      !forth.findings.contains(where: \.isLoss)
    else { return false }
    return inferredModel(later, earlier)?.findings.contains(where: \.isLoss) != false
  }

  /// Whether a jump passes over a mapping model, or leaves the way.
  private mutating func passesMapping(_ source: Int, _ destination: Int, _ goal: Int) -> Bool {
    guard source < planner.versions.count, start < planner.versions.count else { return !planner.mappings.isEmpty }
    let way = Set(tree.way(from: start, to: goal))
    guard way.contains(source) || mapped.contains(where: { $0.destination == source }), way.contains(destination) else {
      return true
    }
    let passed = Set(tree.way(from: source, to: destination))
    return mapped.contains {
      $0.source != destination && $0.destination != source && passed.contains($0.source)
        && passed.contains($0.destination)
    }
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
