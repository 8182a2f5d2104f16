internal import Diagnostics
public import PersistentStore

/// One hop of a migration: from one version to another, by mapping models or by inference.
public struct MigrationStep: Sendable, Hashable {
  /// How a hop is done.
  public enum Method: Sendable, Hashable {
    /// By mapping models, which fill one destination in their order.
    case mapping([KnownMapping])
    /// By a mapping model that was inferred from the two models: a lightweight migration.
    case inferred(InferredMappingModel)
  }

  /// The version before.
  public var source: KnownVersion
  /// The version after.
  public var destination: KnownVersion
  /// How it is done.
  public var method: Method

  /// The mapping models, in their order.
  public var mappingModels: [MappingModel] {
    switch method {
    case .mapping(let mappings): mappings.map(\.mappingModel)
    case .inferred(let inferred): [inferred.mappingModel]
    }
  }

  /// What the hop loses, and what may be wrong with it, for people.
  public var remarks: [String] {
    switch method {
    case .mapping(let mappings): mappings.flatMap(\.findings)
    case .inferred(let inferred): inferred.findings.map(\.description)
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

extension KnownMapping {
  /// The file, or the name where there is none.
  fileprivate var label: String { path.isEmpty ? name : path }
}

/// The hops that lead from one version to another.
public struct MigrationPlan: Sendable, Hashable {
  /// The version that the store has.
  public var source: KnownVersion
  /// The version that is wanted.
  public var destination: KnownVersion
  /// The hops, in order; none where the store has the wanted version.
  public var steps: [MigrationStep]
  /// The tables of the last version whose names are best guesses, see ``StoreMigration/joinTableRelationships``.
  public internal(set) var doubtfulJoinTables: [JoinTable] = []
  /// The entities with rows that the hops remove, as far as it can be told before; only a store's own plan has any.
  public internal(set) var removals: [EntityRemoval] = []

  init(source: KnownVersion, destination: KnownVersion, steps: [MigrationStep]) {
    (self.source, self.destination, self.steps) = (source, destination, steps)
  }
}
