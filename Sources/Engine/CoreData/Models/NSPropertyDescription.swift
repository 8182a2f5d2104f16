internal import DataModel

/// The base class of an entity's attributes and relationships.
///
/// As in Core Data, descriptions can be changed until their model is used.
open class NSPropertyDescription: NSObject {
  /// The entity whose property this is, as requested.
  public internal(set) var entity: NSEntityDescription? {
    get { entityLink?.target }
    set { entityLink = newValue?.backlink }
  }
  private var entityLink: Backlink<NSEntityDescription>?

  init(of entity: NSEntityDescription?) {
    entityLink = entity?.backlink
  }

  /// The engine's description, which subclasses keep.
  var property: any PropertyDescription {
    get { AttributeDescription("", .undefined) }
    set {}
  }

  /// The description as it is to be a part of a model.
  var declared: any PropertyDescription { property }

  /// Notes that the model is another one now.
  func change<Value>(_ value: Value, _ path: WritableKeyPath<any PropertyDescription, Value>) {
    property[keyPath: path] = value
    entity?.wasChanged()
  }

  /// The name.
  open var name: String {
    get { property.name }
    set {
      if property.renamingIdentifier == property.name { property.renamingIdentifier = newValue }
      change(newValue, \.name)
    }
  }
  /// Whether the property may have no value.
  open var isOptional: Bool {
    get { property.isOptional }
    set { change(newValue, \.isOptional) }
  }
  /// Whether the property is never stored.
  open var isTransient: Bool {
    get { property.isTransient }
    set {}
  }
  /// The information that the model's author added; here, texts only.
  open var userInfo: [AnyHashable: Any]? {
    get { property.userInfo }
    set { change((newValue as? [String: Any] ?? [:]).compactMapValues { $0 as? String }, \.userInfo) }
  }
  /// The name in an earlier model if it was changed, or else the name.
  open var renamingIdentifier: String? {
    get { property.renamingIdentifier }
    set { change(newValue ?? name, \.renamingIdentifier) }
  }
  /// Text that changes the version hash even if nothing else changes.
  open var versionHashModifier: String? {
    get { property.versionHashModifier }
    set { change(newValue, \.versionHashModifier) }
  }
}

/// A kind of attribute, identified by Core Data's number.
public struct NSAttributeType: RawRepresentable, Sendable, Hashable {
  /// The number.
  public let rawValue: UInt

  /// Creates a kind from its number.
  public init(rawValue: UInt) {
    self.rawValue = rawValue
  }

  init(_ type: AttributeType) {
    rawValue = UInt(truncatingIfNeeded: type.rawValue)
  }

  /// No type, which is valid only for transient attributes.
  public static let undefinedAttributeType = Self(.undefined)
  /// A 16-bit integer.
  public static let integer16AttributeType = Self(.integer16)
  /// A 32-bit integer.
  public static let integer32AttributeType = Self(.integer32)
  /// A 64-bit integer.
  public static let integer64AttributeType = Self(.integer64)
  /// A decimal number.
  public static let decimalAttributeType = Self(.decimal)
  /// A 64-bit floating-point number.
  public static let doubleAttributeType = Self(.double)
  /// A 32-bit floating-point number.
  public static let floatAttributeType = Self(.float)
  /// Text.
  public static let stringAttributeType = Self(.string)
  /// A Boolean value.
  public static let booleanAttributeType = Self(.boolean)
  /// A date.
  public static let dateAttributeType = Self(.date)
  /// Data.
  public static let binaryDataAttributeType = Self(.binaryData)
  /// A UUID.
  public static let UUIDAttributeType = Self(.uuid)
  /// A URL.
  public static let URIAttributeType = Self(.uri)
  /// Data that a value transformer creates from objects.
  public static let transformableAttributeType = Self(.transformable)
  /// The ID of an instance.
  public static let objectIDAttributeType = Self(.objectID)
  /// A dictionary of named values, each with a column of its own.
  public static let compositeAttributeType = Self(.composite)
}

/// One attribute of an entity.
open class NSAttributeDescription: NSPropertyDescription {
  @exclusivity(unchecked) final private(set) var attribute: AttributeDescription {
    didSet { type = attribute.type }
  }
  /// The index among the attributes of the entity.
  @exclusivity(unchecked) final var place: Int
  /// A copy of the type: it is read with each value, and the description is large.
  @exclusivity(unchecked) final private var type: AttributeType

  init(_ attribute: AttributeDescription, at place: Int, of entity: NSEntityDescription?) {
    self.attribute = attribute
    self.place = place
    type = attribute.type
    super.init(of: entity)
  }

  /// Creates an attribute without a name and type.
  public convenience init() { self.init(AttributeDescription("", .undefined), at: 0, of: nil) }

