/// A mapping model that a plan may use, with the versions that it leads from and to.
public struct KnownMapping: Sendable, Hashable {
  /// The name, such as that of its file.
  public var name: String
  /// The file, or nothing for a mapping model that was made in code.
  public var path: String
  /// The name of the version that it leads from.
  public var sourceVersionName: String
  /// The name of the version that it leads to.
  public var destinationVersionName: String
  /// The mapping model.
  public var mappingModel: MappingModel
  /// What is odd about it, for people.
  public var findings: [String]

  /// Creates a mapping.
  public init(
    name: String, path: String = "", sourceVersionName: String, destinationVersionName: String,
    mappingModel: MappingModel, findings: [String] = []
  ) {
    self.name = name
    self.path = path
    self.findings = findings
    self.sourceVersionName = sourceVersionName
    self.destinationVersionName = destinationVersionName
    self.mappingModel = mappingModel
  }
}
