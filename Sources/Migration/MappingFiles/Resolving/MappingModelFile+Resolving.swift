public import DataModel

extension MappingModelFile {
  /// Joins the file with its two models: what the file leaves to be generated is filled in as Xcode's compiler does it.
  ///
  /// - Parameters:
  ///   - source: The model of the store that is migrated.
  ///   - destination: The model of what it becomes.
  /// - Throws: `MappingModelFileError` with everything that does not fit, entity by entity.
  public func resolve(
    source: ManagedObjectModel, destination: ManagedObjectModel
  ) throws(MappingModelFileError) -> ResolvedMappingModel {
    var resolver = MappingResolver(entityMappings, source: source, destination: destination)
    let mappings = resolver.entityMappings()
    let blocking = findings.filter(\.isBlocking) + resolver.findings.filter(\.isBlocking)
    guard blocking.isEmpty else { throw MappingModelFileError(.unusable(blocking), file: path) }
    return ResolvedMappingModel(mappings, resolver.findings)
  }

  /// The mapping model between two models.
  ///
  /// - Throws: `MappingModelFileError` with everything that does not fit, entity by entity.
  public func mappingModel(
    source: ManagedObjectModel, destination: ManagedObjectModel
  ) throws(MappingModelFileError) -> MappingModel {
    try resolve(source: source, destination: destination).mappingModel
  }
}
