public import DataModel

/// How a version of a model fits one side of a mapping model: as what it leads from, or as what it leads to.
public struct MappingSideFit: Sendable, Hashable {
  /// An entity that the mapping model names on this side.
  public struct Entity: Sendable, Hashable {
    /// The name.
    public let name: String
    /// The version hash that the mapping model was made for; only compiled files hold one.
    public let fileHash: VersionHash?
    /// The version hash in the model; `nil` where the model has no such entity.
    public let modelHash: VersionHash?

    /// Whether the model has the entity, and in the version that the mapping model was made for.
    public var fits: Bool { modelHash != nil && (fileHash == nil || fileHash == modelHash) }
  }

  /// Whether the file names this version, or another one; `nil` where it names none.
  public let isNamed: Bool?
  /// The entities, in the order of the entity mappings.
  public let entities: [Entity]

  /// The names of the entities that the model lacks.
  public var missing: [String] { entities.filter { $0.modelHash == nil }.map(\.name) }
  /// The names of the entities of which the model has another version.
  public var differing: [String] { entities.filter { $0.modelHash != nil && !$0.fits }.map(\.name) }
  /// Whether the mapping model can lead from, or to, this version.
  public var fits: Bool { isNamed != false && entities.allSatisfy(\.fits) }

  /// Compares a version of a model with one side of a mapping model.
  ///
  /// - Parameters:
  ///   - side: The side.
  ///   - file: The mapping model.
  ///   - model: The version; without a name, as out of a store, it may be the one that the file names.
  public init(_ side: MappingModelFinding.Side, of file: MappingModelFile, comparedWith model: NamedModel) {
    let wanted = file.versionName(side)
    isNamed = wanted.flatMap { wanted in model.versionName.map { $0 == wanted } }
    let models = model.model.entitiesByName
    var seen: Set<Entity> = []
    entities = file.entityMappings.compactMap { mapping in
      guard let name = side == .source ? mapping.sourceEntityName : mapping.destinationEntityName else { return nil }
      let hash = side == .source ? mapping.sourceEntityVersionHash : mapping.destinationEntityVersionHash
      let entity = Entity(name: name, fileHash: hash, modelHash: models[name]?.versionHash)
      return seen.insert(entity).inserted ? entity : nil
    }
  }

  /// How far the version is from fitting: another name first, then the number of entities.
  var distance: (Int, Int) { (isNamed == false ? 1 : 0, entities.count { !$0.fits }) }
}

extension MappingModelFile {
  /// The version that the file names on one side.
  func versionName(_ side: MappingModelFinding.Side) -> String? {
    side == .source ? sourceModelVersionName : destinationModelVersionName
  }
}
