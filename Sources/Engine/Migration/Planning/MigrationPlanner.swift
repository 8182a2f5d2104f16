package import DataModel
package import MigrationDiagnostics
package import PersistentStore

/// Finds the hops from the version that a store has to the one that is wanted.
///
/// A hop between two versions is made by the mapping models for exactly these two, or, if there are none and it is
/// allowed, by inference. The way never leads back in the order of the versions (see `VersionOrder`), except by a mapping
/// model to the wanted version itself. If mapping models alone lead there, their shortest way is taken, so a direct
/// mapping model goes before a chain. Otherwise the shortest one is taken, which is a single inferred hop where there are
/// no mapping models, as in Core Data. It gives way only to one that loses less, such as the values of an attribute that
/// was renamed twice.
///
/// Inference could jump over a version whose mapping model does more than inference can, and lose what that mapping model
/// would have moved. So no inferred hop passes a version from which a mapping model leads on, unless nothing else is left.
package struct MigrationPlanner: Sendable {
  /// The versions that are known, in the order of their bundle.
  package var versions: [LoadedModelVersion]
  /// The mapping models that are known, in the order in which those for the same two versions are carried out.
  package var mappings: [LoadedMappingModel]
  /// Whether mapping models may be inferred.
  package var allowsInference: Bool
  /// The version that the bundle marks as its current one, which is newer than the others whatever its name.
  package var currentVersionName: String?

  /// Creates a planner.
  package init(
    versions: [LoadedModelVersion], mappings: [LoadedMappingModel] = [], allowsInference: Bool = true,
    currentVersionName: String? = nil
  ) {
    self.versions = versions
    self.mappings = mappings
    self.allowsInference = allowsInference
    self.currentVersionName = currentVersionName
  }

  /// Plans the way between two versions.
  ///
  /// - Throws: `MigrationError` with `noMigrationPath`, which tells of each hop why it cannot be made; with
  ///   `ambiguousMappingModel` where several mapping models do the same on the way.
  package func plan(from source: LoadedModelVersion, to destination: LoadedModelVersion) throws(MigrationError)
    -> MigrationPlan
  {
    let known = versions.contains { $0.name == source.name }
    var search = PathSearch(self, to: destination, besides: known ? nil : source)
    return try plan(from: source, to: destination, &search)
  }

  /// Plans the ways from many versions, and compares no two versions twice.
  ///
  /// - Parameter body: Takes each plan, or why there is none, so that they need not all be there at once.
  package func forEachPlan(
    from sources: [LoadedModelVersion], to destination: LoadedModelVersion,
    _ body: (LoadedModelVersion, Result<MigrationPlan, MigrationError>) -> Void
  ) {
    var search = PathSearch(self, to: destination)
    for source in sources {
      do throws(MigrationError) {
        body(source, .success(try plan(from: source, to: destination, &search)))
      } catch {
        body(source, .failure(error))
      }
    }
  }

  private func plan(
    from source: LoadedModelVersion, to destination: LoadedModelVersion, _ search: inout PathSearch
  ) throws(MigrationError) -> MigrationPlan {
    if source.model.entityVersionHashesByName == destination.model.entityVersionHashesByName {
      return MigrationPlan(source: source, destination: destination, steps: [])
    }
    guard var steps = search.bestPath(from: source) else {
      throw MigrationError(
        .noMigrationPath, MigrationError.Subject(name: destination.name),
        detail: "from '\(source.name)' to '\(destination.name)': \(search.refusal(from: source))")
    }
    for step in steps { try step.requireUnambiguous() }
    let diversions = search.diversions(of: steps)
    if let hop = steps.first, steps.count == 1 {
      steps[0].diverted = diversions.compactMap { DroppedProperty($0, in: hop) }
    }
    var plan = MigrationPlan(source: source, destination: destination, steps: steps)
    plan.diversions = diversions
    return plan
  }

  /// The version of a store by its version hashes.
  ///
  /// - Parameters:
  ///   - hashes: The store's version hashes.
  ///   - cachedModel: The model that the store keeps of itself, which may be a version without a file.
  /// - Throws: `MigrationError` with `unknownVersion`, which names the nearest version.
  package func version(
    withHashes hashes: [String: VersionHash], cachedModel: ManagedObjectModel?
  ) throws(MigrationError) -> LoadedModelVersion {
    if let version = versions.version(withHashes: hashes) { return version }
    if let cachedModel, cachedModel.isCompatible(withVersionHashes: hashes), mayBeVersion(cachedModel) {
      return LoadedModelVersion(name: Self.cachedVersionName, model: cachedModel)
    }
    let ranked = versions.map { version in
      (version.name, version.model.entities.filter { hashes[$0.name] == $0.versionHash }.count)
    }
    guard let nearest = ranked.max(by: { $0.1 < $1.1 }), nearest.1 > 0 else {
      throw MigrationError(.unknownVersion, detail: unlikeness(toHashes: hashes))
    }
    let same = "\(nearest.1) of \(hashes.count.counting("entity", plural: "entities")) the same"
    throw MigrationError(.unknownVersion, detail: "the nearest version is '\(nearest.0)', with \(same)")
  }

  /// Describes versions none of which has an entity with one of these version hashes.
  private func unlikeness(toHashes hashes: [String: VersionHash]) -> String {
    let names = Set(versions.flatMap { $0.model.entities.map(\.name) }).intersection(hashes.keys).sorted()
    guard !names.isEmpty else { return "none of the versions shares an entity with it" }
    let shown = names.prefix(3).map { "'\($0)'" }.joined(separator: ", ") + (names.count > 3 ? " and others" : "")
    return "the versions have \(shown) too, but none of them as this store does; perhaps a version was changed after "
      + "it had been released"
  }

  /// Whether a model that only the store knows can be a version of the app's model.
  ///
  /// It has to share an entity with one. Where there are mapping models, it cannot be told which of them it should have
  /// gone through: most likely a version was changed after it had been released.
  private func mayBeVersion(_ model: ManagedObjectModel) -> Bool {
    let names = Set(model.entities.map(\.name))
    return mappings.isEmpty && allowsInference
      && versions.contains { version in
        version.model.entities.contains { names.contains($0.name) || names.contains($0.renamingIdentifier) }
      }
  }

  /// The name of a version that only the store itself knows.
  package static let cachedVersionName = "own model"
}

