public import DataModel
public import Diagnostics

/// Finds the hops from the version that a store has to the one that is wanted.
///
/// A hop between two versions is made by the mapping models for exactly these two, or, where there are none and it is
/// allowed, by inference. The shortest way wins; of two equally short ones, that with fewer inferred hops.
///
/// Inference could often jump over a version whose mapping model does more than inference can, and lose what that
/// mapping model would have moved. So inferred hops lead only from a version to the next in the order of the bundle, as
/// long as there is such a way. Only where there is none are longer inferred hops tried.
public struct MigrationPlanner: Sendable {
  /// The versions that are known, in the order of their bundle.
  public var versions: [KnownVersion]
  /// The mapping models that are known, in the order in which those for the same two versions are carried out.
  public var mappings: [KnownMapping]
  /// Whether mapping models may be inferred.
  public var allowsInference: Bool

  /// Creates a planner.
  public init(versions: [KnownVersion], mappings: [KnownMapping] = [], allowsInference: Bool = true) {
    self.versions = versions
    self.mappings = mappings
    self.allowsInference = allowsInference
  }

  /// Plans the way between two versions.
  ///
  /// - Throws: `MigrationError` with `noMigrationPath`, which tells of each hop why it cannot be made; with
  ///   `ambiguousMappingModel` where several mapping models do the same on the way.
  public func plan(from source: KnownVersion, to destination: KnownVersion) throws(MigrationError) -> MigrationPlan {
    if source.model.entityVersionHashesByName == destination.model.entityVersionHashesByName {
      return MigrationPlan(source: source, destination: destination, steps: [])
    }
    var search = PathSearch(self, source, destination)
    for skips in [false, true] {
      if let steps = search.shortestPath(skippingVersions: skips) {
        for step in steps { try step.requireUnambiguous() }
        return MigrationPlan(source: source, destination: destination, steps: steps)
      }
    }
    throw MigrationError(
      .noMigrationPath, MigrationError.Subject(name: destination.name),
      detail: "from '\(source.name)' to '\(destination.name)': \(search.refusal)")
  }

  /// The version of a store by its version hashes.
  ///
  /// - Parameters:
  ///   - hashes: The store's version hashes.
  ///   - cachedModel: The model that the store keeps of itself, which may be a version that nobody has a file of.
  /// - Throws: `MigrationError` with `unknownVersion`, which names the nearest version.
  public func version(
    withHashes hashes: [String: VersionHash], cachedModel: ManagedObjectModel?
  ) throws(MigrationError) -> KnownVersion {
    if let version = versions.first(where: { $0.model.isCompatible(withVersionHashes: hashes) }) { return version }
    if let cachedModel, cachedModel.isCompatible(withVersionHashes: hashes) {
      return KnownVersion(name: Self.cachedVersionName, model: cachedModel)
    }
    let ranked = versions.map { version in
      (version.name, version.model.entities.filter { hashes[$0.name] == $0.versionHash }.count)
    }
    guard let nearest = ranked.max(by: { $0.1 < $1.1 }), nearest.1 > 0 else {
      throw MigrationError(.unknownVersion, detail: "none of the versions shares an entity with it")
    }
    throw MigrationError(
      .unknownVersion,
      detail: "the nearest is '\(nearest.0)', of which \(nearest.1) of \(hashes.count) entities are the same")
  }

  /// The name of a version that only the store itself knows.
  public static let cachedVersionName = "the store's own model"
}

/// A breadth-first search over versions.
private struct PathSearch {
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

  mutating func shortestPath(skippingVersions skips: Bool) -> [MigrationStep]? {
    guard let goal = versions.firstIndex(where: { $0.name == destination.name }) else { return nil }
    // The fewest hops first, then the fewest inferred ones, then the order of the versions.
    var best: [Int: (cost: Int, steps: [MigrationStep])] = [start: (0, [])]
    var waiting = [start]
    while let next = waiting.min(by: { (best[$0]?.cost ?? .max, $0) < (best[$1]?.cost ?? .max, $1) }) {
      guard let (cost, steps) = best[next] else { return nil }
      if next == goal { return steps }
      waiting.removeAll { $0 == next }
      for other in versions.indices where other != next {
        guard let method = method(from: next, to: other, goal: goal, skips) else { continue }
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
    from source: Int, to destination: Int, goal: Int, _ skips: Bool
  ) -> MigrationStep.Method? {
    let mappings = planner.mappings.filter {
      $0.sourceVersionName == versions[source].name && $0.destinationVersionName == versions[destination].name
    }
    if !mappings.isEmpty { return .mapping(mappings) }
    // Not every pair: with a hundred versions those are thousands.
    let mayInfer = isNext(source, destination, goal) || (skips && (source == start || destination == goal))
    guard planner.allowsInference, mayInfer else { return nil }
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
