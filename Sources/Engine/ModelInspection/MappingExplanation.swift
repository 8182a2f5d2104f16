internal import CoreDataExpressions
package import DataModel
package import MappingModels
internal import Migration
package import MigrationDiagnostics
internal import TerminalOutput

/// The match between a mapping model and models: version by version, entity by entity, property by property.
package struct MappingExplanation: Sendable {
  /// The mapping model as the file holds it.
  package let file: MappingModelFile
  /// The match of every version of the bundle, or else of the two models, each on the side that it was named for.
  package let versions: [MappingVersionFit]
  /// The versions of the bundle that the mapping model leads between: one pair at most, unless versions are alike.
  package let pairs: [ModelVersionPair]
  /// The model that it is explained as leading from.
  package let source: NamedModel
  /// The model that it is explained as leading to.
  package let destination: NamedModel
  /// The mapping model with all expressions that the file leaves to be generated, as far as it fits.
  package let mappingModel: MappingModel
  /// Everything that does not fit or is odd, the worst first.
  package let remarks: [ModelFinding]

  /// Whether a migration between the two models can use the mapping model.
  package var fits: Bool { remarks.allSatisfy { $0.severity != .error } }

  /// Other versions of the models, which may help to guess what version hashes stand for.
  let otherModels: [ManagedObjectModel]

  /// Compares a mapping model with two models.
  ///
  /// - Parameters:
  ///   - file: The mapping model.
  ///   - source: What it is to lead from.
  ///   - destination: What it is to lead to.
  ///   - otherModels: Other versions of the models, which may help to guess what version hashes stand for.
  package init(
    of file: MappingModelFile, from source: NamedModel, to destination: NamedModel,
    otherModels: [ManagedObjectModel] = []
  ) {
    let wrongNames = [(MappingModelFinding.Side.source, source), (.destination, destination)].compactMap {
      side, model -> ModelFinding? in
      guard let named = file.versionName(side), let actual = model.versionName, named != actual else { return nil }
      return ModelFinding(
        "other-version", .error, "the file names '\(named)' as its \(side.rawValue), not '\(actual)'",
        "compare it with '\(named)', or choose the \(side.rawValue) model in Xcode again", in: file)
    }
    let versions = [(MappingModelFinding.Side.source, source), (.destination, destination)].map { side, model in
      MappingVersionFit(model.versionName ?? model.name, .success(model), file, sides: [side])
    }
    self.init(
      file, source, destination, versions: versions, otherModels: otherModels, pairs: nil, wrongNames,
      listsLeftovers: false)
  }

  /// Compares a mapping model with all versions of a bundle, and explains it for the two that come nearest.
  ///
  /// - Throws: `MigrationError` where no version can be read.
  package init(of file: MappingModelFile, among bundle: ModelBundle) throws(MigrationError) {
    let versions = bundle.loadVersions().map { MappingVersionFit($0.name, $0.model, file) }
    guard let explanation = MappingExplanation(of: file, among: versions, listsLeftovers: false) else {
      throw versions.compactMap(\.error).first ?? MigrationError(.unusableModel, path: bundle.path)
    }
    self = explanation
  }

  /// - Returns: `nil` where no version can be read.
  init?(of file: MappingModelFile, among versions: [MappingVersionFit], listsLeftovers: Bool) {
    guard let nearest = MappingVersionFit.nearestPair(of: versions) else { return nil }
    let known = versions.compactMap { version in version.model.map { (name: version.versionName, model: $0.model) } }
    var nearestNames = NearestNames()
    let unknownNames = [MappingModelFinding.Side.source, .destination].compactMap { side -> ModelFinding? in
      guard let named = file.versionName(side), !versions.contains(where: { $0.versionName == named }) else {
        return nil
      }
      let nearest = nearestNames.nearest(to: named, in: versions.map(\.versionName))
      return ModelFinding(
        "unknown-version", .error,
        "the file names '\(named)' as its \(side.rawValue), which the bundle does not have"
          + NearestNames.hint(nearest),
        "choose the \(side.rawValue) model in Xcode again", in: file)
    }
    self.init(
      file, nearest.source, nearest.destination, versions: versions, otherModels: known.map(\.model),
      pairs: file.versionPairs(among: known), unknownNames, listsLeftovers: listsLeftovers)
  }

  private init(
    _ file: MappingModelFile, _ source: NamedModel, _ destination: NamedModel, versions: [MappingVersionFit],
    otherModels: [ManagedObjectModel], pairs: [ModelVersionPair]?, _ remarks: [ModelFinding], listsLeftovers: Bool
  ) {
    let check = MappingFitCheck(file, from: source, to: destination)
    self.file = file
    self.versions = versions
    self.otherModels = otherModels
    self.pairs = pairs ?? []
    self.source = source
    self.destination = destination
    mappingModel = check.mappingModel
    var remarks = remarks + check.remarks + ModelFinding.all(about: file, listsLeftovers: listsLeftovers)
    // A migration takes only what leads from one version to another.
    if pairs?.isEmpty == true, !remarks.contains(where: { $0.severity == .error }) {
      remarks.append(.sameVersion(source.versionName ?? source.name, in: file))
    }
    self.remarks = remarks.worstFirst()
  }
}

