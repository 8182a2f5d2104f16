public import DataModel

/// Two versions of a bundle that follow each other, and whether stores get from the one to the other without a mapping
/// model.
public struct VersionStep: Sendable, Hashable {
  /// The name of the earlier version.
  public let sourceName: String
  /// The name of the later version.
  public let destinationName: String
  /// What comes of inference.
  public let verdict: InferenceVerdict

  /// The steps from each version of a bundle to the next; what cannot be read is passed over.
  public static func all(in bundle: ModelBundle) -> [VersionStep] {
    let versions = bundle.versions.compactMap { version in
      (try? version.model()).map { (name: version.name, model: $0) }
    }
    return zip(versions, versions.dropFirst()).map { source, destination in
      VersionStep(
        sourceName: source.name, destinationName: destination.name,
        verdict: InferenceVerdict(from: source.model, to: destination.model))
    }
  }
}
