public import DataModel
public import Diagnostics
public import PersistentStore

/// Why a store and a model do not fit together, entity by entity and, where the store lets one know, property by
/// property.
public struct StoreExplanation: Sendable {
  /// What the explanation could be taken from.
  public enum Evidence: Sendable, Hashable {
    /// The model that the store keeps of itself: nothing is guessed.
    case modelCache
    /// Version hashes and the columns of tables: the store keeps no model.
    case versionHashes
    /// The same: the store keeps a model, but another one than it was written with.
    case versionHashesDespiteModelCache
  }

  /// An entity whose version hashes differ, or that only one side has.
  public struct Entity: Sendable {
    /// The name in the model, or else in the store.
    public let name: String
    /// The version hash in the store's metadata.
    public let storeHash: VersionHash?
    /// The version hash in the model.
    public let modelHash: VersionHash?
    /// What a search for its version hash found; `nil` where none was made.
    public let finding: VersionHashSearch.Finding?
  }

  /// The store, as the user named it.
  public let storePath: String
  /// The model.
  public let model: NamedModel
  /// Whether the store can be opened with the model as it is, or with one of its configurations.
  public let fits: Bool
  /// The configuration that the store fits, where it does not fit the model as a whole.
  public let configurationName: String?
  /// What the explanation is taken from.
  public let evidence: Evidence
  /// The entities that differ, by name.
  public let entities: [Entity]
  /// The model that the store keeps, if that is the one that it was written with.
  public let storeModel: ManagedObjectModel?
  /// How the model differs from the one that the store keeps, if that is the one that it was written with.
  public let difference: ModelDifference?
  /// Where the tables are not as the model wants them; only when the store keeps no model.
  public let columns: [ColumnFinding]

  /// Compares a store with a model.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - model: The model that it is to be opened with.
  ///   - otherModels: Other versions of the model, which may help to guess.
  public init(
    of store: StoreReader, comparedWith model: NamedModel, otherModels: [ManagedObjectModel] = []
  ) throws(MigrationError) {
    storePath = store.file.path
    self.model = model
    let storeHashes = store.metadata.versionHashes
    let isCompatible = model.model.isCompatible(withVersionHashes: storeHashes)
    configurationName =
      isCompatible ? nil : model.model.configurationName(compatibleWithVersionHashes: storeHashes)
    fits = isCompatible || configurationName != nil
    let cached = try? store.cachedModel()
    if let cached, cached.isCompatible(withVersionHashes: storeHashes) {
      evidence = .modelCache
      storeModel = cached
      difference = model.difference(
        from: NamedModel(model: cached, name: store.file.path, precision: .compiled))
      columns = []
    } else {
      evidence = cached == nil ? .versionHashes : .versionHashesDespiteModelCache
      storeModel = nil
      difference = nil
      // How the tables of a configuration are laid out is not known.
      columns =
        configurationName == nil ? try ColumnFinding.all(in: store, comparedWith: StoreSchema(model.model)) : []
    }
    guard !fits else {
      entities = []
      return
    }
    let findings =
      storeModel == nil
      ? VersionHashSearch(
        model: model.model, storeHashes: storeHashes,
        hints: VersionHashHints(
          columns: columns, schema: StoreSchema(model.model), otherModels: otherModels)
      ).findings() : [:]
    entities = Self.entities(storeHashes, model.model.entityVersionHashesByName, findings)
  }

  private static func entities(
    _ storeHashes: [String: VersionHash], _ modelHashes: [String: VersionHash],
    _ findings: [String: VersionHashSearch.Finding]
  ) -> [Entity] {
    // What the store has under an old name is told once, under the new one.
    let oldNames = Set(findings.values.compactMap(\.oldName))
    return Set(storeHashes.keys).union(modelHashes.keys).sorted { $0.precedesByBytes($1) }.compactMap { name in
      let finding = findings[name]
      let storeHash = storeHashes[name] ?? finding?.oldName.flatMap { storeHashes[$0] }
      guard storeHash != modelHashes[name], !oldNames.contains(name) else { return nil }
      return Entity(name: name, storeHash: storeHash, modelHash: modelHashes[name], finding: finding)
    }
  }
}

extension VersionHashSearch.Finding {
  /// The name that the store has for the entity, if it is another one.
  fileprivate var oldName: String? {
    guard case .changes(let changes) = self, let first = changes.first, first.subject == .entity,
      case .renamed(let name) = first.kind
    else { return nil }
    return name
  }
}