  override var property: any PropertyDescription {
    get { attribute }
    set { if let newValue = newValue as? AttributeDescription { attribute = newValue } }
  }

  final func changeAttribute<Value>(_ value: Value, _ path: WritableKeyPath<AttributeDescription, Value>) {
    attribute[keyPath: path] = value
    entity?.wasChanged()
  }

  /// The value as Core Data returns it to apps.
  final func boxed(_ value: AttributeValue) -> Any? {
    switch value {
    case .string(let text): text
    case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
    case .integer(let integer) where type != .decimal: NSNumber(value: integer)
    default: attribute.boxed(value)
    }
  }

  /// The attribute's form of an app's value, or `nil` if it is of another type.
  final func unboxed(_ value: Any) -> AttributeValue? {
    type == .string ? (value as? String).map { .string($0) } : attribute.unboxed(value)
  }

  /// The same for the types that values of such an attribute nearly always have, without trying any conversion.
  final func unboxedExactly(_ value: Any) -> AttributeValue? {
    switch type {
    case .date: Unwrapping.exactly(Date.self, value).map { .date($0.timeIntervalSinceReferenceDate) }
    case .integer16, .integer32, .integer64: Unwrapping.exactly(Int.self, value).map { .integer(Int64($0)) }
    case .double, .float: Unwrapping.exactly(Double.self, value).map { .double($0) }
    case .undefined, .decimal, .string, .boolean, .binaryData, .uuid, .uri, .transformable, .objectID, .composite: nil
    }
  }

  open override var isTransient: Bool {
    get { attribute.isTransient }
    set { changeAttribute(newValue, \.isTransient) }
  }
  /// The type of the attribute's values.
  open var attributeType: NSAttributeType {
    get { NSAttributeType(attribute.type) }
    set { changeAttribute(AttributeType(rawValue: Int32(clamping: newValue.rawValue)) ?? .undefined, \.type) }
  }
  /// The default value of new instances.
  open var defaultValue: Any? {
    get { attribute.defaultValue.flatMap { attribute.boxed($0) } }
    set { changeAttribute(newValue.flatMap { attribute.unboxed($0) }, \.defaultValue) }
  }
  /// The name of the transformer of a transformable attribute.
  open var valueTransformerName: String? {
    get { attribute.valueTransformerName }
    set { changeAttribute(newValue, \.valueTransformerName) }
  }
  /// The class of a transformable attribute's values; it affects neither store nor version hash, and is not kept here.
  open var attributeValueClassName: String?
  /// Whether large values may be stored in external data files.
  open var allowsExternalBinaryDataStorage: Bool {
    get { attribute.allowsExternalBinaryDataStorage }
    set { changeAttribute(newValue, \.allowsExternalBinaryDataStorage) }
  }
  /// Whether persistent history keeps the value when its row is deleted.
  open var preservesValueInHistoryOnDeletion: Bool {
    get { attribute.preservesValueInHistoryOnDeletion }
    set { changeAttribute(newValue, \.preservesValueInHistoryOnDeletion) }
  }
}

/// An attribute whose value is a dictionary of named values, each with a column of its own.
open class NSCompositeAttributeDescription: NSAttributeDescription {
  /// Creates a composite attribute without a name and elements.
  public convenience init() { self.init(AttributeDescription("", .composite), at: 0, of: nil) }

  /// The elements; what is set here is copied, so that later changes of those descriptions have no effect.
  open var elements: [NSAttributeDescription] {
    get { attribute.elements.map { NSAttributeDescription.describing($0, at: 0, of: nil) } }
    set { changeAttribute(newValue.map(\.attribute), \.elements) }
  }
}

extension NSAttributeDescription {
  /// The description of the class that an attribute has in a model.
  static func describing(
    _ attribute: AttributeDescription, at place: Int, of entity: NSEntityDescription?
  ) -> NSAttributeDescription {
    if attribute.type == .composite { return NSCompositeAttributeDescription(attribute, at: place, of: entity) }
    return attribute.isDerived
      ? NSDerivedAttributeDescription(attribute, at: place, of: entity)
      : NSAttributeDescription(attribute, at: place, of: entity)
  }
}

/// An attribute whose value the store computes from others.
open class NSDerivedAttributeDescription: NSAttributeDescription {
  /// The expression, such as `count:(pages)`.
  open var derivationExpression: NSExpression? {
    get { attribute.derivationExpression.map { NSExpression(format: $0) } }
    set { changeAttribute(newValue?.description, \.derivationExpression) }
  }
  /// The predicate that restricts the instances from which the value is computed.
  open var filterPredicate: NSPredicate? {
    get { attribute.derivationFilterPredicate.map { NSPredicate(format: $0) } }
    set { changeAttribute(newValue?.format, \.derivationFilterPredicate) }
  }
}

