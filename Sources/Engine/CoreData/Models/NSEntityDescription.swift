internal import DataModel
internal import MigrationDiagnostics

/// One entity of a model.
///
/// As in Core Data, descriptions can be changed until their model is used.
open class NSEntityDescription: NSObject {
  private(set) var content: EntityDescription
  /// The model, which owns its entities and not the other way round.
  final private(set) var model: NSManagedObjectModel? {
    get { modelLink?.target }
    set { modelLink = newValue?.backlink }
  }
  private var modelLink: Backlink<NSManagedObjectModel>?
  /// The object through which properties refer to the entity.
  private(set) final lazy var backlink = Backlink(self)
  /// The parent that was chosen by hand.
  private weak var chosenSuperentity: NSEntityDescription?
  /// The class of the handles on instances: the one that the model names, if the app has it, or the one that was last
  /// requested.
  final var instanceClass: NSManagedObject.Type {
    get {
      if let chosenClass { return chosenClass }
      let named = NamedClass.find(managedObjectClassName) as? NSManagedObject.Type ?? NSManagedObject.self
      chosenClass = named
      return named
    }
    set { chosenClass = newValue }
  }
  @exclusivity(unchecked) private var chosenClass: NSManagedObject.Type?

  init(_ entity: EntityDescription, in model: NSManagedObjectModel?) {
    content = entity
    modelLink = model?.backlink
  }

  deinit { backlink.cut() }

  /// Creates an entity without a name, which belongs to no model.
  public convenience override init() {
    self.init(EntityDescription(""), in: nil)
  }

  convenience init(named name: String) { self.init(EntityDescription(name), in: nil) }

  private func change<Value>(_ value: Value, _ path: WritableKeyPath<EntityDescription, Value>) {
    content[keyPath: path] = value
    wasChanged()
  }

