/// A version of an app's data model: its entities and their relationships.
public struct ManagedObjectModel: Sendable, Hashable {
  /// The entities, sorted by name.
  public let entities: [EntityDescription]
  /// Free names of this version that the model's author chose; Xcode writes one empty string by default.
  public let versionIdentifiers: [String]
  /// The names of the entities of each configuration.
  public let configurations: [String: [String]]
  /// The fetches that the model keeps for its app, in the order of the model.
  public var fetchRequestTemplates: [FetchRequestDescription] = []
  /// What Xcode wrote besides, such as its own version.
  ///
  /// It affects neither store nor version hash.
  public var editorAttributes: [String: String] = [:]

  /// Creates a model and resolves what its entities inherit.
  ///
  /// - Throws: `ModelError` where names do not resolve or the inheritance has a cycle.
  public init(
    entities: [EntityDescription],
    versionIdentifiers: [String] = [""],
    configurations: [String: [String]] = [:]
  ) throws(ModelError) {
    self.entities = try InheritanceResolver(entities).resolved()
    self.versionIdentifiers = versionIdentifiers
    self.configurations = configurations
    try ModelValidator(self.entities).check()
  }

  /// The entities by their names.
  public var entitiesByName: [String: EntityDescription] {
    Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The entity of this name.
  public func entity(named name: String) -> EntityDescription? {
    entities.first { $0.name == name }
  }
}
