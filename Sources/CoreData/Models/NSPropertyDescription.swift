internal import DataModel

/// What attributes and relationships of an entity have in common.
open class NSPropertyDescription: NSObject {
  private let property: any PropertyDescription
  /// The entity that was asked for the property.
  public internal(set) weak var entity: NSEntityDescription?

  init(_ property: any PropertyDescription, of entity: NSEntityDescription) {
    self.property = property
    self.entity = entity
  }

  /// The name.
  open var name: String { property.name }
  /// Whether the property may be without a value.
  open var isOptional: Bool { property.isOptional }
  /// Whether the property is never stored.
  open var isTransient: Bool { property.isTransient }
  /// The notes of the model's author.
  open var userInfo: [AnyHashable: Any]? { property.userInfo }
  /// The name in an earlier model, where it was changed; otherwise the name.
  open var renamingIdentifier: String? { property.renamingIdentifier }
  /// Text that changes the version hash where nothing else does.
  open var versionHashModifier: String? { property.versionHashModifier }
}

/// A kind of attribute, by Core Data's number for it.
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

  /// No type: only transient attributes may have it.
  public static let undefinedAttributeType = Self(.undefined)
  /// A whole number of 16 bits.
  public static let integer16AttributeType = Self(.integer16)
  /// A whole number of 32 bits.
  public static let integer32AttributeType = Self(.integer32)
  /// A whole number of 64 bits.
  public static let integer64AttributeType = Self(.integer64)
  /// A decimal number.
  public static let decimalAttributeType = Self(.decimal)
  /// A real number of 64 bits.
  public static let doubleAttributeType = Self(.double)
  /// A real number of 32 bits.
  public static let floatAttributeType = Self(.float)
  /// Text.
  public static let stringAttributeType = Self(.string)
  /// A truth value.
  public static let booleanAttributeType = Self(.boolean)
  /// A date.
  public static let dateAttributeType = Self(.date)
  /// Data.
  public static let binaryDataAttributeType = Self(.binaryData)
  /// A UUID.
  public static let UUIDAttributeType = Self(.uuid)
  /// A URL.
  public static let URIAttributeType = Self(.uri)
  /// Data that a value transformer makes of objects.
  public static let transformableAttributeType = Self(.transformable)
  /// The identity of an instance.
  public static let objectIDAttributeType = Self(.objectID)
}

/// One attribute of an entity.
open class NSAttributeDescription: NSPropertyDescription {
  let attribute: AttributeDescription
  /// The place among the attributes of the entity.
  let place: Int
  /// The type for itself: it is asked for with each value, and the description is large.
  private let type: AttributeType

  init(_ attribute: AttributeDescription, at place: Int, of entity: NSEntityDescription) {
    self.attribute = attribute
    self.place = place
    type = attribute.type
    super.init(attribute, of: entity)
  }

  /// The value as Core Data gives it to apps.
  func boxed(_ value: AttributeValue) -> Any? {
    if case .string(let text) = value { text } else { attribute.boxed(value) }
  }

  /// The attribute's form of a value that an app gives, or `nil` where it is of another kind.
  func unboxed(_ value: Any) -> AttributeValue? {
    type == .string ? (value as? String).map { .string($0) } : attribute.unboxed(value)
  }

  /// What kind of values the attribute holds.
  open var attributeType: NSAttributeType {
    NSAttributeType(rawValue: UInt(truncatingIfNeeded: attribute.type.rawValue))
  }

  /// The value of new instances.
  open var defaultValue: Any? { attribute.defaultValue.map { attribute.boxed($0) } ?? nil }
  /// The name of the transformer of a transformable attribute.
  open var valueTransformerName: String? { attribute.valueTransformerName }
  /// Whether large values may lie in files beside the store.
  open var allowsExternalBinaryDataStorage: Bool { attribute.allowsExternalBinaryDataStorage }
}

/// What happens to the other end of a relationship when an instance is deleted.
public enum NSDeleteRule: UInt, Sendable {
  /// Nothing.
  case noActionDeleteRule = 0
  /// The other end forgets the instance.
  case nullifyDeleteRule = 1
  /// The other end is deleted too.
  case cascadeDeleteRule = 2
  /// The instance is not deleted.
  case denyDeleteRule = 3
}

/// One relationship of an entity.
open class NSRelationshipDescription: NSPropertyDescription {
  let relationship: RelationshipDescription

  init(_ relationship: RelationshipDescription, of entity: NSEntityDescription) {
    self.relationship = relationship
    super.init(relationship, of: entity)
  }

  /// The entity at the other end.
  open var destinationEntity: NSEntityDescription? {
    entity?.model?.entitiesByName[relationship.destinationEntityName]
  }

  /// The relationship that leads back, if there is one.
  open var inverseRelationship: NSRelationshipDescription? {
    relationship.inverseName.flatMap { destinationEntity?.relationshipsByName[$0] }
  }

  /// Whether an instance may have several destinations.
  open var isToMany: Bool { relationship.isToMany }
  /// Whether the destinations have an order.
  open var isOrdered: Bool { relationship.isOrdered }
  /// The least number of destinations.
  open var minCount: Int { Int(relationship.minCount) }
  /// The greatest number of destinations; 0 means no limit.
  open var maxCount: Int { Int(relationship.maxCount) }
  /// What happens to the destinations when an instance is deleted.
  open var deleteRule: NSDeleteRule {
    NSDeleteRule(rawValue: UInt(relationship.deleteRule.rawValue)) ?? .nullifyDeleteRule
  }
}