  /// The name.
  open var name: String? {
    get { content.name }
    set {
      if content.renamingIdentifier == content.name { content.renamingIdentifier = newValue ?? "" }
      change(newValue ?? "", \.name)
    }
  }
  /// The class that represents the entity in an app.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  open var managedObjectClassName: String! {
    get { content.managedObjectClassName ?? "NSManagedObject" }
    set {
      change(newValue, \.managedObjectClassName)
      chosenClass = nil
    }
  }
  /// Whether the entity serves only as a parent and has no instances of its own.
  open var isAbstract: Bool {
    get { content.isAbstract }
    set { change(newValue, \.isAbstract) }
  }
  /// The model.
  open var managedObjectModel: NSManagedObjectModel { model ?? NSManagedObjectModel() }
  /// The parent entity, if there is one.
  open var superentity: NSEntityDescription? {
    chosenSuperentity ?? content.superentityName.flatMap { model?.entitiesByName[$0] }
  }
  /// The direct subentities.
  open var subentities: [NSEntityDescription] {
    get { chosenSubentities ?? resolved.subentityNames.compactMap { model?.entitiesByName[$0] } }
    set {
      chosenSubentities = newValue
      for entity in newValue {
        entity.chosenSuperentity = self
        entity.wasChanged()
      }
    }
  }
  private var chosenSubentities: [NSEntityDescription]?
  /// The direct subentities by name.
  open var subentitiesByName: [String: NSEntityDescription] {
    Dictionary(subentities.map { ($0.content.name, $0) }, uniquingKeysWith: { first, _ in first })
  }
  /// The information that the model's author added; here, texts only.
  open var userInfo: [AnyHashable: Any]? {
    get { content.userInfo }
    set { change((newValue as? [String: Any] ?? [:]).compactMapValues { $0 as? String }, \.userInfo) }
  }
  /// A hash of everything that affects how instances are stored.
  open var versionHash: Data { Data(resolved.versionHash.bytes) }
  /// Text that changes the version hash even if nothing else changes.
  open var versionHashModifier: String? {
    get { content.versionHashModifier }
    set { change(newValue, \.versionHashModifier) }
  }
  /// The name in an earlier model if it was changed, or else the name.
  open var renamingIdentifier: String? {
    get { content.renamingIdentifier }
    set { change(newValue ?? content.name, \.renamingIdentifier) }
  }
  /// The lists of properties whose values together are unique.
  open var uniquenessConstraints: [[Any]] {
    get { content.uniquenessConstraints }
    set {
      let names = newValue.map { $0.compactMap { $0 as? String ?? ($0 as? NSPropertyDescription)?.name } }
      change(names, \.uniquenessConstraints)
    }
  }
  /// The indexes that the entity itself declares.
  open lazy var indexes: [NSFetchIndexDescription] = content.fetchIndexes.map { NSFetchIndexDescription($0) } {
    didSet { wasChanged() }
  }

  /// The attributes by name, own and inherited.
  open var attributesByName: [String: NSAttributeDescription] {
    _ = resolved
    return composites.isEmpty
      ? attributes : attributes.filter { $1.attribute.compositeName == nil }.merging(composites) { first, _ in first }
  }
  /// The relationships by name, own and inherited.
  open var relationshipsByName: [String: NSRelationshipDescription] {
    _ = resolved
    return relationships
  }
  /// The attributes, relationships and fetched properties by name, own and inherited.
  open var propertiesByName: [String: NSPropertyDescription] {
    (attributesByName as [String: NSPropertyDescription]).merging(relationshipsByName) { attribute, _ in attribute }
      .merging(fetchedProperties.map { ($0.name, $0) }) { stored, _ in stored }
  }
  /// The attributes, relationships and fetched properties, own and inherited; own ones can be set.
  open var properties: [NSPropertyDescription] {
    get { Array(propertiesByName.values) }
    set {
      var places = 0
      (attributes, composites, relationships) = ([:], [:], [:])
      fetchedProperties = newValue.compactMap { $0 as? NSFetchedPropertyDescription }
      for property in newValue {
        property.entity = self
        if let composite = property as? NSCompositeAttributeDescription {
          composites[composite.name] = composite
        } else if let attribute = property as? NSAttributeDescription {
          (attribute.place, places) = (places, places + 1)
          attributes[attribute.name] = attribute
        } else if let relationship = property as? NSRelationshipDescription {
          relationships[relationship.name] = relationship
        }
      }
      chosenProperties = newValue
      wasChanged()
    }
  }
  private var chosenProperties: [NSPropertyDescription]?

  /// The attributes with columns: the elements of composites under their key paths.
  private(set) lazy var attributes = Dictionary(
    content.attributes.enumerated().map { ($1.name, NSAttributeDescription.describing($1, at: $0, of: self)) },
    uniquingKeysWith: { first, _ in first })
  {
    didSet { attributeTable = nil }
  }
  private lazy var composites = Dictionary(
    content.composites.map { ($0.name, NSAttributeDescription.describing($0, at: 0, of: self)) },
    uniquingKeysWith: { first, _ in first })
  private(set) lazy var relationships = content.relationshipsByName.mapValues {
    NSRelationshipDescription($0, of: self)
  }
  {
    didSet { relationshipTable = nil }
  }
  @exclusivity(unchecked) private var attributeTable: DescriptionTable<NSAttributeDescription>?
  @exclusivity(unchecked) private var relationshipTable: DescriptionTable<NSRelationshipDescription>?
  /// The keys that were asked for together last.
  @exclusivity(unchecked) private var latestKeys: KeyList?

  /// The attribute with a name.
  final func attribute(named name: String) -> NSAttributeDescription? {
    if let attributeTable { return attributeTable[name] }
    let table = DescriptionTable(attributes)
    attributeTable = table
    return table[name]
  }

  /// The relationship with a name.
  final func relationship(named name: String) -> NSRelationshipDescription? {
    if let relationshipTable { return relationshipTable[name] }
    let table = DescriptionTable(relationships)
    relationshipTable = table
    return table[name]
  }

  /// A list of keys, which is made anew only if they are others than last time.
  final func list(of keys: [String]) -> KeyList {
    if let latestKeys, latestKeys.keys == keys { return latestKeys }
    let list = KeyList(keys)
    latestKeys = list
    return list
  }

  private lazy var fetchedProperties = content.ownFetchedProperties.map { NSFetchedPropertyDescription($0, of: self) }

  /// The relationships whose destination is this entity.
  open func relationships(forDestination entity: NSEntityDescription) -> [NSRelationshipDescription] {
    relationshipsByName.values.filter { $0.destinationEntity == entity }
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
    if let instance = context.insertInstance(ofEntityNamed: entityName) { return instance.handle(isNew: true) }
    let entity =
      context.model.entity(named: entityName) ?? NSEntityDescription(EntityDescription(entityName), in: context.model)
    return entity.instanceClass.init(ManagedObjectHandle(instance: nil, entity: entity))
  }

  /// Whether both are the same entity, with the same name and version.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSEntityDescription else { return false }
    return self === other
      || content.name == other.content.name && resolved.versionHash == other.resolved.versionHash
  }

  /// A number that equal entities share.
  open override var hash: Int { content.name.hashValue }
}

