import DataModel
import Migration

/// The English of what differs in models.
enum ChangeWording {
  /// What a change is about, in one or two words.
  static func kind(_ subject: ModelChange.Subject) -> String {
    switch subject {
    case .model: "model"
    case .configuration: "configuration"
    case .fetchRequest: "fetch request"
    case .entity: "entity"
    case .attribute: "attribute"
    case .relationship: "relationship"
    case .fetchedProperty: "fetched property"
    case .fetchIndex: "index"
    }
  }

  /// What happened, for people.
  static func text(_ kind: ModelChange.Kind) -> String {
    switch kind {
    case .added: "added"
    case .removed: "removed"
    case .renamed: "renamed"
    case .changed(let aspect, _, _): text(aspect)
    }
  }

  /// What happened, for programs.
  static func name(_ kind: ModelChange.Kind) -> String {
    switch kind {
    case .added: "added"
    case .removed: "removed"
    case .renamed: "renamed"
    case .changed(let aspect, _, _): aspect.rawValue
    }
  }

  private static func text(_ aspect: ModelAspect) -> String {
    switch aspect {
    case .versionIdentifiers: "version identifiers"
    case .members: "entities"
    case .predicate: "predicate"
    case .fetchedEntity: "fetched entity"
    case .isAbstract: "abstract"
    case .superentity: "parent"
    case .managedObjectClassName: "class"
    case .uniquenessConstraints: "unique"
    case .versionHashModifier: "version hash modifier"
    case .renamingIdentifier: "renaming identifier"
    case .userInfo: "notes"
    case .isOptional: "optional"
    case .isTransient: "transient"
    default: propertyText(aspect)
    }
  }

  private static func propertyText(_ aspect: ModelAspect) -> String {
    switch aspect {
    case .attributeType: "type"
    case .defaultValue: "default"
    case .allowsExternalBinaryDataStorage: "external storage"
    case .preservesValueInHistoryOnDeletion: "preserved in history"
    case .valueTransformerName: "transformer"
    case .attributeValueClassName: "class"
    case .isIndexedBySpotlight: "indexed by Spotlight"
    case .allowsCloudEncryption: "encrypted in the cloud"
    case .minimumValue: "minimum"
    case .maximumValue: "maximum"
    case .regularExpression: "regular expression"
    case .derivationExpression: "derived from"
    case .derivationFilterPredicate: "derived where"
    case .destinationEntity: "destination"
    case .inverseRelationship: "inverse"
    case .minCount: "minimum count"
    case .maxCount: "maximum count"
    case .isOrdered: "ordered"
    case .deleteRule: "delete rule"
    case .elements: "elements"
    case .partialIndexPredicate: "condition"
    default: aspect.rawValue
    }
  }

  /// What two models differ in, in one sentence.
  static func summary(_ difference: ModelDifference) -> String {
    if difference.isEmpty { return "The models say the same." }
    let changes = count(difference.changes.count, "change", "changes")
    guard difference.hasOtherHashes else {
      return "The version hashes are equal, so stores are not migrated; \(changes) besides."
    }
    let entities = difference.entities.filter(\.hasOtherHash).count
    return
      "The version hashes of \(count(entities, "entity", "entities")) differ, so stores must be migrated; \(changes)."
  }

  static func count(_ number: Int, _ singular: String, _ plural: String) -> String {
    "\(number) \(number == 1 ? singular : plural)"
  }
}
