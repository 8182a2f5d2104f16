import DataModel
import Diagnostics
import Migration
import PersistentStore

/// The explanation of one model, and how all versions of its bundle fit.
struct ExplanationResult {
  /// The versions that were tried; none where only one was asked for.
  let versions: [VersionFit]
  let explanation: StoreExplanation

  /// Whether the store can be used with the model as it is.
  var isGood: Bool { explanation.fits && explanation.columns.allSatisfy { !$0.isMissing } }

  init(of store: StoreReader, comparedWith source: ModelSource) throws(MigrationError) {
    // One version that is not part of a bundle of several.
    guard source.kind == .model, source.versionName == nil, let bundle = try? source.bundle(),
      bundle.versions.count > 1
    else {
      versions = []
      explanation = try StoreExplanation(
        of: store, comparedWith: try source.load(), otherModels: source.otherModels)
      return
    }
    versions = VersionFit.all(bundle, for: store)
    guard let model = VersionFit.nearest(of: versions)?.model else {
      throw versions.compactMap(\.error).first ?? MigrationError(.unusableModel, path: source.path)
    }
    explanation = try StoreExplanation(
      of: store, comparedWith: model, otherModels: versions.compactMap(\.model?.model))
  }
}

extension ColumnFinding {
  /// Whether something is not there without which the store cannot be used.
  var isMissing: Bool {
    switch kind {
    case .missingTable, .missingColumn: true
    case .unexplainedColumn: false
    }
  }
}
