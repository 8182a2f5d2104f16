internal import DataModel

/// The base class of an entity's attributes and relationships.
open class NSPropertyDescription: NSObject {
  private let property: any PropertyDescription
  /// The entity whose property this is, as requested.
  public internal(set) weak var entity: NSEntityDescription?

  init(_ property: any PropertyDescription, of entity: NSEntityDescription) {
    self.property = property
    self.entity = entity
  }

  /// The name.
  open var name: String { property.name }
  /// Whether the property may have no value.
  open var isOptional: Bool { property.isOptional }
  /// Whether the property is never stored.
  open var isTransient: Bool { property.isTransient }
  /// The information that the model's author added.
  open var userInfo: [AnyHashable: Any]? { property.userInfo }
  /// The name in an earlier model if it was changed, or else the name.
  open var renamingIdentifier: String? { property.renamingIdentifier }
  /// Text that changes the version hash even if nothing else changes.
  open var versionHashModifier: String? { property.versionHashModifier }
}

/// A kind of attribute, identified by Core Data's number.
public struct NSAttributeType: RawRepresentable, Sendable, Hashable {
  /// The number.
  public let rawValue: UInt

  /// Creates a kind from its number.
  public init(rawValue: UInt) {
    self.rawValue = rawValue
  }

  private init(_ type: AttributeType) {
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
}

/// One attribute of an entity.
open class NSAttributeDescription: NSPropertyDescription {
  let attribute: AttributeDescription
  /// The index among the attributes of the entity.
  let place: Int
  /// A copy of the type: it is read with each value, and the description is large.
  private let type: AttributeType

  init(_ attribute: AttributeDescription, at place: Int, of entity: NSEntityDescription) {
    self.attribute = attribute
    self.place = place
    type = attribute.type
    super.init(attribute, of: entity)
  }

  /// The value as Core Data returns it to apps.
  func boxed(_ value: AttributeValue) -> Any? {
    if case .string(let text) = value { text } else { attribute.boxed(value) }
  }

  /// The attribute's form of an app's value, or `nil` if it is of another type.
  func unboxed(_ value: Any) -> AttributeValue? {
    type == .string ? (value as? String).map { .string($0) } : attribute.unboxed(value)
  }

  /// The type of the attribute's values.
  open var attributeType: NSAttributeType {
    NSAttributeType(rawValue: UInt(truncatingIfNeeded: attribute.type.rawValue))
  }

  /// The default value of new instances.
  open var defaultValue: Any? { attribute.defaultValue.map { attribute.boxed($0) } ?? nil }
  /// The name of the transformer of a transformable attribute.
  open var valueTransformerName: String? { attribute.valueTransformerName }
  /// Whether large values may be stored in external data files.
  open var allowsExternalBinaryDataStorage: Bool { attribute.allowsExternalBinaryDataStorage }
}

/// What happens to the destinations of a relationship when an instance is deleted.
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
  let relationship: RelationshipDescription

  init(_ relationship: RelationshipDescription, of entity: NSEntityDescription) {
    self.relationship = relationship
    super.init(relationship, of: entity)
  }

  /// The destination entity.
  open var destinationEntity: NSEntityDescription? {
    entity?.model?.entitiesByName[relationship.destinationEntityName]
  }

  /// The inverse relationship, if there is one.
  open var inverseRelationship: NSRelationshipDescription? {
    relationship.inverseName.flatMap { destinationEntity?.relationshipsByName[$0] }
  }

  /// Whether an instance may have several destinations.
  open var isToMany: Bool { relationship.isToMany }
  /// Whether the destinations have an order.
  open var isOrdered: Bool { relationship.isOrdered }
  /// The minimum number of destinations.
  open var minCount: Int { Int(relationship.minCount) }
  /// The maximum number of destinations; 0 means no limit.
  open var maxCount: Int { Int(relationship.maxCount) }
  /// What happens to the destinations when an instance is deleted.
  open var deleteRule: NSDeleteRule {
    NSDeleteRule(rawValue: UInt(relationship.deleteRule.rawValue)) ?? .nullifyDeleteRule
  }
}