/// Joins the file of a mapping model with two models, and tells everything that does not fit.
private struct MappingFitCheck {
  private let file: MappingModelFile
  private let sourceEntities: [String: EntityDescription]
  private let destinationEntities: [String: EntityDescription]
  private(set) var remarks: [ModelFinding] = []
  private(set) var mappingModel: MappingModel
  /// By source and destination entity: the destination properties that the source has something for.
  private var namesWithSource: [[String?]: Set<String>] = [:]

  init(_ file: MappingModelFile, from source: NamedModel, to destination: NamedModel) {
    self.file = file
    sourceEntities = source.model.entitiesByName
    destinationEntities = destination.model.entitiesByName
    var resolver = MappingResolver(file.entityMappings, source: source.model, destination: destination.model)
    mappingModel = MappingModel(entityMappings: resolver.entityMappings())
    let entries = Dictionary(file.entityMappings.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for finding in resolver.findings {
      let entry = finding.entityMappingName.flatMap { entries[$0] }
      let severity = severity(of: finding, entry)
      remarks.append(ModelFinding(finding, in: file, severity: severity))
    }
    checkKeys(SourceKeys(source.model))
    for entry in file.entityMappings { checkRelationships(of: entry) }
  }

  /// Returns the severity of a finding: an unmentioned property matters if the source has a value for it and no policy
  /// may handle it.
  private mutating func severity(of finding: MappingModelFinding, _ entry: EntityMappingEntry?) -> ModelFinding
    .Severity?
  {
    guard let entry else { return nil }
    let hasPolicy = entry.entityMigrationPolicyClassName != nil
    switch finding.kind {
    case .unmentionedProperty:
      guard let name = finding.propertyName else { return nil }
      return !hasPolicy && sourceHas(name, entry) ? .warning : .suggestion
    case .noDestinationInstances: return hasPolicy ? .suggestion : nil
    case .orphanEntityMapping, .orphanPropertyMapping, .orphanNumberClash, .numberClash, .missingNumber,
      .unknownObject, .unknownAttribute, .unexpectedType, .unknownMappingType, .duplicateProperty, .userInfoDescribed,
      .unknownProperty, .renamedProperty, .duplicateEntityMapping, .noEntities, .unreadableExpression,
      .unreadableFilterPredicate, .unreadableUserInfo, .missingEntity, .versionHashMismatch, .unknownEntityMapping,
      .unclearEntityMapping:
      return nil
    }
  }

  /// Whether the source has a stored property that the destination's property would come from.
  private mutating func sourceHas(_ name: String, _ entry: EntityMappingEntry) -> Bool {
    let pair = [entry.sourceEntityName, entry.destinationEntityName]
    let names = namesWithSource[pair] ?? namesWithSource(pair[0], pair[1])
    namesWithSource[pair] = names
    return names.contains(name)
  }

  private func namesWithSource(_ source: String?, _ destination: String?) -> Set<String> {
    guard let source = source.flatMap({ sourceEntities[$0] }),
      let destination = destination.flatMap({ destinationEntities[$0] })
    else { return [] }
    let attributes = SourceProperties(source.attributes)
    let relationships = SourceProperties(source.relationships)
    return Set(destination.attributes.filter { attributes.property(for: $0) != nil }.map(\.name)).union(
      destination.relationships.filter { relationships.property(for: $0) != nil }.map(\.name))
  }

  private mutating func checkKeys(_ keys: SourceKeys) {
    var keys = keys
    for mapping in mappingModel.entityMappings {
      guard let entity = mapping.sourceEntityName else { continue }
      if let filter = mapping.filterPredicate, let unknown = keys.unknown(in: filter, of: entity) {
        report(unknown, .error, mapping, nil)
      }
      // A policy may leave expressions alone.
      let severity = mapping.entityMigrationPolicyClassName == nil ? ModelFinding.Severity.error : .warning
      for property in mapping.attributeMappings + mapping.relationshipMappings {
        guard let expression = property.valueExpression, let unknown = keys.unknown(in: expression, of: entity)
        else { continue }
        report(unknown, severity, mapping, property.name)
      }
    }
  }

  private mutating func report(
    _ unknown: SourceKeys.Unknown, _ severity: ModelFinding.Severity, _ mapping: EntityMapping, _ property: String?
  ) {
    remarks.append(
      ModelFinding(
        "unknown-source-key", severity,
        "the entity '\(unknown.entity)' of the source has no property '\(unknown.key)'"
          + NearestNames.hint(unknown.nearest),
        "correct the expression", in: file, mapping: mapping.name, property: property))
  }

  private mutating func checkRelationships(of entry: EntityMappingEntry) {
    for relationship in entry.relationshipMappings
    where relationship.value == .none && sourceHas(relationship.name, entry) {
      remarks.append(
        ModelFinding(
          "unset-relationship", entry.entityMigrationPolicyClassName == nil ? .warning : .suggestion,
          "the relationship is left empty, though the source has it too",
          "give it an expression, or be sure that a policy sets it", in: file, mapping: entry.name,
          property: relationship.name))
    }
  }
}

/// The match of a version with one side of a mapping model, the source or the destination.
package struct MappingSideFit: Sendable, Hashable {
  /// An entity that the mapping model names on this side.
  package struct Entity: Sendable, Hashable {
    /// The name.
    package let name: String
    /// The version hash that the mapping model was made for; only compiled files hold one.
    package let fileHash: VersionHash?
    /// The version hash in the model; `nil` where the model has no such entity.
    package let modelHash: VersionHash?

    /// Whether the model has the entity, and in the version that the mapping model was made for.
    package var fits: Bool { modelHash != nil && (fileHash == nil || fileHash == modelHash) }
  }

  /// Whether the file names this version, or another one; `nil` where it names none.
  package let isNamed: Bool?
  /// The entities, in the order of the entity mappings.
  package let entities: [Entity]

  /// The names of the entities that the model lacks.
  package var missing: [String] { entities.filter { $0.modelHash == nil }.map(\.name) }
  /// The names of the entities of which the model has another version.
  package var differing: [String] { entities.filter { $0.modelHash != nil && !$0.fits }.map(\.name) }
  /// Whether the mapping model can lead from, or to, this version.
  package var fits: Bool { isNamed != false && entities.allSatisfy(\.fits) }

  /// Compares a version of a model with one side of a mapping model.
  ///
  /// - Parameters:
  ///   - side: The side.
  ///   - file: The mapping model.
  ///   - model: The version; without a name, as out of a store, it may be the one that the file names.
  package init(_ side: MappingModelFinding.Side, of file: MappingModelFile, comparedWith model: NamedModel) {
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

  /// The distance of the version from fitting: another name first, then the number of entities.
  var distance: (Int, Int) { (isNamed == false ? 1 : 0, entities.count { !$0.fits }) }
}

extension MappingModelFile {
  /// The version that the file names on one side.
  func versionName(_ side: MappingModelFinding.Side) -> String? {
    side == .source ? sourceModelVersionName : destinationModelVersionName
  }
}

/// The match of one version of a bundle with both sides of a mapping model.
package struct MappingVersionFit: Sendable {
  /// The name of the version.
  package let versionName: String
  private let loaded: Result<NamedModel, MigrationError>
  /// The version's match as the source of the mapping model.
  package let asSource: MappingSideFit?
  /// The version's match as the destination of the mapping model.
  package let asDestination: MappingSideFit?

  /// The model; `nil` when it cannot be read.
  package var model: NamedModel? { try? loaded.get() }
  /// The error of reading the model.
  package var error: MigrationError? { loaded.failure }

  /// Tries a version, or a model that can only be one of the two.
  init(
    _ name: String, _ loaded: Result<NamedModel, MigrationError>, _ file: MappingModelFile,
    sides: Set<MappingModelFinding.Side> = [.source, .destination]
  ) {
    func fit(_ side: MappingModelFinding.Side) -> MappingSideFit? {
      guard sides.contains(side), let model = try? loaded.get() else { return nil }
      return MappingSideFit(side, of: file, comparedWith: model)
    }
    (versionName, self.loaded, asSource, asDestination) = (name, loaded, fit(.source), fit(.destination))
  }

  /// The two versions that the mapping model most likely leads between.
  ///
  /// Those that fit come first, and among them the ones that follow each other. A mapping model leads from one version
  /// to another: only where the file itself says otherwise, both are the same.
  static func nearestPair(of fits: [MappingVersionFit]) -> (source: NamedModel, destination: NamedModel)? {
    var best: (key: [Int], pair: (NamedModel, NamedModel))?
    for (from, source) in fits.enumerated() {
      guard let sourceModel = source.model, let sourceFit = source.asSource else { continue }
      for (to, destination) in fits.enumerated() {
        guard let destinationModel = destination.model, let destinationFit = destination.asDestination else { continue }
        let isSame = from == to && !(sourceFit.isNamed == true && destinationFit.isNamed == true)
        let (left, right) = (sourceFit.distance, destinationFit.distance)
        let key = [isSame ? 1 : 0, left.0 + right.0, left.1 + right.1, from <= to ? 0 : 1, abs(to - from)]
        if let known = best?.key, !key.lexicographicallyPrecedes(known) { continue }
        best = (key, (sourceModel, destinationModel))
      }
    }
    return best?.pair
  }
}

/// In what the entity of a model is not the one that a compiled mapping model was made for.
package struct MappingEntityDifference: Sendable, Hashable {
  /// Whether it is an entity that the mapping model leads from, or one that it leads to.
  package let side: MappingModelFinding.Side
  /// The entity.
  package let entityName: String
  /// The result of a search for the version hash in the file; its changes lead from there to the model.
  package let finding: VersionHashSearch.Finding
}

extension MappingExplanation {
  /// Finds out in what the entities differ whose version hashes are not those in the file.
  ///
  /// The file has no more of them than the hashes, so that this may take a moment.
  package func differences() -> [MappingEntityDifference] {
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
