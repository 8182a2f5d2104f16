package import DataModel

/// A model that a store may have been written with.
package struct CandidateModel: Sendable {
  /// The name of the version.
  package let name: String
  /// The model.
  package let model: ManagedObjectModel
  /// Whether stores of other versions are migrated to this one.
  package let isCurrent: Bool

  /// Creates a candidate.
  package init(name: String, model: ManagedObjectModel, isCurrent: Bool = false) {
    (self.name, self.model, self.isCurrent) = (name, model, isCurrent)
  }
}

extension [CandidateModel] {
  /// The model with a store's version hashes, which may be those of a configuration.
  func model(withVersionHashes hashes: [String: VersionHash]) -> (name: String, model: ManagedObjectModel)? {
    guard !hashes.isEmpty else { return nil }
    if let whole = first(where: { $0.model.isCompatible(withVersionHashes: hashes) }) {
      return (whole.name, whole.model)
    }
    for candidate in self {
      guard let name = candidate.model.configurationName(compatibleWithVersionHashes: hashes),
        let model = candidate.model.restricted(toConfiguration: name)
      else { continue }
      return ("\(candidate.name), configuration \(name)", model)
    }
    return nil
  }
}
