import Migration

/// The versions of the bundle that a model was taken from.
struct ModelVersionList {
  /// The names; none where the model is not from a bundle of several.
  let names: [String]
  /// The current one, if the bundle names one.
  let current: String?

  init(_ source: ModelSource) throws {
    guard source.kind == .model, let bundle = try? source.bundle() else {
      (names, current) = ([], nil)
      return
    }
    names = bundle.versions.map(\.name)
    current = try? bundle.currentVersion().name
  }
}
