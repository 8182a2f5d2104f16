extension ComparedAspect where Element == AttributeDescription {
  /// Everything that an attribute says; what only code generation uses is left out.
  static func all(_ precision: ModelDifference.Precision) -> [ComparedAspect] {
    let aspects: [ComparedAspect] = [
      ComparedAspect(.attributeType, \.type) { $0.xmlName },
      ComparedAspect(.isOptional, \.isOptional),
      ComparedAspect(.isTransient, \.isTransient),
      ComparedAspect(.defaultValue, \.defaultValue),
      ComparedAspect(.allowsExternalBinaryDataStorage, \.allowsExternalBinaryDataStorage),
      ComparedAspect(.preservesValueInHistoryOnDeletion, \.preservesValueInHistoryOnDeletion),
      ComparedAspect(.derivationExpression, \.derivationExpression),
      ComparedAspect(.derivationFilterPredicate, \.derivationFilterPredicate),
      ComparedAspect(.valueTransformerName, \.valueTransformerName),
      ComparedAspect(.attributeValueClassName, \.editorAttributes["customClassName"]),
      ComparedAspect(.isIndexedBySpotlight, \.editorAttributes["spotlightIndexingEnabled"]),
      ComparedAspect(.allowsCloudEncryption, \.editorAttributes["allowsCloudEncryption"]),
      ComparedAspect(.versionHashModifier, \.versionHashModifier),
      ComparedAspect(.renamingIdentifier, \.renamingIdentifier) { $0 },
      ComparedAspect(.userInfo, \.userInfo) { $0.comparedText },
    ]
    guard precision == .source else { return aspects }
    return aspects + [
      ComparedAspect(.minimumValue, \.validation.minimum),
      ComparedAspect(.maximumValue, \.validation.maximum),
      ComparedAspect(.regularExpression, \.validation.regularExpression),
    ]
  }
}

extension ComparedAspect where Element == RelationshipDescription {
  static var all: [ComparedAspect] {
    [
      ComparedAspect(.destinationEntity, \.destinationEntityName) { $0 },
      ComparedAspect(.inverseRelationship, \.inverseName),
      ComparedAspect(.isOptional, \.isOptional),
      ComparedAspect(.isTransient, \.isTransient),
      ComparedAspect(.minCount, \.minCount) { "\($0)" },
      ComparedAspect(.maxCount, \.maxCount) { "\($0)" },
      ComparedAspect(.isOrdered, \.isOrdered),
      ComparedAspect(.deleteRule, \.deleteRule) { $0.xmlName },
      ComparedAspect(.versionHashModifier, \.versionHashModifier),
      ComparedAspect(.renamingIdentifier, \.renamingIdentifier) { $0 },
      ComparedAspect(.userInfo, \.userInfo) { $0.comparedText },
    ]
  }
}

extension ComparedAspect where Element == FetchedPropertyDescription {
  static var all: [ComparedAspect] {
    [
      ComparedAspect(.fetchedEntity, \.fetchRequest.entityName) { $0 },
      ComparedAspect(.predicate, \.fetchRequest.predicate),
      ComparedAspect(.isOptional, \.isOptional),
      ComparedAspect(.renamingIdentifier, \.renamingIdentifier) { $0 },
      ComparedAspect(.userInfo, \.userInfo) { $0.comparedText },
    ]
  }
}

extension ComparedAspect where Element == FetchIndexDescription {
  static var all: [ComparedAspect] {
    [
      ComparedAspect(.elements, \.elements) { $0.map(\.comparedText).joined(separator: ", ") },
      ComparedAspect(.partialIndexPredicate, \.partialIndexPredicate),
    ]
  }
}

extension FetchIndexElementDescription {
  /// The element as SQL would say it.
  fileprivate var comparedText: String {
    let subject =
      switch subject {
      case .property(let name): name
      case .instance: "self"
      case .entity: "entity"
      case .expression(let text): text
      }
    return subject + (isAscending ? "" : " DESC") + (collationType == .rTree ? " RTREE" : "")
  }
}
