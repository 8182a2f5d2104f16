internal import DataModel

/// Searches the best way from one version to another.
///
/// What came of an inference is kept, so that a search for the ways of many versions compares each pair once.
struct PathSearch {
  /// Which hops may be inferred.
  private enum Inference: CaseIterable {
    case none
    /// To the last version of the way, and to those from which a mapping model leads on.
    case farthest
    /// Also from a version to the next.
    case neighbours
    /// To any later version.
    case any
  }

  /// The rank of a way: its losses from the first version (entities, properties, then orders, precision and the like),
  /// then its length.
  private typealias Rank = (removals: Int, properties: Int, losses: Int, hops: Int)

  /// With more versions on the way, not every pair of them is compared: all hops between a hundred are five thousand.
  private static let comparedVersions = 12

  let planner: MigrationPlanner
  /// All versions: the known ones, and the store's own if it is none of them.
  private let versions: [LoadedModelVersion]
  private let goal: Int
  /// The place of each version in the likely history; a version that only the store has came before all others.
  private let ranks: [Int]
  /// Whether the bundle marks the last version of the way as its current one, so that it is newer than all others.
  private let isGoalCurrent: Bool
  /// The places of the versions that mapping models lead from and to.
  private let mapped: [(source: Int, destination: Int)]
  /// The results of inference, by the places of the versions.
  private var inferred: [[Int]: Result<InferredMappingModel, InferenceError>] = [:]
  /// The origins of what the last version holds, in each version from which hops to the next were followed.
  private var knownOrigins: [Int: [PropertyName: PropertyName]] = [:]

