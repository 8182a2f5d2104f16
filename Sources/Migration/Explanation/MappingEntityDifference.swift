public import DataModel

/// In what the entity of a model is not the one that a compiled mapping model was made for.
public struct MappingEntityDifference: Sendable, Hashable {
  /// Whether it is an entity that the mapping model leads from, or one that it leads to.
  public let side: MappingModelFinding.Side
  /// The entity.
  public let entityName: String
  /// What a search for the version hash in the file found; its changes lead from there to the model.
  public let finding: VersionHashSearch.Finding
}

extension MappingExplanation {
  /// Finds out in what the entities differ whose version hashes are not those in the file.
  ///
  /// The file has no more of them than the hashes, so that this may take a moment.
  public func differences() -> [MappingEntityDifference] {
    [(MappingModelFinding.Side.source, source), (.destination, destination)].flatMap { side, model in
      differences(side, model)
    }
  }

  private func differences(_ side: MappingModelFinding.Side, _ model: NamedModel) -> [MappingEntityDifference] {
    let entities = MappingSideFit(side, of: file, comparedWith: model).entities
    guard entities.contains(where: { $0.fileHash != nil && !$0.fits }) else { return [] }
    let hashes = Dictionary(
      entities.compactMap { entity in entity.fileHash.map { (entity.name, $0) } },
      uniquingKeysWith: { first, _ in first })
    let search = VersionHashSearch(
      model: model.model, storeHashes: hashes,
      hints: VersionHashHints(otherModels: otherModels + [source.model, destination.model]))
    return search.findings().sorted { $0.key.precedesByBytes($1.key) }.map { name, finding in
      MappingEntityDifference(side: side, entityName: name, finding: finding)
    }
  }
}
