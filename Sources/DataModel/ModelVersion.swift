/// One version in a bundle of models.
///
/// It is read when it is asked for.
public struct ModelVersion: Sendable, Hashable {
  /// The name without `.xcdatamodel`, which is also the name of the compiled version.
  public let name: String
  /// The path of the `.xcdatamodel`.
  public let path: String

  /// Reads the model.
  ///
  /// - Throws: `ModelFileError` where it cannot be read.
  public func model() throws(ModelFileError) -> ManagedObjectModel {
    try ManagedObjectModel(contentsOfFile: path)
  }
}