  /// - Parameter other: A version that is not known, which is only a start.
  init(_ planner: MigrationPlanner, to destination: LoadedModelVersion, besides other: LoadedModelVersion? = nil) {
    self.planner = planner
    let names = planner.versions.map(\.name)
    var places = Dictionary(names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    mapped = planner.mappings.compactMap { mapping in
      guard let source = places[mapping.sourceVersionName], let destination = places[mapping.destinationVersionName],
        source != destination
      else { return nil }
      return (source, destination)
    }
    var (versions, ranks) = (planner.versions, VersionOrder(names, mappings: mapped).ranks)
    for version in [other, destination].compactMap({ $0 }) where places[version.name] == nil {
      places[version.name] = versions.count
      versions.append(version)
      ranks.append(version == destination ? versions.count : -1)
    }
    (self.versions, self.ranks) = (versions, ranks)
    goal = places[destination.name] ?? 0
    isGoalCurrent = planner.currentVersionName == destination.name
  }

  /// Returns the best way from a version, or `nil` if there is none.
  ///
  /// Inference silently drops what a mapping model would move. So at first no inferred hop may pass a
  /// version from which a mapping model leads on.
  mutating func bestPath(from source: LoadedModelVersion) -> [MigrationStep]? {
    guard let start = place(of: source) else { return nil }
    if let mapped = path(from: start, .none, sparesMappings: true) { return mapped }
    guard planner.allowsInference else { return nil }
    let count = versions.indices.count { isOnWay($0, from: start) }
    for sparesMappings in [true, false] {
      var best: (rank: Rank, steps: [MigrationStep])?
      for inference in [Inference.farthest, .neighbours, .any] {
        // The shortest way loses nothing.
        if let best, best.rank.removals + best.rank.properties + best.rank.losses == 0, inference == .neighbours {
          break
        }
        if best != nil, inference == .any, count > Self.comparedVersions { break }
        guard let steps = path(from: start, inference, sparesMappings: sparesMappings) else { continue }
        let rank = Self.rank(steps)
        if best.map({ rank < $0.rank }) ?? true { best = (rank, steps) }
      }
      if let best { return best.steps }
    }
    return nil
  }

  /// Ranks a way; whatever only a version in between had is not in the store.
  private static func rank(_ steps: [MigrationStep]) -> Rank {
    var rank: Rank = (0, 0, 0, steps.count)
    guard steps.contains(where: { !$0.losses.isEmpty }),
      var held = steps.first.map({ PropertyLineage($0.source.model) })
    else { return rank }
    for step in steps {
      let kept = held.following(step)
      for finding in step.losses where held.includes(finding) || kept.includes(finding) {
        if case .entityRemoved = finding.kind {
          rank.removals += 1
        } else if finding.kind.isOfProperty {
          rank.properties += 1
        } else {
          rank.losses += 1
        }
      }
      held = kept
    }
    return rank
  }

  private mutating func path(from start: Int, _ inference: Inference, sparesMappings: Bool) -> [MigrationStep]? {
    // Most often a way is missing because nothing leads to the last version.
    let isReachable = versions.indices.contains { other in
      method(from: other, to: goal, start: start, inference, sparesMappings) != nil
    }
    guard isReachable else { return nil }
    // The fewest entities and properties that inference removes, then the fewest losses, hops and inferred hops, then the
    // order.
    typealias Cost = (removals: Int, properties: Int, losses: Int, hops: Int, inferences: Int)
    var best: [Int: (cost: Cost, steps: [MigrationStep])] = [start: ((0, 0, 0, 0, 0), [])]
    var waiting: Set = [start]
    while let next = waiting.min(by: { left, right in
      guard let a = best[left]?.cost, let b = best[right]?.cost else { return false }
      return a < b || a == b && ranks[left] < ranks[right]
    }), let (cost, steps) = best[next] {
      if next == goal { return steps }
      waiting.remove(next)
      for other in versions.indices where other != next {
        guard let method = method(from: next, to: other, start: start, inference, sparesMappings) else { continue }
        var newCost: Cost = (cost.removals, cost.properties, cost.losses, cost.hops + 1, cost.inferences)
        let step = MigrationStep(source: versions[next], destination: versions[other], method: method)
        if case .inferred(let inferred) = method {
          newCost.removals += inferred.mappingModel.entityMappings.count { $0.mappingType == .remove }
          newCost.properties += step.losses.count(where: \.kind.isOfProperty)
          newCost.losses += step.losses.count { !$0.kind.isOfProperty }
          newCost.inferences += 1
        }
        if let known = best[other], known.cost <= newCost { continue }
        best[other] = (newCost, steps + [step])
        waiting.insert(other)
      }
    }
    return nil
  }

  private mutating func method(
    from source: Int, to destination: Int, start: Int, _ inference: Inference, _ sparesMappings: Bool
  ) -> MigrationStep.Method? {
    guard source != destination else { return nil }
    if mapped.contains(where: { $0 == (source, destination) }) {
      // What a hop back has left behind would be missing further on.
      let isForward = isLater(destination, than: source, from: start)
      guard inference == .none ? isForward || destination == goal : isForward && isOnWay(source, from: start)
      else { return nil }
      return .mapping(
        planner.mappings.filter {
          $0.sourceVersionName == versions[source].name && $0.destinationVersionName == versions[destination].name
        })
    }
    guard inference != .none, isOnWay(source, from: start), isOnWay(destination, from: start),
      isLater(destination, than: source, from: start)
    else { return nil }
    let starts = mapped.filter {
      isOnWay($0.source, from: start) && isOnWay($0.destination, from: start)
        && isLater($0.destination, than: $0.source, from: start)
    }.map(\.source)
    if sparesMappings, starts.contains(where: { $0 == source || isBetween($0, source, destination, from: start) }) {
      return nil
    }
    switch inference {
    case .none: return nil
    case .farthest: guard destination == goal || starts.contains(destination) else { return nil }
    case .neighbours:
      let isNext = !versions.indices.contains { isBetween($0, source, destination, from: start) }
      guard isNext || destination == goal || starts.contains(destination) || source >= planner.versions.count
      else { return nil }
    case .any: break
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

  /// Returns what one inferred hop takes elsewhere than the hops of a way, or than those from each version to the next;
  /// none where mapping models are on the way, since what they keep is not known.
  mutating func diversions(of steps: [MigrationStep]) -> [Diversion] {
    guard let source = steps.first?.source, let start = place(of: source), start < planner.versions.count,
      ranks[start] < ranks[goal], versions.indices.contains(where: { isBetween($0, start, goal, from: start) }),
      steps.allSatisfy({ if case .inferred = $0.method { true } else { false } }),
      // Without them names alone decide, in one hop as in many.
      versions.indices.contains(where: { isOnWay($0, from: start) && versions[$0].model.hasRenamings }),
      let inferred = inferredModel(start, goal)
    else { return [] }
    let lineage = PropertyLineage(source.model)
    let hop = MigrationStep(source: source, destination: versions[goal], method: .inferred(inferred))
    var ways = [origins(from: start)]
    if steps.count > 1 { ways.append(steps.reduce(lineage) { $0.following($1) }.origins) }
    return Diversion.all(ways, in: hop, lineage.following(hop).origins)
  }

  /// Returns the names in a version of what the last one holds, by hops from each version to the next; none where one
  /// of these is made by a mapping model or cannot be inferred.
  private mutating func origins(from start: Int) -> [PropertyName: PropertyName] {
    if start == goal { return PropertyLineage(versions[goal].model).origins }
    if let known = knownOrigins[start] { return known }
    var found: [PropertyName: PropertyName] = [:]
    let later = versions.indices.filter { ranks[start] < ranks[$0] && ranks[$0] <= ranks[goal] }
    if let next = later.min(by: { ranks[$0] < ranks[$1] }), !mapped.contains(where: { $0 == (start, next) }),
      let inferred = try? InferredMappingModel(from: versions[start].model, to: versions[next].model)
    {
      let step = MigrationStep(source: versions[start], destination: versions[next], method: .inferred(inferred))
      let before = PropertyLineage(versions[start].model).following(step).origins
      found = origins(from: next).compactMapValues { before[$0] }
    }
    knownOrigins[start] = found
    return found
  }

  private func place(of version: LoadedModelVersion) -> Int? { versions.firstIndex { $0.name == version.name } }

  /// The place of a version, as it is for the ways from a start: names may call the current version an older one.
  private func rank(_ version: Int, from start: Int) -> Int {
    version == goal && isGoalCurrent && ranks[start] > ranks[goal] ? versions.count : ranks[version]
  }

  /// Whether a version is between two, in the one direction or the other.
  private func isBetween(_ version: Int, _ first: Int, _ second: Int, from start: Int) -> Bool {
    let (one, other) = (rank(first, from: start), rank(second, from: start))
    let place = rank(version, from: start)
    return min(one, other) < place && place < max(one, other)
  }

  /// Whether a version is the first, the last or between them.
  private func isOnWay(_ version: Int, from start: Int) -> Bool {
    version == start || version == goal || isBetween(version, start, goal, from: start)
  }

  /// Whether a version comes later on a way, which leads back only where its last version is an older one.
  private func isLater(_ version: Int, than other: Int, from start: Int) -> Bool {
    let (place, before) = (rank(version, from: start), rank(other, from: start))
    return ranks[start] <= rank(goal, from: start) ? place > before : place < before
  }

  /// Returns the reasons why there is no way, as text for people: the result of each hop from the store's version, and
  /// of each to the last one.
  func refusal(from source: LoadedModelVersion) -> String {
    if !planner.allowsInference { return "no mapping models lead there, and inference is turned off" }
    guard let start = place(of: source) else { return "no mapping models lead there" }
    let reasons = inferred.sorted { $0.key.lexicographicallyPrecedes($1.key) }.compactMap { places, result -> String? in
      guard case .failure(let error) = result, places[0] == start || places[1] == goal,
        isOnWay(places[0], from: start), isOnWay(places[1], from: start)
      else { return nil }
      let words = error.reasons.map(\.description).joined(separator: "; ")
      return "'\(versions[places[0]].name)' to '\(versions[places[1]].name)': \(words)"
    }
    return reasons.isEmpty ? "no mapping models lead there" : reasons.joined(separator: "; ")
  }
}

extension ManagedObjectModel {
  /// Whether anything has a renaming identifier.
  fileprivate var hasRenamings: Bool {
    entities.contains { entity in
      entity.renamingIdentifier != entity.name || entity.ownAttributes.contains { $0.renamingIdentifier != $0.name }
        || entity.ownRelationships.contains { $0.renamingIdentifier != $0.name }
    }
  }
}

extension MigrationStep {
  /// The losses of the hop that inference found.
  fileprivate var losses: [InferenceFinding] {
    switch method {
    case .mapping: []
    case .inferred(let inferred): inferred.findings.filter(\.isLoss)
    }
  }
}

extension InferenceFinding.Kind {
  /// Whether all values of a property are lost, and not only their order or their last digits.
  fileprivate var isOfProperty: Bool {
    consequence == .propertyRemoved || consequence == .valuesLost
  }
}
