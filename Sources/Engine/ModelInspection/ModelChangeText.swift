internal import MigrationDiagnostics

extension ModelChange.Subject {
  /// The kind of the subject, in one or two words.
  package var kindName: String {
    switch self {
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
}

extension ModelChange.Kind {
  /// The change as text for people.
  package var text: String { aspect?.text ?? name }

  /// The name of the change for programs.
  package var name: String {
    switch self {
    case .added: "added"
    case .removed: "removed"
    case .renamed: "renamed"
    case .changed(let aspect, _, _): aspect.rawValue
    }
  }

  private var aspect: ModelAspect? { if case .changed(let aspect, _, _) = self { aspect } else { nil } }
}

extension ModelAspect {
  /// The aspect as text for people.
  var text: String {
    switch self {
    case .versionIdentifiers: "version identifiers"
    case .members: "entities"
    case .predicate: "predicate"
    case .fetchedEntity: "fetched entity"
    case .isAbstract: "abstract"
    case .superentity: "parent"
    case .managedObjectClassName, .attributeValueClassName: "class"
    case .uniquenessConstraints: "unique"
    case .versionHashModifier: "version hash modifier"
    case .renamingIdentifier: "renaming identifier"
    case .userInfo: "notes"
    case .isOptional: "optional"
    case .isTransient: "transient"
    case .attributeType: "type"
    case .defaultValue: "default"
    case .allowsExternalBinaryDataStorage: "external storage"
    case .preservesValueInHistoryOnDeletion: "preserved in history"
    case .valueTransformerName: "transformer"
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
    }
  }
}

extension ModelDifference {
  /// The differences between two models, in one sentence.
  package var summary: String {
    if isEmpty { return "The models say the same." }
    let count = changes.count.counting("change")
    guard hasOtherHashes else {
      return "The version hashes are equal, so stores are not migrated; \(count) besides."
    }
    let entities = entities.count { $0.hasOtherHash }.counting("entity", plural: "entities")
    return "The version hashes of \(entities) differ, so stores must be migrated; \(count)."
  }
}

extension [ModelChange] {
  /// The first changes, with their places, as part of a sentence.
  var shortList: String {
    let shown = prefix(3).map { change in
      let place = [change.entityName, change.subject.name].compactMap(\.self).joined(separator: ".")
      return "\(place.isEmpty ? "model" : place) (\(change.kind.text))"
    }
    return shown.joined(separator: ", ") + (count > 3 ? " and \(count - 3) more" : "")
  }
}
