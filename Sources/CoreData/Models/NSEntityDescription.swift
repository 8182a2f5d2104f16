internal import DataModel
internal import MigrationDiagnostics

/// One entity of a model.
open class NSEntityDescription: NSObject {
  let content: EntityDescription
  /// The model, which owns its entities and not the other way round.
  private(set) weak var model: NSManagedObjectModel?
  /// The class of the handles on instances: the one that the model names, if the app has it, or the one that was last
  /// requested.
  lazy var instanceClass: NSManagedObject.Type =
    NamedClass.find(managedObjectClassName) as? NSManagedObject.Type ?? NSManagedObject.self

  init(_ entity: EntityDescription, in model: NSManagedObjectModel?) {
    content = entity
    self.model = model
  }

  /// Creates an entity without a name, which belongs to no model.
  public convenience override init() {
    self.init(EntityDescription(""), in: nil)
  }

  convenience init(named name: String) { self.init(EntityDescription(name), in: nil) }

  /// The name.
  open var name: String? { content.name }
  /// The class that represents the entity in an app.
  open var managedObjectClassName: String { content.managedObjectClassName ?? "NSManagedObject" }
  /// Whether the entity serves only as a parent and has no instances of its own.
  open var isAbstract: Bool { content.isAbstract }
  /// The model.
  open var managedObjectModel: NSManagedObjectModel { model ?? NSManagedObjectModel() }
  /// The parent entity, if there is one.
  open var superentity: NSEntityDescription? {
    content.superentityName.flatMap { model?.entitiesByName[$0] }
  }
  /// The direct subentities.
  open var subentities: [NSEntityDescription] {
    content.subentityNames.compactMap { model?.entitiesByName[$0] }
  }
  /// The direct subentities by name.
  open var subentitiesByName: [String: NSEntityDescription] {
    Dictionary(subentities.map { ($0.content.name, $0) }, uniquingKeysWith: { first, _ in first })
  }
  /// The information that the model's author added.
  open var userInfo: [AnyHashable: Any]? { content.userInfo }
  /// A hash of everything that affects how instances are stored.
  open var versionHash: Data { Data(content.versionHash.bytes) }
  /// Text that changes the version hash even if nothing else changes.
  open var versionHashModifier: String? { content.versionHashModifier }
  /// The name in an earlier model if it was changed, or else the name.
  open var renamingIdentifier: String? { content.renamingIdentifier }

  /// The attributes by name, own and inherited.
  open var attributesByName: [String: NSAttributeDescription] { attributes }
  /// The relationships by name, own and inherited.
  open var relationshipsByName: [String: NSRelationshipDescription] { relationships }
  /// The attributes and relationships by name, own and inherited.
  open var propertiesByName: [String: NSPropertyDescription] {
    (attributes as [String: NSPropertyDescription]).merging(relationships) { attribute, _ in attribute }
  }
  /// The attributes and relationships, own and inherited.
  open var properties: [NSPropertyDescription] { Array(propertiesByName.values) }

  private(set) lazy var attributes = Dictionary(
    content.attributes.enumerated().map { ($1.name, NSAttributeDescription($1, at: $0, of: self)) },
    uniquingKeysWith: { first, _ in first })
  private(set) lazy var relationships = content.relationshipsByName.mapValues {
    NSRelationshipDescription($0, of: self)
  }

  /// The relationships whose destination is this entity.
  open func relationships(forDestination entity: NSEntityDescription) -> [NSRelationshipDescription] {
    relationships.values.filter { $0.destinationEntity == entity }
  }

  /// Whether this is the entity or one of its subentities.
  open func isKindOf(entity: NSEntityDescription) -> Bool {
    self == entity || superentity?.isKindOf(entity: entity) == true
  }

  /// The entity with a name in the model of a context.
  open class func entity(
    forEntityName entityName: String, in context: NSManagedObjectContext
  ) -> NSEntityDescription? {
    context.model.entitiesByName[entityName]
  }

  /// Inserts a new instance of an entity.
  ///
  /// An abstract entity, or one that is not in the model, ends the migration with an error as soon as the policy
  /// returns.
  open class func insertNewObject(
    forEntityName entityName: String, into context: NSManagedObjectContext
  ) -> NSManagedObject {
    let entity =
      context.model.entitiesByName[entityName] ?? NSEntityDescription(EntityDescription(entityName), in: context.model)
    guard let instance = context.insertInstance(of: entity) else {
      return entity.instanceClass.init(ManagedObjectHandle(instance: nil, entity: entity))
    }
    return instance.handle()
  }

  /// Whether both are the same entity, with the same name and version.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSEntityDescription else { return false }
    return self === other
      || content.name == other.content.name && content.versionHash == other.content.versionHash
  }

  /// A number that equal entities share.
  open override var hash: Int { content.name.hashValue }
}

/// Looks up classes by name.
enum NamedClass {
  /// The class for a name as models and mapping models write it: `Module.Name`.
  ///
  /// A class without a module, as in `Name` and `.Name`, cannot be found without Objective-C's list of classes.
  static func find(_ name: String) -> AnyClass? {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
    return NSClassFromString(name)
  }
}
