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
}

/// The hops that lead from one version to another.
public struct MigrationPlan: Sendable, Hashable {
  /// The version that the store has.
  public var source: KnownVersion
  /// The version that is wanted.
  public var destination: KnownVersion
  /// The hops, in order; none where the store has the wanted version.
  public var steps: [MigrationStep]
}
