public import DataModel
public import Diagnostics

/// How well one version of a bundle fits both sides of a mapping model.
public struct MappingVersionFit: Sendable {
  /// The name of the version.
  public let versionName: String
  /// The model; `nil` when it cannot be read.
  public let model: NamedModel?
  /// Why the model cannot be read.
  public let error: MigrationError?
  /// How the version fits as what the mapping model leads from.
  public let asSource: MappingSideFit?
  /// How the version fits as what the mapping model leads to.
  public let asDestination: MappingSideFit?

  /// Tries every version of a bundle, in its order.
  public static func all(_ bundle: ModelBundle, for file: MappingModelFile) -> [MappingVersionFit] {
    bundle.versions.map { version in
      do throws(MigrationError) {
        return MappingVersionFit(version.name, try ModelSource.load(version, of: bundle), file)
      } catch {
        return MappingVersionFit(version.name, unreadable: error)
      }
    }
  }

  init(_ name: String, _ model: NamedModel, _ file: MappingModelFile) {
    versionName = name
    self.model = model
    error = nil
    asSource = MappingSideFit(.source, of: file, comparedWith: model)
    asDestination = MappingSideFit(.destination, of: file, comparedWith: model)
  }

  /// Tries a model that can only be one of the two.
  init(_ side: MappingModelFinding.Side, _ model: NamedModel, _ file: MappingModelFile) {
    versionName = model.versionName ?? model.name
    self.model = model
    error = nil
    let fit = MappingSideFit(side, of: file, comparedWith: model)
    (asSource, asDestination) = side == .source ? (fit, nil) : (nil, fit)
  }

  init(_ name: String, unreadable error: MigrationError?) {
    versionName = name
    self.error = error
    (model, asSource, asDestination) = (nil, nil, nil)
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
