public import DataModel
public import Diagnostics

/// Finds the hops from the version that a store has to the one that is wanted.
///
/// A hop between two versions is made by the mapping models for exactly these two, or, where there are none and it is
/// allowed, by inference. Where mapping models alone lead there, the shortest way of these is taken, so a direct mapping
/// model goes before a chain. Otherwise the way on which inference removes the fewest entities wins; of several the
/// shortest; of two equally short ones, that with fewer inferred hops.
///
/// Inference could often jump over a version whose mapping model does more than inference can, and lose what that
/// mapping model would have moved. So a mapping model that leads on towards the wanted version goes before inference, and
/// inferred hops lead only from a version to the next, as long as there is such a way. Only where there is none are longer
/// inferred hops tried. Which version is next, their models tell: the one that has most in common. Their names decide only
/// where that is the same for several.
public struct MigrationPlanner: Sendable {
  /// The versions that are known, in any order.
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
    for attempt in PathSearch.attempts where allowsInference || attempt.inference == .none {
      if let steps = search.bestPath(attempt.inference, sparesMappings: attempt.sparesMappings) {
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
    if let version = versions.version(withHashes: hashes) { return version }
    if let cachedModel, cachedModel.isCompatible(withVersionHashes: hashes), mayBeVersion(cachedModel) {
      return KnownVersion(name: Self.cachedVersionName, model: cachedModel)
    }
    let ranked = versions.map { version in
      (version.name, version.model.entities.filter { hashes[$0.name] == $0.versionHash }.count)
    }
    guard let nearest = ranked.max(by: { $0.1 < $1.1 }), nearest.1 > 0 else {
      throw MigrationError(.unknownVersion, detail: "none of the versions shares an entity with it")
    }
    let same = "\(nearest.1) of \(hashes.count.counting("entity", plural: "entities")) \(nearest.1 == 1 ? "is" : "are")"
    throw MigrationError(.unknownVersion, detail: "the nearest is '\(nearest.0)', of which \(same) the same")
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
  public static let cachedVersionName = "own model"
}