extension MigrationPlanner {
  /// The same planner for a store that holds the entities of one configuration only, or `nil` where no version has a
  /// configuration with these version hashes.
  ///
  /// Of the versions those go on that have this configuration, and of the mapping models what is about its entities.
  func restricted(toConfigurationWithHashes hashes: [String: VersionHash]) -> MigrationPlanner? {
    let name = versions.lazy.compactMap { $0.model.configurationName(compatibleWithVersionHashes: hashes) }.first
    guard let name else { return nil }
    let restricted = versions.compactMap { version in
      version.model.restricted(toConfiguration: name).map { LoadedModelVersion(name: version.name, model: $0) }
    }
    let models = Dictionary(restricted.map { ($0.name, $0.model) }, uniquingKeysWith: { first, _ in first })
    let mappings = mappings.compactMap { mapping -> LoadedMappingModel? in
      guard let source = models[mapping.sourceVersionName], let destination = models[mapping.destinationVersionName]
      else { return nil }
      var mapping = mapping
      mapping.mappingModel.entityMappings.removeAll { entityMapping in
        entityMapping.sourceEntityName.map { source.entity(named: $0) == nil } == true
          || entityMapping.destinationEntityName.map { destination.entity(named: $0) == nil } == true
      }
      return mapping
    }
    return MigrationPlanner(
      versions: restricted, mappings: mappings, allowsInference: allowsInference, currentVersionName: currentVersionName
    )
  }
}

/// One hop of a migration: from one version to another, by mapping models or by inference.
public struct MigrationStep: Sendable, Hashable {
  /// The methods of a hop.
  public enum Method: Sendable, Hashable {
    /// By mapping models, which fill one destination in their order.
    case mapping([LoadedMappingModel])
    /// By a mapping model that was inferred from the two models: a lightweight migration.
    case inferred(InferredMappingModel)
  }

  /// The version before.
  public var source: LoadedModelVersion
  /// The version after.
  public var destination: LoadedModelVersion
  /// The method of the hop.
  public var method: Method
  /// When code of a stage works on the instances that the hop has made.
  package var moment: StageMoment?
  /// The contents that the hop takes elsewhere than hops through the versions that it passes.
  var diverted: [DroppedProperty] = []

