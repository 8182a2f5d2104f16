internal import DataModel

extension MigrationPlanner {
  /// The same planner for a store that holds the entities of one configuration only, or `nil` where no version has a
  /// configuration with these version hashes.
  ///
  /// Of the versions those go on that have this configuration, and of the mapping models what is about its entities.
  func restricted(toConfigurationWithHashes hashes: [String: VersionHash]) -> MigrationPlanner? {
    let name = versions.lazy.compactMap { $0.model.configurationName(compatibleWithVersionHashes: hashes) }.first
    guard let name else { return nil }
    let restricted = versions.compactMap { version in
      version.model.restricted(toConfiguration: name).map { KnownVersion(name: version.name, model: $0) }
    }
    let models = Dictionary(restricted.map { ($0.name, $0.model) }, uniquingKeysWith: { first, _ in first })
    let mappings = mappings.compactMap { mapping -> KnownMapping? in
      guard let source = models[mapping.sourceVersionName], let destination = models[mapping.destinationVersionName]
      else { return nil }
      var mapping = mapping
      mapping.mappingModel.entityMappings.removeAll { entityMapping in
        entityMapping.sourceEntityName.map { source.entity(named: $0) == nil } == true
          || entityMapping.destinationEntityName.map { destination.entity(named: $0) == nil } == true
      }
      return mapping
    }
    return MigrationPlanner(versions: restricted, mappings: mappings, allowsInference: allowsInference)
  }
}
