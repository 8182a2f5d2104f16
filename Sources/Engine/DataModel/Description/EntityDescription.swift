/// One entity of a model: its name, its place in the inheritance tree and its properties.
///
/// In a model, `attributes` and `relationships` also hold the properties that the entity inherits, sorted by name, as
/// in Core Data. Before an entity is part of a model, they hold only its own properties.
///
/// A composite attribute has no column; its elements have. The lists of attributes hold these, under their key paths
/// (`position.x`), in place of the composite, so that whatever handles attributes handles them alike.
public struct EntityDescription: Sendable, Hashable {
  /// The name of the entity.
  public var name: String
  /// Whether the entity serves only as a parent and has no instances of its own.
  public var isAbstract: Bool
  /// The name of the parent entity, if there is one.
  public var superentityName: String?
  /// The class that represents the entity in an app.
  ///
  /// It affects neither store nor version hash.
  public var managedObjectClassName: String?
  /// The name in an earlier model if it was changed; otherwise the name.
  public var renamingIdentifier: String
  /// Text that changes the version hash even if nothing else changes.
  public var versionHashModifier: String?
  /// The information that the model's author added.
  ///
  /// It does not affect the version hash.
  public var userInfo: [String: String]
  /// The uniqueness constraints: lists of property names whose values together are unique.
  public var uniquenessConstraints: [[String]]
  /// The attributes that this entity itself declares, sorted by name.
  public let ownAttributes: [AttributeDescription]
  /// The composite attributes that this entity itself declares, sorted by name.
  package let ownComposites: [AttributeDescription]
  /// The relationships that this entity itself declares, sorted by name.
  public let ownRelationships: [RelationshipDescription]
  /// The fetched properties that this entity itself declares, sorted by name.
  package let ownFetchedProperties: [FetchedPropertyDescription]
  /// The indexes that this entity itself declares.
  package var fetchIndexes: [FetchIndexDescription]
  /// Other attributes that Xcode wrote, such as code generation settings.
  ///
  /// It affects neither store nor version hash.
  package var editorAttributes: [String: String] = [:]

  /// All attributes, inherited ones included, sorted by name.
  public internal(set) var attributes: [AttributeDescription]
  /// All composite attributes, inherited ones included.
  package internal(set) var composites: [AttributeDescription]
  /// All relationships, inherited ones included, sorted by name.
  public internal(set) var relationships: [RelationshipDescription]
  /// The names of the direct subentities, sorted.
  ///
  /// Filled in by the model.
  public internal(set) var subentityNames: [String] = []
  /// A hash of everything that affects how instances are stored.
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
    let declared = attributes.sorted { $0.name.precedesByBytes($1.name) }
    ownAttributes = declared.flatMap(\.withColumns)
    ownComposites = declared.filter { $0.type == .composite }
    ownRelationships = relationships.sorted { $0.name.precedesByBytes($1.name) }
    ownFetchedProperties = fetchedProperties.sorted { $0.name.precedesByBytes($1.name) }
    self.fetchIndexes = fetchIndexes
    self.attributes = ownAttributes
    composites = ownComposites
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
