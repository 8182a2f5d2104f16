internal import DataModel
internal import Diagnostics

extension TrackLibraryReader {
  /// What is said of a condition that cannot be applied: with the keys that a library has whose model is its own.
  func invalidCondition(_ detail: String) -> MigrationError {
    var error = MigrationError(.invalidCondition, path: store.file.path, detail: detail)
    if isVariant {
      error.advice =
        [("Artists", "Artist"), ("tracks", "Track")].map { name, entity in
          let keys = model.entity(named: entity).map {
            ($0.attributes.map(\.name) + $0.relationships.map(\.name)).sorted()
          }
          return "\(name) have \((keys ?? []).joined(separator: ", "))"
        }.joined(separator: "; ") + "."
    }
    return error
  }
}
