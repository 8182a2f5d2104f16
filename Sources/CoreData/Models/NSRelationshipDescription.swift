internal import DataModel

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
