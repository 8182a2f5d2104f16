internal import CoreDataExpressions
internal import DataModel

/// Searches the best way from one version to another.
struct PathSearch {
  /// Which hops may be inferred.
  private enum Inference {
    case none
    /// From a version to the next.
    case neighbours
    /// From any version to any other, unless the hop passes over a mapping model.
    case any
  }

  let planner: MigrationPlanner
  let destination: LoadedModelVersion
  /// All versions: the known ones, and the store's own if it is none of them.
  let versions: [LoadedModelVersion]
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
  /// The versions whose hop in the likely history loses nothing, so that no other hop need be tried from them.
  ///
  /// All hops between a hundred versions would be ten thousand.
  private var settled: Set<Int> = []

  init(_ planner: MigrationPlanner, _ source: LoadedModelVersion, _ destination: LoadedModelVersion) {
    self.planner = planner
    self.destination = destination
    let known = planner.versions.firstIndex { $0.name == source.name }
    versions = known == nil ? planner.versions + [source] : planner.versions
    start = known ?? planner.versions.count
  }

  /// Returns the best way, or `nil` if there is none.
  ///
  /// Inference drops what a mapping model would move, and nobody would notice. So at first no inferred hop may take the
  /// place of a mapping model that leads on. The likely history of the versions comes first, because it fills in what
  /// each version added. It gives way to a way that loses less.
  mutating func bestPath() -> [MigrationStep]? {
    if let mapped = bestPath(.none, sparesMappings: true) { return mapped }
    guard planner.allowsInference else { return nil }
    for sparesMappings in [true, false] {
      let history = bestPath(.neighbours, sparesMappings: sparesMappings)
      if let history, Self.losses(of: history).isEmpty { return history }
      let settledNames = (history ?? []).dropFirst().filter(\.losses.isEmpty).map(\.source.name)
      settled = Set(versions.indices.filter { settledNames.contains(versions[$0].name) })
      guard let any = bestPath(.any, sparesMappings: sparesMappings) else { continue }
      guard let history, !Self.losses(of: any).isStrictSubset(of: Self.losses(of: history)) else { return any }
      return history
    }
    return nil
  }

  /// Returns what the inferred hops lose of what the first version holds.
  ///
  /// Whatever only a version in between had is not in the store.
  private static func losses(of steps: [MigrationStep]) -> Set<InferenceFinding> {
    var held = steps.first.map { StoredNames($0.source.model) }
    var losses: Set<InferenceFinding> = []
    for step in steps {
      let kept = held?.kept(by: step)
      losses.formUnion(step.losses.filter { held?.includes($0) == true || kept?.includes($0) == true })
      held = kept
    }
    return losses
  }

