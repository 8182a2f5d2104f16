/// What of a model, entity or property can change.
///
/// The raw values are Core Data's names; they stand in output that programs read.
public enum ModelAspect: String, Sendable, Hashable, CaseIterable {
  // Of the model.
  case versionIdentifiers
  case members
  case predicate
  case fetchedEntity

  // Of entities.
  case isAbstract
  case superentity
  case managedObjectClassName
  case uniquenessConstraints

  // Of entities and properties.
  case versionHashModifier
  case renamingIdentifier
  case userInfo

  // Of properties.
  case isOptional
  case isTransient

  // Of attributes.
  case attributeType
  case defaultValue
  case allowsExternalBinaryDataStorage
  case preservesValueInHistoryOnDeletion
  case valueTransformerName
  case attributeValueClassName
  case isIndexedBySpotlight
  case allowsCloudEncryption
  case minimumValue
  case maximumValue
  case regularExpression
  case derivationExpression
  case derivationFilterPredicate

  // Of relationships.
  case destinationEntity
  case inverseRelationship
  case minCount
  case maxCount
  case isOrdered
  case deleteRule

  // Of indexes.
  case elements
  case partialIndexPredicate
}
