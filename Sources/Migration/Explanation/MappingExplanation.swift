public import DataModel
public import Diagnostics

/// Why a mapping model and models fit together, or do not: version by version, entity by entity, property by property.
public struct MappingExplanation: Sendable {
  /// The mapping model as the file holds it.
  public let file: MappingModelFile
  /// How every version of the bundle fits, or else the two models, each as what it was named for.
  public let versions: [MappingVersionFit]
  /// The versions of the bundle that the mapping model leads between: one pair at most, unless versions are alike.
  public let pairs: [ModelVersionPair]
  /// The model that it is explained as leading from.
  public let source: NamedModel
  /// The model that it is explained as leading to.
  public let destination: NamedModel
  /// The mapping model with all expressions that the file leaves to be generated, as far as it fits.
  public let mappingModel: MappingModel
  /// Everything that does not fit or is odd, the worst first.
  public let remarks: [MappingRemark]

  /// Whether a migration between the two models can use the mapping model.
  public var fits: Bool { remarks.allSatisfy { $0.severity != .error } }

  /// Other versions of the models, which may help to guess what version hashes stand for.
  let otherModels: [ManagedObjectModel]

  /// Compares a mapping model with two models.
  ///
  /// - Parameters:
  ///   - file: The mapping model.
  ///   - source: What it is to lead from.
  ///   - destination: What it is to lead to.
  ///   - otherModels: Other versions of the models, which may help to guess what version hashes stand for.
  public init(
    of file: MappingModelFile, from source: NamedModel, to destination: NamedModel,
    otherModels: [ManagedObjectModel] = []
  ) {
    let wrongNames = [(MappingModelFinding.Side.source, source), (.destination, destination)].compactMap {
      side, model -> MappingRemark? in
      guard let named = file.versionName(side), let actual = model.versionName, named != actual else { return nil }
      return MappingRemark(.error, .otherVersion(named: named, side, actual: actual), in: file)
    }
    let versions = [
      MappingVersionFit(.source, source, file), MappingVersionFit(.destination, destination, file),
    ]
    self.init(
      file, source, destination, versions: versions, otherModels: otherModels, pairs: nil, wrongNames,
      listsLeftovers: false)
  }

  /// Compares a mapping model with all versions of a bundle, and explains it for the two that come nearest.
  ///
  /// - Throws: `MigrationError` where no version can be read.
  public init(of file: MappingModelFile, among bundle: ModelBundle) throws(MigrationError) {
    let versions = MappingVersionFit.all(bundle, for: file)
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
    let unknownNames = [MappingModelFinding.Side.source, .destination].compactMap { side -> MappingRemark? in
      guard let named = file.versionName(side), !versions.contains(where: { $0.versionName == named }) else {
        return nil
      }
      let nearest = nearestNames.nearest(to: named, in: versions.map(\.versionName))
      return MappingRemark(.error, .unknownVersion(named, side, nearest: nearest), in: file)
    }
    self.init(
      file, nearest.source, nearest.destination, versions: versions, otherModels: known.map(\.model),
      pairs: file.versionPairs(among: known), unknownNames, listsLeftovers: listsLeftovers)
  }

  private init(
    _ file: MappingModelFile, _ source: NamedModel, _ destination: NamedModel, versions: [MappingVersionFit],
    otherModels: [ManagedObjectModel], pairs: [ModelVersionPair]?, _ remarks: [MappingRemark], listsLeftovers: Bool
  ) {
    let check = MappingFitCheck(file, from: source, to: destination)
    self.file = file
    self.versions = versions
    self.otherModels = otherModels
    self.pairs = pairs ?? []
    self.source = source
    self.destination = destination
    mappingModel = check.mappingModel
    var remarks = remarks + check.remarks + MappingRemark.all(about: file, listsLeftovers: listsLeftovers)
    // A migration takes only what leads from one version to another.
    if pairs?.isEmpty == true, !remarks.contains(where: { $0.severity == .error }) {
      remarks.append(MappingRemark(.error, .sameVersion(source.versionName ?? source.name), in: file))
    }
    self.remarks = remarks.worstFirst()
  }
}