  private mutating func bestPath(_ inference: Inference, sparesMappings: Bool) -> [MigrationStep]? {
    guard let goal = goalPlace else { return nil }
    // Most often a way is missing because nothing leads to the last version.
    let isReachable = versions.indices.contains { other in
      other != goal && method(from: other, to: goal, goal: goal, inference, sparesMappings) != nil
    }
    guard isReachable else { return nil }
    // The fewest entities that inference removes, then the fewest losses, hops and inferred hops, then the names.
    typealias Cost = (removals: Int, losses: Int, hops: Int, inferences: Int)
    var best: [Int: (cost: Cost, steps: [MigrationStep])] = [start: ((0, 0, 0, 0), [])]
    var waiting: Set = [start]
    while let next = waiting.min(by: { left, right in
      guard let a = best[left]?.cost, let b = best[right]?.cost else { return false }
      return a < b || a == b && left < right
    }), let (cost, steps) = best[next] {
      if next == goal { return steps }
      waiting.remove(next)
      for other in versions.indices where other != next {
        guard let method = method(from: next, to: other, goal: goal, inference, sparesMappings) else { continue }
        var newCost: Cost = (cost.removals, cost.losses, cost.hops + 1, cost.inferences)
        let step = MigrationStep(source: versions[next], destination: versions[other], method: method)
        if case .inferred(let inferred) = method {
          newCost.removals += inferred.mappingModel.entityMappings.count { $0.mappingType == .remove }
          newCost.losses += step.losses.count
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
    from source: Int, to destination: Int, goal: Int, _ inference: Inference, _ sparesMappings: Bool
  ) -> MigrationStep.Method? {
    let mappings = planner.mappings.filter {
      $0.sourceVersionName == versions[source].name && $0.destinationVersionName == versions[destination].name
    }
    if !mappings.isEmpty { return .mapping(mappings) }
    guard inference != .none else { return nil }
    let isJump = inference == .any && !settled.contains(source) && !passesMapping(source, destination)
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

  /// Whether a hop passes over a mapping model.
  ///
  /// That cannot be known of a version that only the store has.
  private mutating func passesMapping(_ source: Int, _ destination: Int) -> Bool {
    guard source < planner.versions.count, start < planner.versions.count else { return !planner.mappings.isEmpty }
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

extension MigrationStep {
  /// What inference found that the hop loses.
  fileprivate var losses: [InferenceFinding] {
    switch method {
    case .mapping: []
    case .inferred(let inferred): inferred.findings.filter(\.isLoss)
    }
  }
}

/// The entities and properties of a version that hold what the first version of a way held.
private struct StoredNames {
  private let tree: EntityTree
  /// An entity and one of its properties, or `nil` for the entity itself.
  private var names: Set<[String?]>

  init(_ model: ManagedObjectModel) {
    tree = EntityTree(model)
    names = Set(
      model.entities.flatMap { entity in
        ([nil] + entity.attributes.map(\.name) + entity.relationships.map(\.name)).map { [entity.name, $0] }
      })
  }

  /// The names in the destination.
  ///
  /// What a mapping model makes of its source is not known, so it may be in all of them.
  func kept(by step: MigrationStep) -> StoredNames {
    var kept = StoredNames(step.destination.model)
    guard case .inferred(let inferred) = step.method else { return kept }
    kept.names = Set(
      inferred.mappingModel.entityMappings.flatMap { mapping -> [[String?]] in
        guard names.contains([mapping.sourceEntityName, nil]) else { return [] }
        let properties = (mapping.attributeMappings + mapping.relationshipMappings).filter { property in
          guard let expression = property.valueExpression else { return false }
          let key = (DestinationInstancesCall(expression)?.sourceInstances ?? expression).copiedSourceKey
          return key.map { names.contains([mapping.sourceEntityName, $0]) } ?? !expression.isIndependent
        }
        return ([nil] + properties.map(\.name)).map { [mapping.destinationEntityName, $0] }
      })
    return kept
  }

  /// Whether a finding, which may be about an entity's descendants too, is about one of the names.
  func includes(_ finding: InferenceFinding) -> Bool {
    tree.concreteFamily(of: finding.entity).contains { names.contains([$0.name, finding.property]) }
  }
}

/// Which versions of a model come of which, as far as they themselves tell.
///
/// Nothing records the order of versions, and their names may say anything. But a version is made of another by changing
/// some of it. So those that have most in common are joined first, until all are joined: the way from one version to
/// another through this tree is the likely history between them. Names decide only between pairs that are equally alike.
struct VersionTree {
  private let contents: [Content]
  private var neighbours: [[Int]]

  init(_ versions: [LoadedModelVersion]) {
    contents = versions.map { Content($0.model) }
    neighbours = versions.map { _ in [] }
    var pairs: [(distance: Double, gap: Int, first: Int, second: Int)] = []
    for second in versions.indices {
      for first in 0..<second { pairs.append((distance(first, second), second - first, first, second)) }
    }
    var groups = Array(versions.indices)
    for pair in pairs.sorted(by: <) where groups[pair.first] != groups[pair.second] {
      let (kept, joined) = (groups[pair.first], groups[pair.second])
      for place in groups.indices where groups[place] == joined { groups[place] = kept }
      neighbours[pair.first].append(pair.second)
      neighbours[pair.second].append(pair.first)
    }
  }

  /// How little two versions have in common: from 0, where they hold the same, to 1, where they share nothing.
  func distance(_ first: Int, _ second: Int) -> Double { contents[first].distance(to: contents[second]) }

  /// The versions from one to another, with both.
  func way(from source: Int, to destination: Int) -> [Int] {
    var ways = [[source]]
    // Each version is reached once: a tree has no other way.
    while let way = ways.popLast(), let last = way.last {
      if last == destination { return way }
      ways += neighbours[last].filter { $0 != way.dropLast().last }.map { way + [$0] }
    }
    return []
  }
}

/// What a version has to compare with others.
private struct Content {
  private struct Property {
    let name: String
    let earlierName: String
    let kind: String
  }

  private struct Entity {
    let hash: VersionHash
    let earlierName: String
    let properties: [String: Property]
    let earlierNames: [String: String]
  }

  private let entities: [String: Entity]
  private let earlierNames: [String: String]
  private let weight: Int

  init(_ model: ManagedObjectModel) {
    entities = Dictionary(
      model.entities.map { entity in
        let properties =
          entity.attributes.map {
            Property(name: $0.name, earlierName: $0.renamingIdentifier, kind: "\($0.type)")
          }
          + entity.relationships.map {
            Property(
              name: $0.name, earlierName: $0.renamingIdentifier, kind: "\($0.destinationEntityName) \($0.isToMany)")
          }
        return (
          entity.name,
          Entity(
            hash: entity.versionHash, earlierName: entity.renamingIdentifier,
            properties: Dictionary(properties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first }),
            earlierNames: Dictionary(
              properties.map { ($0.earlierName, $0.name) }, uniquingKeysWith: { first, _ in first }))
        )
      }, uniquingKeysWith: { first, _ in first })
    earlierNames = Dictionary(
      model.entities.map { ($0.renamingIdentifier, $0.name) }, uniquingKeysWith: { first, _ in first })
    weight = entities.values.reduce(0) { $0 + 2 + 2 * $1.properties.count }
  }

  /// What is in only one of them, in relation to what is in any.
  func distance(to other: Content) -> Double {
    var shared = 0
    for (name, entity) in other.entities {
      guard let partner = Self.partner(of: name, entity.earlierName, entities, earlierNames, among: other.entities)
      else { continue }
      shared += 2
      if partner.hash == entity.hash {
        shared += 2 * entity.properties.count
        continue
      }
      for property in entity.properties.values {
        let found = Self.partner(
          of: property.name, property.earlierName, partner.properties, partner.earlierNames, among: entity.properties)
        if let found { shared += found.kind == property.kind ? 2 : 1 }
      }
    }
    let all = weight + other.weight - shared
    return all <= 0 ? 0 : 1 - Double(shared) / Double(all)
  }

  /// What has the same name, or had it before or afterwards and does not keep it besides.
  private static func partner<Element>(
    of name: String, _ earlierName: String, _ elements: [String: Element], _ earlierNames: [String: String],
    among others: [String: Element]
  ) -> Element? {
    if let same = elements[name] { return same }
    if others[earlierName] == nil, let renamed = elements[earlierName] { return renamed }
    guard let laterName = earlierNames[name], others[laterName] == nil else { return nil }
    return elements[laterName]
  }
}
