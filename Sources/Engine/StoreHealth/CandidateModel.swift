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
