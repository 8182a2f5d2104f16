/// One version in a bundle of models.
///
/// It is read when it is asked for.
public struct ModelVersion: Sendable, Hashable {
  /// The name without `.xcdatamodel` or `.mom`; source and compiled versions have the same.
  public let name: String
  /// The path of the `.xcdatamodel` or `.mom`.
  public let path: String

  /// Reads the model.
  ///
  /// - Throws: `ModelFileError` where it cannot be read.
  public func model() throws(ModelFileError) -> ManagedObjectModel {
    try ManagedObjectModel(contentsOfFile: path)
  }
}
