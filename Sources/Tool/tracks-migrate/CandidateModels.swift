import StoreHealth
import TrackLibrary

extension CandidateModel {
  /// The models that a store may have: the versions of a model that was named, or else those of a track library.
  static func all(modelAt word: String?) throws -> [CandidateModel] {
    guard let word else {
      return TrackModelVersion.allCases.map { version in
        CandidateModel(
          name: "track library \(version.rawValue)", model: version.model, isCurrent: version == .current)
      }
    }
    let versions = try AppVersions(modelAt: word)
    versions.unreadable.warn()
    let current = try? versions.bundle.currentVersion().name
    return versions.all.map { version in
      CandidateModel(name: version.name, model: version.model, isCurrent: version.name == current)
    }
  }
}