extension NSEntityDescription {
  /// Notes that the entity, or a property of it, is another one now.
  func wasChanged() { model?.wasChanged() }

  /// The entity as a part of its model, with what it inherits.
  fileprivate var resolved: EntityDescription {
    model?.resolve()
    return content
  }

  /// The entity as it is to be a part of a model, with what it declares itself.
  var declared: EntityDescription {
    let own = Set(
      content.ownDeclaredAttributes.map(\.name) + content.ownRelationships.map(\.name)
        + content.ownFetchedProperties.map(\.name))
    let properties = chosenProperties ?? propertiesInContent.filter { own.contains($0.key) }.map(\.value)
    let declared = properties.map(\.declared)
    var entity = EntityDescription(
      content.name, isAbstract: content.isAbstract, superentityName: superentity?.name ?? content.superentityName,
      managedObjectClassName: content.managedObjectClassName, renamingIdentifier: content.renamingIdentifier,
      versionHashModifier: content.versionHashModifier, userInfo: content.userInfo,
      uniquenessConstraints: content.uniquenessConstraints,
      attributes: declared.compactMap { $0 as? AttributeDescription },
      relationships: declared.compactMap { $0 as? RelationshipDescription },
      fetchedProperties: declared.compactMap { $0 as? FetchedPropertyDescription }, fetchIndexes: indexes.map(\.value))
    entity.editorAttributes = content.editorAttributes
    return entity
  }

  /// The properties by the names that they have in the content.
  private var propertiesInContent: [String: NSPropertyDescription] {
    (attributes.merging(composites) { first, _ in first } as [String: NSPropertyDescription])
      .merging(relationships) { attribute, _ in attribute }
      .merging(fetchedProperties.map { ($0.name, $0) }) { stored, _ in stored }
  }

  /// Becomes a part of a model that was built.
  func adopt(_ entity: EntityDescription, in model: NSManagedObjectModel) {
    let own = (chosenProperties ?? Array(propertiesInContent.values)).filter { $0.entity === self }
    let known = Dictionary(own.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    (content, self.model) = (entity, model)
    attributes = [:]
    func description(of attribute: AttributeDescription, at place: Int) -> NSAttributeDescription {
      let description =
        known[attribute.name] as? NSAttributeDescription ?? .describing(attribute, at: place, of: self)
      (description.property, description.place) = (attribute, place)
      return description
    }
    for (place, attribute) in entity.attributes.enumerated() {
      attributes[attribute.name] = description(of: attribute, at: place)
    }
    composites = Dictionary(
      entity.composites.map { ($0.name, description(of: $0, at: 0)) }, uniquingKeysWith: { first, _ in first })
    relationships = entity.relationshipsByName.mapValues { relationship in
      let description =
        known[relationship.name] as? NSRelationshipDescription ?? NSRelationshipDescription(relationship, of: self)
      description.property = relationship
      return description
    }
  }

  /// Belongs to a model from now on.
  func join(_ model: NSManagedObjectModel) { self.model = model }
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
