public import DataModel

/// A version of a model that a migration may start from, pass through or end at.
public struct KnownVersion: Sendable, Hashable {
  /// The name, such as `Model 2`.
  public var name: String
  /// The model.
  public var model: ManagedObjectModel

  /// Creates a version.
  public init(name: String, model: ManagedObjectModel) {
    self.name = name
    self.model = model
  }

  /// Reads all versions of a bundle, in its order.
  ///
  /// - Throws: `ModelFileError` where one cannot be read.
  public static func all(in bundle: ModelBundle) throws(ModelFileError) -> [KnownVersion] {
    try bundle.versions.map { version throws(ModelFileError) in
      KnownVersion(name: version.name, model: try version.model())
    }
  }
}

extension [KnownVersion] {
  /// The version that a store with these hashes has, if it is one of these.
  package func version(withHashes hashes: [String: VersionHash]) -> KnownVersion? {
    first { $0.model.isCompatible(withVersionHashes: hashes) }
  }
}