/// The effect of an instance's deletion on the destinations of a relationship.
public enum NSDeleteRule: UInt, Sendable {
  /// Nothing.
  case noActionDeleteRule = 0
  /// The destinations lose their reference to the instance.
  case nullifyDeleteRule = 1
  /// The destinations are deleted too.
  case cascadeDeleteRule = 2
  /// The instance cannot be deleted.
  case denyDeleteRule = 3
}

/// One relationship of an entity.
open class NSRelationshipDescription: NSPropertyDescription {
  final private(set) var relationship: RelationshipDescription
  private weak var chosenDestination: NSEntityDescription?
  private weak var chosenInverse: NSRelationshipDescription?

  init(_ relationship: RelationshipDescription, of entity: NSEntityDescription?) {
    self.relationship = relationship
    super.init(of: entity)
  }

  /// Creates a relationship without a name and destination.
  public convenience init() { self.init(RelationshipDescription("", to: ""), of: nil) }

  override var property: any PropertyDescription {
    get { relationship }
    set { if let newValue = newValue as? RelationshipDescription { relationship = newValue } }
  }

  override var declared: any PropertyDescription {
    var declared = relationship
    if let chosenDestination { declared.destinationEntityName = chosenDestination.name ?? "" }
    if let chosenInverse { declared.inverseName = chosenInverse.name }
    return declared
  }

  private func changeRelationship<Value>(
    _ value: Value, _ path: WritableKeyPath<RelationshipDescription, Value>
  ) {
    relationship[keyPath: path] = value
    entity?.wasChanged()
  }

  open override var isTransient: Bool {
    get { relationship.isTransient }
    set { changeRelationship(newValue, \.isTransient) }
  }
  /// The destination entity.
  open var destinationEntity: NSEntityDescription? {
    get { chosenDestination ?? entity?.model?.entitiesByName[relationship.destinationEntityName] }
    set {
      chosenDestination = newValue
      changeRelationship(newValue?.name ?? "", \.destinationEntityName)
    }
  }
  /// The inverse relationship, if there is one.
  open var inverseRelationship: NSRelationshipDescription? {
    get { chosenInverse ?? relationship.inverseName.flatMap { destinationEntity?.relationshipsByName[$0] } }
    set {
      chosenInverse = newValue
      changeRelationship(newValue?.name, \.inverseName)
    }
  }
  /// Whether an instance may have several destinations.
  open var isToMany: Bool { relationship.isToMany }
  /// Whether the destinations have an order.
  open var isOrdered: Bool {
    get { relationship.isOrdered }
    set { changeRelationship(newValue, \.isOrdered) }
  }
  /// The minimum number of destinations.
  open var minCount: Int {
    get { Int(relationship.minCount) }
    set { changeRelationship(Int32(clamping: newValue), \.minCount) }
  }
  /// The maximum number of destinations; 1 makes the relationship to-one, 0 means no limit.
  open var maxCount: Int {
    get { Int(relationship.maxCount) }
    set { changeRelationship(Int32(clamping: newValue), \.maxCount) }
  }
  /// The effect of an instance's deletion on the destinations.
  open var deleteRule: NSDeleteRule {
    get { NSDeleteRule(rawValue: UInt(relationship.deleteRule.rawValue)) ?? .nullifyDeleteRule }
    set { changeRelationship(DeleteRule(rawValue: Int(newValue.rawValue)) ?? .nullify, \.deleteRule) }
  }
}

/// A property whose values are fetched when they are wanted; here, it is kept in its model and has no values.
open class NSFetchedPropertyDescription: NSPropertyDescription {
  private var fetched: FetchedPropertyDescription

  init(_ fetched: FetchedPropertyDescription, of entity: NSEntityDescription?) {
    self.fetched = fetched
    super.init(of: entity)
  }

  /// Creates a property without a request.
  public convenience init() {
    self.init(FetchedPropertyDescription("", fetchRequest: FetchRequestDescription("", entityName: "")), of: nil)
  }

  override var property: any PropertyDescription {
    get { fetched }
    set { if let newValue = newValue as? FetchedPropertyDescription { fetched = newValue } }
  }

  /// The request.
  open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
    get { NSFetchRequest(fetched.fetchRequest) }
    set {
      fetched.fetchRequest = FetchRequestDescription(
        "fetchedPropertyFetchRequest", entityName: newValue?.entityName ?? "",
        predicate: newValue?.predicate?.format)
      entity?.wasChanged()
    }
  }
}

extension NSFetchRequest {
  /// The request of a model.
  convenience init(_ request: FetchRequestDescription) {
    self.init(entityName: request.entityName)
    predicate = request.predicate.map { NSPredicate(format: $0) }
  }
}
