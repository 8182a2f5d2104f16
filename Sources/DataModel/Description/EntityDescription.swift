/// One entity of a model: its name, its place in the inheritance tree and its properties.
///
/// As in Core Data, an entity inside a model answers for what it inherits too: `attributes` and `relationships` hold
/// the properties of its ancestors besides its own, sorted by name. Before an entity is part of a model, it knows its
/// own properties only.
public struct EntityDescription: Sendable, Hashable {
  /// The name of the entity.
  public var name: String
  /// Whether the entity only serves as a parent and has no instances of its own.
  public var isAbstract: Bool
  /// The name of the parent entity, if there is one.
  public var superentityName: String?
  /// The class that represents the entity in an app.
  ///
  /// It affects neither store nor version hash.
  public var managedObjectClassName: String?
  /// The name in an earlier model, where it was changed; otherwise the name.
  public var renamingIdentifier: String
  /// Text that changes the version hash where nothing else does.
  public var versionHashModifier: String?
  /// The notes of the model's author.
  ///
  /// They do not enter the version hash.
  public var userInfo: [String: String]
  /// Each constraint is a list of property names whose values together are unique.
  public var uniquenessConstraints: [[String]]
  /// The attributes that this entity itself declares, sorted by name.
  public let ownAttributes: [AttributeDescription]
  /// The relationships that this entity itself declares, sorted by name.
  public let ownRelationships: [RelationshipDescription]
  /// The fetched properties that this entity itself declares, sorted by name.
  package let ownFetchedProperties: [FetchedPropertyDescription]
  /// The indexes that this entity itself declares.
  package var fetchIndexes: [FetchIndexDescription]
  /// What Xcode wrote besides, such as code generation settings.
  ///
  /// It affects neither store nor version hash.
  public var editorAttributes: [String: String] = [:]

  /// All attributes, inherited ones included, sorted by name.
  public internal(set) var attributes: [AttributeDescription]
  /// All relationships, inherited ones included, sorted by name.
  public internal(set) var relationships: [RelationshipDescription]
  /// The names of the direct subentities, sorted.
  ///
  /// Filled in by the model.
  public internal(set) var subentityNames: [String] = []
  /// The fingerprint of all that affects how instances are stored.
  ///
  /// Filled in by the model.
  public internal(set) var versionHash: VersionHash

  /// Creates an entity that is not yet part of a model.
  package init(
    _ name: String,
    isAbstract: Bool = false,
    superentityName: String? = nil,
    managedObjectClassName: String? = nil,
    renamingIdentifier: String? = nil,
    versionHashModifier: String? = nil,
    userInfo: [String: String] = [:],
    uniquenessConstraints: [[String]] = [],
    attributes: [AttributeDescription] = [],
    relationships: [RelationshipDescription] = [],
    fetchedProperties: [FetchedPropertyDescription] = [],
    fetchIndexes: [FetchIndexDescription] = []
  ) {
    self.name = name
    self.isAbstract = isAbstract
    self.superentityName = superentityName
    self.managedObjectClassName = managedObjectClassName
    self.renamingIdentifier = renamingIdentifier ?? name
    self.versionHashModifier = versionHashModifier
    self.userInfo = userInfo
    self.uniquenessConstraints = uniquenessConstraints
    ownAttributes = attributes.sorted { $0.name.precedesByBytes($1.name) }
    ownRelationships = relationships.sorted { $0.name.precedesByBytes($1.name) }
    ownFetchedProperties = fetchedProperties.sorted { $0.name.precedesByBytes($1.name) }
    self.fetchIndexes = fetchIndexes
    self.attributes = ownAttributes
    self.relationships = ownRelationships
    versionHash = VersionHash(bytes: [])
  }

  /// The attribute of this name, own or inherited.
  public func attribute(named name: String) -> AttributeDescription? {
    attributes.first { $0.name == name }
  }

  /// The relationship of this name, own or inherited.
  public func relationship(named name: String) -> RelationshipDescription? {
    relationships.first { $0.name == name }
  }

  /// The attributes by their names, own and inherited.
  public var attributesByName: [String: AttributeDescription] {
    Dictionary(attributes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The relationships by their names, own and inherited.
  public var relationshipsByName: [String: RelationshipDescription] {
    Dictionary(relationships.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }
}
