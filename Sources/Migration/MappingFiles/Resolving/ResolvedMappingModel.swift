/// A mapping model that has been joined with the two models that it leads between.
public struct ResolvedMappingModel: Sendable, Hashable {
  /// The mapping model, with all expressions and version hashes.
  public let mappingModel: MappingModel
  /// What is odd about how the three fit; none of it is in the way of a migration.
  public let findings: [MappingModelFinding]
}

extension ResolvedMappingModel {
  init(_ mappings: [EntityMapping], _ findings: [MappingModelFinding]) {
    mappingModel = MappingModel(entityMappings: mappings)
    self.findings = findings
  }
}
