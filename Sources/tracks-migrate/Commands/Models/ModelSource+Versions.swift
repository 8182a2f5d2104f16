import DataModel
import Migration

extension ModelSource {
  /// The versions in the bundle of one that was asked for; none where nothing but one model was named.
  var otherModels: [ManagedObjectModel] {
    guard kind == .model, versionName != nil, let bundle = try? bundle() else { return [] }
    return bundle.versions.compactMap { try? $0.model() }
  }
}