  init(source: LoadedModelVersion, destination: LoadedModelVersion, method: Method) {
    (self.source, self.destination, self.method) = (source, destination, method)
    // The engine migrates the elements of composite attributes, which have the columns.
    if case .mapping(var mappings) = method {
      for index in mappings.indices {
        mappings[index].mappingModel = mappings[index].mappingModel.withElements(
          from: source.model, to: destination.model)
      }
      self.method = .mapping(mappings)
    }
  }

  /// Whether a mapping model makes the hop.
  func isMade(by mapping: LoadedMappingModel) -> Bool {
    source.name == mapping.sourceVersionName && destination.name == mapping.destinationVersionName
  }

  /// The mapping models, in their order.
  package var mappingModels: [MappingModel] {
    switch method {
    case .mapping(let mappings): mappings.map(\.mappingModel)
    case .inferred(let inferred): [inferred.mappingModel]
    }
  }

  /// The losses and possible problems of the hop, as text for people.
  public var remarks: [String] {
    switch method {
    case .mapping(let mappings): mappings.flatMap(\.findings)
    case .inferred(let inferred):
      // An identifier that matches nothing is a mistake only if the version before has nothing for it either.
      InferredHop.lost(inferred.findings, in: self).filter {
        if case .unmatchedIdentifier = $0.kind { false } else { true }
      }.map(\.description)
    }
  }

  /// Several mapping models may each do a part of a hop, but not two the same: one of them may be an old copy, and every
  /// instance would be there twice.
  func requireUnambiguous() throws(MigrationError) {
    guard case .mapping(let mappings) = method else { return }
    for (index, mapping) in mappings.enumerated() {
      let names = Set(mapping.mappingModel.entityMappings.map(\.name))
      for other in mappings[..<index] {
        let shared = other.mappingModel.entityMappings.map(\.name).filter(names.contains)
        guard !shared.isEmpty else { continue }
        throw MigrationError(
          .ambiguousMappingModel, path: mapping.label,
          detail: "it and '\(other.label)' both have \(shared.map { "'\($0)'" }.joined(separator: ", "))")
      }
    }
  }
}

extension LoadedMappingModel {
  /// The file, or the name where there is none.
  fileprivate var label: String { path.isEmpty ? name : path }
}

/// The hops that lead from one version to another.
public struct MigrationPlan: Sendable, Hashable {
  /// The version that the store has.
  public var source: LoadedModelVersion
  /// The version that is wanted.
  public var destination: LoadedModelVersion
  /// The hops, in order; none where the store has the wanted version.
  public var steps: [MigrationStep]
  /// Whether stages give the hops, so that no other framework makes one hop of them.
  package internal(set) var isStaged = false
  /// The tables of the last version whose names are best guesses, see ``StoreMigration/joinTableRelationships``.
  package internal(set) var doubtfulJoinTables: [JoinTable] = []
  /// The strategies of the hops and their reasons, as far as they are known before; only a store's own plan has any.
  public internal(set) var strategies: [MigrationStrategy] = []
  /// The entities with rows that the hops remove, as far as it can be told before; only a store's own plan has any.
  package internal(set) var removals: [EntityRemoval] = []
  /// The values and links that inferred hops drop, as far as it can be told before; only a store's own plan has any.
  package internal(set) var droppedValues: [DroppedValues] = []
  /// The mapping models that lead from a version on the way and are not used; only a store's own plan has any.
  package internal(set) var unusedMappings: [LoadedMappingModel] = []
  /// The mapping models that do something else in hops of the plan, and are passed over for nearer ones; only a store's
  /// own plan has any.
  package internal(set) var rivals: [RivalMapping] = []
  /// The contents that one inferred hop takes elsewhere than hops through the versions in between.
  package internal(set) var diversions: [Diversion] = []
  /// The facts that may be in the app's way in a store that has the wanted version, as sentences.
  package internal(set) var remarks: [String] = []

  init(source: LoadedModelVersion, destination: LoadedModelVersion, steps: [MigrationStep]) {
    (self.source, self.destination, self.steps) = (source, destination, steps)
  }

  /// A plan of one hop.
  package static func hop(
    from source: LoadedModelVersion, to destination: LoadedModelVersion, by mapping: LoadedMappingModel
  ) -> MigrationPlan {
    let step = MigrationStep(source: source, destination: destination, method: .mapping([mapping]))
    return MigrationPlan(source: source, destination: destination, steps: [step])
  }

  /// The plan for a store that has the wanted version.
  package static func finished(_ version: LoadedModelVersion) -> MigrationPlan {
    MigrationPlan(source: version, destination: version, steps: [])
  }
}
